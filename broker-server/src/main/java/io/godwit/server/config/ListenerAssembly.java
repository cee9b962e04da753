package io.godwit.server.config;

import io.godwit.core.settings.Network;
import io.godwit.server.config.ListenerKeys.ClientAuthChoice;
import io.godwit.server.config.TlsConfig.ClientAuth;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the listeners of the values. */
final class ListenerAssembly {
    private final Values values;
    private final ConfigFolders folders;

    ListenerAssembly(Values values, ConfigFolders folders) {
        this.values = values;
        this.folders = folders;
    }

    List<ListenerConfig> assemble(Set<String> names, @Nullable BindAddress adminBind) {
        List<ListenerConfig> listeners = new ArrayList<>();
        for (String name : names) {
            ListenerConfig listener = listener(name);
            if (values.get(prefix(name), ListenerKeys.ENABLED)) listeners.add(listener);
        }
        if (listeners.isEmpty()) values.refuse("listeners", "at least one must be enabled");
        refuseSharedAddresses(listeners, adminBind);
        return listeners;
    }

    private ListenerConfig listener(String name) {
        String prefix = prefix(name);
        ListenerConfig.Type type = values.get(prefix, ListenerKeys.TYPE);
        BindAddress usual = new BindAddress("", type.usualPort());
        if (!type.webSocket()) {
            ListenerKeys.OF_WEB_SOCKET.forEach(key -> webSocketOnly(prefix, key));
        }
        TlsConfig tls = tls(prefix);
        if (type.encrypted()) {
            require(prefix, ListenerKeys.TLS_CERTIFICATE);
            require(prefix, ListenerKeys.TLS_KEY);
        } else {
            refuseTls(prefix);
        }
        return new ListenerConfig(
                name,
                type,
                values.get(prefix, ListenerKeys.BIND).orElse(usual),
                type.webSocket() ? paths(prefix) : List.of(),
                values.getInt(prefix, ListenerKeys.HEADER_SIZE),
                values.get(prefix, ListenerKeys.ORIGINS),
                type.encrypted() ? tls : null,
                values.getInt(prefix, ListenerKeys.BACKLOG),
                values.getInt(prefix, ListenerKeys.RECEIVE_BUFFER),
                values.getInt(prefix, ListenerKeys.SEND_BUFFER),
                proxies(prefix, type));
    }

    private ProxyConfig proxies(String prefix, ListenerConfig.Type type) {
        boolean protocol = values.get(prefix, ListenerKeys.PROXY_PROTOCOL);
        List<Network> trusted =
                values.get(prefix, ListenerKeys.TRUSTED_PROXIES).stream()
                        .flatMap(text -> Network.parse(text).stream())
                        .toList();
        String key = prefix + ListenerKeys.TRUSTED_PROXIES.name();
        if (protocol && values.isEmpty(key)) {
            values.refuse(key, "must name the proxies, since proxy-protocol is true");
        } else if (!protocol && !type.webSocket() && !values.isEmpty(key)) {
            values.refuse(key, "allowed with proxy-protocol: true, or for the types ws and wss");
        }
        return new ProxyConfig(protocol, trusted);
    }

    private List<String> paths(String prefix) {
        List<String> paths = values.get(prefix, ListenerKeys.PATHS);
        if (paths.isEmpty()) {
            values.refuse(prefix + ListenerKeys.PATHS.name(), "must name at least one path");
        }
        return paths;
    }

    private void webSocketOnly(String prefix, Key<?> key) {
        if (values.isSet(prefix + key.name())) {
            values.refuse(prefix + key.name(), "allowed for the types ws and wss only");
        }
    }

    private TlsConfig tls(String prefix) {
        String clientCa = values.get(prefix, ListenerKeys.TLS_CLIENT_CA);
        return new TlsConfig(
                folders.resolve(values.get(prefix, ListenerKeys.TLS_CERTIFICATE)),
                folders.resolve(values.get(prefix, ListenerKeys.TLS_KEY)),
                clientCa.isEmpty() ? null : folders.resolve(clientCa),
                clientAuth(prefix, !clientCa.isEmpty()),
                values.get(prefix, ListenerKeys.TLS_PROTOCOLS),
                values.get(prefix, ListenerKeys.TLS_PROVIDER));
    }

    private ClientAuth clientAuth(String prefix, boolean authorityKnown) {
        ClientAuthChoice choice = values.get(prefix, ListenerKeys.TLS_CLIENT_AUTH);
        boolean asked = choice == ClientAuthChoice.OPTIONAL || choice == ClientAuthChoice.REQUIRED;
        if (asked && !authorityKnown) {
            values.refuse(
                    prefix + ListenerKeys.TLS_CLIENT_AUTH.name(), "needs tls.client-ca to be set");
        }
        return switch (choice) {
            case AUTO -> authorityKnown ? ClientAuth.REQUIRED : ClientAuth.NONE;
            case NONE -> ClientAuth.NONE;
            case OPTIONAL -> ClientAuth.OPTIONAL;
            case REQUIRED -> ClientAuth.REQUIRED;
        };
    }

    private void require(String prefix, Key<String> file) {
        if (!values.get(prefix, file).isEmpty()) return;
        String name = prefix + file.name();
        values.refuse(name, "must be set for the types tls and wss: a PEM file");
    }

    private void refuseTls(String prefix) {
        for (Key<?> key : ListenerKeys.ALL) {
            String name = prefix + key.name();
            if (key.name().startsWith("tls.") && values.isSet(name)) {
                values.refuse(name, "allowed for the types tls and wss only");
            }
        }
    }

    /** The kernel would refuse them as well, but can't say which two they are. */
    private void refuseSharedAddresses(
            List<ListenerConfig> listeners, @Nullable BindAddress admin) {
        for (int i = 0; i < listeners.size(); i++) {
            ListenerConfig later = listeners.get(i);
            String key = prefix(later.name()) + ListenerKeys.BIND.name();
            for (ListenerConfig earlier : listeners.subList(0, i)) {
                if (overlap(earlier.bind(), later.bind())) {
                    values.refuse(key, "the listener " + earlier.name() + " already listens there");
                }
            }
            if (admin != null && overlap(admin, later.bind())) {
                values.refuse(key, "admin.bind already uses it");
            }
        }
    }

    private static boolean overlap(BindAddress a, BindAddress b) {
        boolean sameHost = a.host().equals(b.host()) || a.host().isEmpty() || b.host().isEmpty();
        return a.port() != 0 && a.port() == b.port() && sameHost;
    }

    private static String prefix(String name) {
        return ListenerKeys.PREFIX + name + ".";
    }
}

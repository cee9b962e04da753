package io.godwit.server.config;

import io.godwit.core.settings.Network;
import io.godwit.server.config.ListenerKeys.ClientAuthChoice;
import io.godwit.server.config.TlsConfig.ClientAuth;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
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
        ProxyConfig proxies = proxies(prefix, type);
        TlsConfig tls = tls(prefix, type.encrypted());
        if (type.encrypted()) {
            require(prefix, ListenerKeys.TLS_CERTIFICATE);
            require(prefix, ListenerKeys.TLS_KEY);
        } else {
            refuseTls(prefix, proxies.protocol());
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
                values.getInt(prefix, ListenerKeys.CONNECTIONS),
                values.getInt(prefix, ListenerKeys.CONNECT_RATE),
                proxies,
                type.encrypted() ? tls.identity() : announcedIdentity(prefix, proxies),
                values.get(prefix, ListenerKeys.AUTHENTICATORS));
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

    private TlsConfig tls(String prefix, boolean isEncrypted) {
        String clientCa = values.get(prefix, ListenerKeys.TLS_CLIENT_CA);
        ClientAuth clientAuth = clientAuth(prefix, !clientCa.isEmpty());
        return new TlsConfig(
                folders.resolve(values.get(prefix, ListenerKeys.TLS_CERTIFICATE)),
                folders.resolve(values.get(prefix, ListenerKeys.TLS_KEY)),
                clientCa.isEmpty() ? null : folders.resolve(clientCa),
                clientAuth,
                values.get(prefix, ListenerKeys.TLS_PROTOCOLS),
                values.get(prefix, ListenerKeys.TLS_PROVIDER),
                clientCrl(prefix, clientAuth),
                values.get(prefix, ListenerKeys.TLS_CLIENT_CRL_EXPIRED),
                serverNames(prefix),
                isEncrypted ? identity(prefix, clientAuth) : TlsConfig.Identity.NONE);
    }

    private List<Path> clientCrl(String prefix, ClientAuth clientAuth) {
        List<String> files = values.get(prefix, ListenerKeys.TLS_CLIENT_CRL);
        if (!files.isEmpty() && clientAuth == ClientAuth.NONE) {
            values.refuse(
                    prefix + ListenerKeys.TLS_CLIENT_CRL.name(),
                    "needs tls.client-ca, and a tls.client-auth other than none");
        }
        if (files.isEmpty()) {
            refuseOther(prefix, ListenerKeys.TLS_CLIENT_CRL_EXPIRED, "tls.client-crl");
        }
        return files.stream().map(folders::resolve).toList();
    }

    /** Refuses what would have no effect; the default may stand there, as config prints it. */
    private <T> void refuseOther(String prefix, Key<T> key, String needed) {
        if (!values.get(prefix, key).equals(key.fallback())) {
            values.refuse(prefix + key.name(), "needs " + needed + " to be set");
        }
    }

    private SortedMap<String, TlsConfig.Pair> serverNames(String prefix) {
        SortedMap<String, TlsConfig.Pair> pairs = new TreeMap<>();
        for (String host : values.serverNames(prefix)) {
            for (Key<?> key : ListenerKeys.ofServerName(host)) {
                if (!values.isSet(prefix + key.name())) {
                    values.refuse(
                            prefix + key.name(), "must be set: a name needs certificate and key");
                }
            }
            pairs.put(
                    host,
                    new TlsConfig.Pair(
                            folders.resolve(values.get(prefix, ListenerKeys.certificateOf(host))),
                            folders.resolve(values.get(prefix, ListenerKeys.keyOf(host)))));
        }
        return pairs;
    }

    /** The identity of clients whose certificate a proxy announces: it tells the common name. */
    private TlsConfig.Identity announcedIdentity(String prefix, ProxyConfig proxies) {
        if (!proxies.protocol()) return TlsConfig.Identity.NONE; // Refused, if it is set.
        TlsConfig.Identity identity = identity(prefix, ClientAuth.REQUIRED);
        if (identity.source() != TlsConfig.IdentitySource.NONE
                && identity.source() != TlsConfig.IdentitySource.CN) {
            values.refuse(
                    prefix + ListenerKeys.TLS_IDENTITY.name(),
                    "must be none or cn: a proxy announces no other name");
        }
        return identity;
    }

    private TlsConfig.Identity identity(String prefix, ClientAuth clientAuth) {
        TlsConfig.IdentitySource source = values.get(prefix, ListenerKeys.TLS_IDENTITY);
        if (source == TlsConfig.IdentitySource.NONE) {
            refuseOther(prefix, ListenerKeys.TLS_IDENTITY_FOR, "tls.identity");
            refuseOther(prefix, ListenerKeys.TLS_IDENTITY_AND_PASSWORD, "tls.identity");
        } else if (clientAuth == ClientAuth.NONE) {
            values.refuse(
                    prefix + ListenerKeys.TLS_IDENTITY.name(),
                    "needs tls.client-ca, and a tls.client-auth other than none");
        }
        return new TlsConfig.Identity(
                source,
                values.get(prefix, ListenerKeys.TLS_IDENTITY_FOR),
                values.get(prefix, ListenerKeys.TLS_IDENTITY_AND_PASSWORD));
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

    /**
     * @param isProxied whether a proxy announces certificates, which then may be identities
     */
    private void refuseTls(String prefix, boolean isProxied) {
        for (Key<?> key : ListenerKeys.ALL) {
            String name = prefix + key.name();
            if (isProxied && ListenerKeys.OF_IDENTITY.contains(key)) continue;
            if (key.name().startsWith("tls.") && values.isSet(name)) {
                values.refuse(name, "allowed for the types tls and wss only");
            }
        }
        for (String host : values.serverNames(prefix)) {
            values.refuse(
                    prefix + ListenerKeys.certificateOf(host).name(),
                    "allowed for the types tls and wss only");
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

package io.godwit.server.config;

import io.godwit.core.settings.Network;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The table of the keys of one listener; their names follow {@code listeners.<name>.}. */
final class ListenerKeys {
    static final String PREFIX = "listeners.";

    static final Key<Boolean> ENABLED =
            new Key<>("enabled", ValueType.bool(), true, "false: the listener is ignored.");

    static final Key<ListenerConfig.Type> TYPE =
            new Key<>(
                    "type",
                    ValueType.oneOf(ListenerConfig.Type.class),
                    ListenerConfig.Type.TCP,
                    "The transport: plain TCP (tcp), TLS (tls), WebSocket (ws), or WebSocket over "
                            + "TLS (wss).");

    static final Key<Optional<BindAddress>> BIND =
            new Key<>(
                    "bind",
                    ValueType.address(false),
                    Optional.empty(),
                    "The address to listen on. A port alone means every address, IPv4 and IPv6; "
                            + "port 0 means any free port. Default: the type's usual port (tcp 1883, tls "
                            + "8883, ws 8083, wss 8084) on every address.");

    static final Key<List<String>> PATHS =
            new Key<>(
                    "paths",
                    ValueType.words(
                            "a list of paths that begin with /",
                            text -> text.matches("/[!-~&&[^?#,]]*")),
                    List.of("/mqtt", "/"),
                    "The paths of the WebSocket (ws, wss). Most clients use /mqtt, some / (Home "
                            + "Assistant).");

    static final Key<Long> HEADER_SIZE =
            new Key<>(
                    "header-size",
                    Quantity.bytes(1 << 10, 1 << 20),
                    32L << 10,
                    "The size of the HTTP headers with which a WebSocket begins (ws, wss), cookies "
                            + "included; a larger request is answered with 431. A client that has "
                            + "not connected yet can hold that much memory.");

    static final Key<List<String>> ORIGINS =
            new Key<>(
                    "origins",
                    ValueType.words(
                            "a list of *, or scheme://host, scheme://host:port",
                            text -> text.matches("\\*|[a-z][a-z0-9+.-]*://[!-~&&[^/?#@,*]]+")),
                    List.of(),
                    "Web pages that may open the WebSocket (ws, wss), as browsers name them in the "
                            + "Origin header; * for any. Pages of the same host are allowed anyway under TLS, "
                            + "or when the host is an address, localhost or this machine's name. Programs "
                            + "that send no Origin are not affected.");

    static final Key<Boolean> PROXY_PROTOCOL =
            new Key<>(
                    "proxy-protocol",
                    ValueType.bool(),
                    false,
                    "true: each connection begins with a PROXY header (version 1 or 2), before TLS, by "
                            + "which a proxy announces the client's address. One without a header, or "
                            + "from an address that is not in trusted-proxies, is closed.");

    static final Key<List<String>> TRUSTED_PROXIES =
            new Key<>(
                    "trusted-proxies",
                    ValueType.words(
                            "a list of addresses, and networks such as 10.0.0.0/8 with no bits set "
                                    + "beyond the prefix",
                            text -> Network.parse(text).isPresent()),
                    List.of(),
                    "The proxies whose announcements count: addresses, and networks in CIDR form. "
                            + "Required with proxy-protocol. For ws and wss also without: "
                            + "X-Forwarded-For of these proxies counts, and its last address that is "
                            + "none of them is the client's. Whoever comes from such an address is "
                            + "never taken for a client on the broker's machine.");

    static final Key<Long> BACKLOG =
            new Key<>(
                    "backlog",
                    Quantity.number(1, 1_000_000),
                    4096L,
                    "Connections that may wait to be accepted; the kernel's net.core.somaxconn "
                            + "limits it too.");

    static final Key<Long> RECEIVE_BUFFER =
            new Key<>(
                    "receive-buffer",
                    Quantity.bytes(1 << 10, 1 << 30).orZero(),
                    0L,
                    "The kernel's receive buffer of a connection. 0: the kernel's default.");

    static final Key<Long> SEND_BUFFER =
            new Key<>(
                    "send-buffer",
                    Quantity.bytes(1 << 10, 1 << 30).orZero(),
                    0L,
                    "The kernel's send buffer of a connection. 0: the kernel's default.");

    static final Key<String> TLS_CERTIFICATE =
            new Key<>(
                    "tls.certificate",
                    file(),
                    "",
                    "PEM file: the server's certificate, followed by the intermediate ones "
                            + "(required for tls and wss).");

    static final Key<String> TLS_KEY =
            new Key<>(
                    "tls.key",
                    file(),
                    "",
                    "PEM file: its private key, PKCS#8, not encrypted (required for tls and wss).");

    static final Key<String> TLS_CLIENT_CA =
            new Key<>(
                    "tls.client-ca",
                    file(),
                    "",
                    "PEM file: the certificate authorities whose client certificates are accepted. "
                            + "Empty: clients are not asked for a certificate.");

    static final Key<ClientAuthChoice> TLS_CLIENT_AUTH =
            new Key<>(
                    "tls.client-auth",
                    ValueType.oneOf(ClientAuthChoice.class),
                    ClientAuthChoice.AUTO,
                    "Whether a client must present a certificate. auto: required if client-ca is "
                            + "set, otherwise none.");

    static final Key<List<String>> TLS_PROTOCOLS =
            new Key<>(
                    "tls.protocols",
                    ValueType.someOf("TLSv1.3", "TLSv1.2"),
                    List.of("TLSv1.3", "TLSv1.2"),
                    "The TLS versions that are accepted.");

    static final Key<TlsConfig.Provider> TLS_PROVIDER =
            new Key<>(
                    "tls.provider",
                    ValueType.oneOf(TlsConfig.Provider.class),
                    TlsConfig.Provider.AUTO,
                    "The TLS implementation. auto: openssl where its library can be loaded (it "
                            + "takes a third of the CPU per handshake), otherwise jdk.");

    static final Key<List<String>> TLS_CLIENT_CRL =
            new Key<>(
                    "tls.client-crl",
                    ValueType.paths("a list of files", ListenerKeys::isFile),
                    List.of(),
                    "Certificate revocation lists (PEM or DER) of the authorities in client-ca. A "
                            + "client whose certificate stands in one is refused, and closed when the "
                            + "list changes; so is one whose authority has no list here. Empty: nobody "
                            + "looks.");

    static final Key<TlsConfig.ExpiredCrl> TLS_CLIENT_CRL_EXPIRED =
            new Key<>(
                    "tls.client-crl-expired",
                    ValueType.oneOf(TlsConfig.ExpiredCrl.class),
                    TlsConfig.ExpiredCrl.REFUSE,
                    "What happens to new clients of an authority whose lists are all out of date. "
                            + "accept: the lists are used as they are.");

    static final Key<TlsConfig.IdentitySource> TLS_IDENTITY =
            new Key<>(
                    "tls.identity",
                    ValueType.oneOf(TlsConfig.IdentitySource.class),
                    TlsConfig.IdentitySource.NONE,
                    "The part of a client's certificate that names the client: its common name, the "
                            + "whole subject as RFC 2253 writes it (dn), or its first alternative name "
                            + "of a kind. A client whose certificate has no such name is refused. With "
                            + "proxy-protocol also for tcp and ws: cn is the name that the proxy announces "
                            + "of a certificate that it has verified.");

    static final Key<TlsConfig.IdentityUse> TLS_IDENTITY_FOR =
            new Key<>(
                    "tls.identity-for",
                    ValueType.oneOf(TlsConfig.IdentityUse.class),
                    TlsConfig.IdentityUse.USER_NAME,
                    "What the name in the certificate stands for.");

    static final Key<Boolean> TLS_IDENTITY_AND_PASSWORD =
            new Key<>(
                    "tls.identity-and-password",
                    ValueType.bool(),
                    false,
                    "Whether a client that its certificate names must send the password of that "
                            + "user as well.");

    static final Key<Long> CONNECTIONS =
            new Key<>(
                    "connections",
                    Quantity.number(0, 10_000_000),
                    0L,
                    "Connections of this listener; further ones are refused with 0x97 (3.x: 3). "
                            + "limits.connections applies too. 0: no limit of its own.");

    static final Key<Long> CONNECT_RATE =
            new Key<>(
                    "connect-rate",
                    Quantity.number(0, 1_000_000),
                    0L,
                    "Connections of this listener per second, with bursts of two seconds' worth; "
                            + "further ones are refused with 0x9F (3.x: 3). limits.connect-rate "
                            + "applies too. 0: no limit of its own.");

    static final Key<List<String>> AUTHENTICATORS =
            new Key<>(
                    "authenticators",
                    ValueType.words("a list of users and ids of extensions", SecurityKeys::isName),
                    List.of(),
                    "Who is asked about the credentials of this listener's clients, instead of "
                            + "security.authenticators.");

    /** The keys that stand for certificates which a proxy has verified, too. */
    static final List<Key<?>> OF_IDENTITY =
            List.of(TLS_IDENTITY, TLS_IDENTITY_FOR, TLS_IDENTITY_AND_PASSWORD);

    private static final String NAMES = "tls.names.";
    private static final Pattern OF_SERVER_NAME =
            Pattern.compile(
                    "tls\\.names\\.((?:\\*\\.)?[a-z0-9_-]{1,63}(?:\\.[a-z0-9_-]{1,63})*)"
                            + "\\.(certificate|key)");

    /** Documents the keys of one further server name; see {@link #ofServerName}. */
    static final Key<String> TLS_NAMES_CERTIFICATE =
            new Key<>(
                    NAMES + "<name>.certificate",
                    file(),
                    "",
                    "PEM file: the certificate, with its chain, for clients that ask for this host "
                            + "name (SNI), such as tls.names.b.example.org.certificate, or "
                            + "*.example.org for all names with one label more. Small letters. Everyone "
                            + "else gets tls.certificate. Not from the environment.");

    static final Key<String> TLS_NAMES_KEY =
            new Key<>(
                    NAMES + "<name>.key",
                    file(),
                    "",
                    "PEM file: the private key of that certificate.");

    /** Keys whose names contain a placeholder. */
    static final List<Key<?>> OF_NAME = List.of(TLS_NAMES_CERTIFICATE, TLS_NAMES_KEY);

    /** Keys that only a WebSocket listener can have. */
    static final List<Key<?>> OF_WEB_SOCKET = List.of(PATHS, HEADER_SIZE, ORIGINS);

    /** In the order of the file. */
    static final List<Key<?>> ALL =
            List.of(
                    ENABLED,
                    TYPE,
                    BIND,
                    PATHS,
                    HEADER_SIZE,
                    ORIGINS,
                    PROXY_PROTOCOL,
                    TRUSTED_PROXIES,
                    BACKLOG,
                    AUTHENTICATORS,
                    CONNECTIONS,
                    CONNECT_RATE,
                    RECEIVE_BUFFER,
                    SEND_BUFFER,
                    TLS_CERTIFICATE,
                    TLS_KEY,
                    TLS_CLIENT_CA,
                    TLS_CLIENT_AUTH,
                    TLS_PROTOCOLS,
                    TLS_PROVIDER,
                    TLS_CLIENT_CRL,
                    TLS_CLIENT_CRL_EXPIRED,
                    TLS_IDENTITY,
                    TLS_IDENTITY_FOR,
                    TLS_IDENTITY_AND_PASSWORD,
                    TLS_NAMES_CERTIFICATE,
                    TLS_NAMES_KEY);

    /** What may be written; {@code AUTO} becomes one of the others. */
    enum ClientAuthChoice {
        AUTO,
        NONE,
        OPTIONAL,
        REQUIRED
    }

    private ListenerKeys() {}

    private static ValueType<String> file() {
        return ValueType.path("a file", text -> text.indexOf('\0') < 0);
    }

    private static boolean isFile(String text) {
        return !text.isEmpty() && text.indexOf('\0') < 0;
    }

    /** The key of a server name's certificate. */
    static Key<String> certificateOf(String host) {
        return named(TLS_NAMES_CERTIFICATE, host);
    }

    /** The key of a server name's private key. */
    static Key<String> keyOf(String host) {
        return named(TLS_NAMES_KEY, host);
    }

    static List<Key<?>> ofServerName(String host) {
        return List.of(certificateOf(host), keyOf(host));
    }

    private static Key<String> named(Key<String> template, String host) {
        String name = template.name().replace("<name>", host);
        return new Key<>(name, template.type(), template.fallback(), template.meaning());
    }

    /** {@code tls.names.b.example.org.key} is about {@code b.example.org}. */
    static Optional<String> serverNameOf(String key) {
        Matcher matcher = OF_SERVER_NAME.matcher(key);
        return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
    }
}

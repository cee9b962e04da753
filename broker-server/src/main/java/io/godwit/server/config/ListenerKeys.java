package io.godwit.server.config;

import io.godwit.core.settings.Network;
import java.util.List;
import java.util.Optional;

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
                    RECEIVE_BUFFER,
                    SEND_BUFFER,
                    TLS_CERTIFICATE,
                    TLS_KEY,
                    TLS_CLIENT_CA,
                    TLS_CLIENT_AUTH,
                    TLS_PROTOCOLS,
                    TLS_PROVIDER);

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
}

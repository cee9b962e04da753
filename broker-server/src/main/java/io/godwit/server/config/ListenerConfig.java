package io.godwit.server.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One listener ({@code listeners.<name>.*}).
 *
 * @param paths of the WebSocket, each begins with {@code /}; none unless {@code type.webSocket()}
 * @param headerBytesMax bytes of the HTTP headers of a WebSocket's handshake
 * @param origins of pages that may open the WebSocket, {@code *} for any; empty = only those of the
 *     same host
 * @param tls null unless {@code type.encrypted()}
 * @param backlog connections that the kernel may hold before they are accepted
 * @param receiveBufferBytes SO_RCVBUF; 0 = the kernel's own choice
 * @param sendBufferBytes SO_SNDBUF; 0 = the kernel's own choice
 * @param connections at the same time; 0 = as many as the node admits
 * @param connectRate connections a second; 0 = any number
 * @param proxies before this listener
 * @param identity what the certificates of its clients say, be it that a proxy announces them
 * @param authenticators asked about its clients in place of {@code security.authenticators}; empty:
 *     those
 */
public record ListenerConfig(
        String name,
        Type type,
        BindAddress bind,
        List<String> paths,
        int headerBytesMax,
        List<String> origins,
        @Nullable TlsConfig tls,
        int backlog,
        int receiveBufferBytes,
        int sendBufferBytes,
        int connections,
        int connectRate,
        ProxyConfig proxies,
        TlsConfig.Identity identity,
        List<String> authenticators) {
    public ListenerConfig {
        paths = List.copyOf(paths);
        origins = List.copyOf(origins);
        authenticators = List.copyOf(authenticators);
    }

    /** What a connection speaks below MQTT. */
    public enum Type {
        TCP(1883, false, false),
        TLS(8883, true, false),
        WS(8083, false, true),
        WSS(8084, true, true);

        private final int usualPort;
        private final boolean encrypted;
        private final boolean webSocket;

        Type(int usualPort, boolean encrypted, boolean webSocket) {
            this.usualPort = usualPort;
            this.encrypted = encrypted;
            this.webSocket = webSocket;
        }

        public int usualPort() {
            return usualPort;
        }

        public boolean encrypted() {
            return encrypted;
        }

        public boolean webSocket() {
            return webSocket;
        }
    }
}

package io.godwit.clients;

/** How a client reaches the broker. */
public enum Transport {
    TCP,
    TLS,
    WS,
    WSS;

    public boolean isWebSocket() {
        return this == WS || this == WSS;
    }

    public boolean isSecure() {
        return this == TLS || this == WSS;
    }
}

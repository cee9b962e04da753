package io.godwit.server.extension.call;

/** Names what extensions are called for. Each kind of an extension has a breaker of its own. */
public enum CallKind {
    AUTHENTICATE("authenticate"),
    AUTHENTICATION_STEP("authentication-step"),
    PUBLISH_INTERCEPTOR("publish-interceptor"),
    PUBLISH_AUTHORIZER("publish-authorizer"),
    SUBSCRIBE_INTERCEPTOR("subscribe-interceptor"),
    SUBSCRIBE_AUTHORIZER("subscribe-authorizer"),
    CLIENT_EVENT("client-event"),
    DELIVERY_INTERCEPTOR("delivery-interceptor"),
    SESSION_EVENT("session-event"),
    INITIALIZER("initializer"),
    CONNECT_INTERCEPTOR("connect-interceptor"),
    UNSUBSCRIBE_INTERCEPTOR("unsubscribe-interceptor"),
    PACKET_INTERCEPTOR("packet-interceptor");

    private final String tag;

    CallKind(String tag) {
        this.tag = tag;
    }

    /** The kind's value of the metrics tag {@code kind}, and its name in the log. */
    public String tag() {
        return tag;
    }
}

package io.godwit.conformance.target;

/** Settings that a test needs of the broker. */
public enum Profile {
    /** The broker as shipped, with an authentication method for tests. */
    DEFAULT,
    /**
     * Maximum QoS 1, maximum packet size 2 048, keep alive at most 60 s, session expiry at most 120
     * s, Response Information {@code answers/here}; no retained messages.
     */
    RESTRICTED,
    /** No wildcards, no Shared Subscriptions, no Subscription Identifiers, no Topic Aliases. */
    NO_FEATURES,
    /** Receive Maximum 3, Topic Alias Maximum 5. */
    SMALL_WINDOWS,
    /** Keep alive at most 1 s. */
    SHORT_KEEP_ALIVE,
    /** Maximum QoS 0. */
    QOS_0,
    /** A store that fails to keep retained messages whose topic ends with "store-fails". */
    FAILING_STORE
}

package io.godwit.core.settings;

/** How a shared-subscription group chooses the member that gets a message. */
public enum SharedStrategy {
    ROUND_ROBIN,
    RANDOM,
    /** Chooses the same member until it is gone or has no credit left. */
    STICKY,
    LEAST_IN_FLIGHT,
    /** Chooses by the publisher's client id. */
    HASH_CLIENT,
    /** Chooses by the topic. */
    HASH_TOPIC
}

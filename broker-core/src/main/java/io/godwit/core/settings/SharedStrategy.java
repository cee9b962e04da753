package io.godwit.core.settings;

/** How a shared-subscription group chooses the member that gets a message. */
public enum SharedStrategy {
    ROUND_ROBIN,
    RANDOM,
    /** The same member until it is gone or has no credit left. */
    STICKY,
    LEAST_IN_FLIGHT,
    /** By the publisher's client id. */
    HASH_CLIENT,
    /** By the topic. */
    HASH_TOPIC
}

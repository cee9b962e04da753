package io.godwit.cluster.stream;

/**
 * A rule of routes and publishes between nodes whose absence the simulator must notice (design
 * section 11). In production each holds.
 */
public enum StreamRule {
    /** SUBACK waits until the nodes that are heard route by its filters. */
    SUBACK_WAITS_FOR_ROUTES,
    /** What was seen of a stream is dropped when it comes again. */
    POSITIONS,
    /** A publish of QoS 2 is remembered until it is over. */
    INGRESS_MEMORY,
    /** While a publisher's messages on a topic are not answered, none takes another way. */
    ONE_WAY_PER_TOPIC,
    /** After a time in which a node did not run it asks for filters before it routes. */
    ASKS_AFTER_PAUSE,
    /** When a link opens publishes follow what the shared stream held for the node. */
    ROUTES_BEFORE_PUBLISHES,
    /** Of the nodes that have members of a shared group one gets a message. */
    GROUP_AT_ONE_NODE,
    /** While slots are taken over what a source has not entered is not routed to their sessions. */
    GATE_CLOSED,
    /** What a leader that is gone has not answered goes to whoever took its slots over. */
    REDIRECT,
    /** A source enters slots before what it sends to their new leader once more. */
    ENTER_BEFORE_REDIRECTS,
    /** That slots are taken over is told behind the filters of their sessions. */
    LOADED_BEHIND_FILTERS,
    /** A stream that begins has not entered the slots that were taken over before. */
    CLOSED_IN_NEW_STREAMS
}

package io.godwit.cluster.publish;

/** What becomes of a message of QoS 1 or 2 when a node that it goes to is away. */
public enum LeaderAway {
    /** It is acknowledged when the node is back and has it. */
    WAIT,
    /** An MQTT 5.0 client is told so at once; the message of another one waits. */
    REFUSE
}

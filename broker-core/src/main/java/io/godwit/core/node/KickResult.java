package io.godwit.core.node;

/** The outcome of disconnecting a client by administrative action. */
public enum KickResult {
    /** The client was disconnected, and its session waits for it. */
    DISCONNECTED,

    /** The session has ended, with its connection if it had one. */
    ENDED,

    /** The session has no connection, and was to stay: nothing was done. */
    OFFLINE,

    /** This node has no session of the client id. */
    UNKNOWN
}

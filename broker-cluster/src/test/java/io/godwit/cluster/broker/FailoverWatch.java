package io.godwit.cluster.broker;

import io.godwit.cluster.transport.MessageType;
import io.godwit.core.store.Store;

/** Sees the steps of the nodes of a run, in the order in which they are done. */
interface FailoverWatch {
    /** Sees nothing. */
    FailoverWatch NONE = new FailoverWatch() {};

    /** Returns the store that a start of a node is to use. */
    default Store onStore(int server, Store store) {
        return store;
    }

    /** Notes that a node has given a message to the link to another one. */
    default void onSent(int from, int to, MessageType type) {}

    /** Notes that the other node has taken it in. */
    default void onReceived(int from, int to, MessageType type) {}
}

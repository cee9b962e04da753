package io.godwit.core.routing;

/** A place in the order of the retained topics. */
abstract class OrderedTopic {
    /** The topic's bytes; exchanged for equal ones at most. */
    byte[] key;

    OrderedTopic(byte[] key) {
        this.key = key;
    }
}

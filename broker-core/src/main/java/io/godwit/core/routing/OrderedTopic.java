package io.godwit.core.routing;

/** A place in the order of the retained topics. */
abstract class OrderedTopic {
    /** At most exchanged for equal bytes. */
    byte[] key;

    OrderedTopic(byte[] key) {
        this.key = key;
    }
}

package io.godwit.core.routing;

import java.util.Arrays;

/** What a {@link NodeTable} holds: something that is found by its UTF-8 bytes. */
abstract class KeyedNode {
    /**
     * Shared with the {@code TopicFilter} or {@code Topic} it came from. At most exchanged for
     * equal bytes, and only where nobody but the writer reads.
     */
    byte[] key;

    KeyedNode(byte[] key) {
        this.key = key;
    }

    final boolean hasKey(byte[] bytes, int from, int to) {
        return Arrays.equals(key, 0, key.length, bytes, from, to);
    }
}

package io.godwit.core.routing;

import java.util.Arrays;

/** What a {@link NodeTable} holds: something that is found by a range of UTF-8 bytes. */
abstract class KeyedNode {
    /** Never changed; may be shared with the {@code TopicFilter} or {@code Topic} it came from. */
    final byte[] key;

    KeyedNode(byte[] key) {
        this.key = key;
    }

    final boolean hasKey(byte[] bytes, int from, int to) {
        return Arrays.equals(key, 0, key.length, bytes, from, to);
    }
}

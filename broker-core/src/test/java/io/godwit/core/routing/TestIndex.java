package io.godwit.core.routing;

import io.godwit.core.packet.KeyedHash;
import java.util.SplittableRandom;

/** Indexes for the tests of this package. */
final class TestIndex {
    private TestIndex() {}

    static TopicIndex empty() {
        return new TopicIndex(hash(1), FilterListener.NONE);
    }

    static KeyedHash hash(long seed) {
        return new KeyedHash(new SplittableRandom(seed));
    }
}

package io.godwit.cluster.routes;

import io.godwit.core.message.Digest;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.GroupState;

/** Filters and what there is of each, in 128 bits, the same for the same on every node. */
final class FilterDigest {
    private final Digest digest = new Digest();

    void add(TopicFilter filter, GroupState state) {
        digest.add(hash(filter, state), filter.length(), Digest.IDLE, 0);
    }

    void remove(TopicFilter filter, GroupState state) {
        digest.remove(hash(filter, state), filter.length(), Digest.IDLE, 0);
    }

    Digest value() {
        return digest;
    }

    private static long hash(TopicFilter filter, GroupState state) {
        long hash = 0xCBF2_9CE4_8422_2325L;
        hash ^= Integer.MAX_VALUE - state.packetBytesMax() | (state.isTransient() ? 1L << 32 : 0);
        for (byte each : filter.bytes()) {
            hash = (hash ^ each) * 0x100_0000_01B3L;
        }
        return hash;
    }
}

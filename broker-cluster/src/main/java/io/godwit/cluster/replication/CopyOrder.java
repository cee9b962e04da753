package io.godwit.cluster.replication;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * Puts other nodes into an order for each copy set of a node, by rendezvous hashing: the first ones
 * are its preferred followers. The same on every node.
 */
final class CopyOrder {
    private CopyOrder() {}

    /**
     * @param leader server id of the node whose copy set it is
     * @param others server ids, in any order
     */
    static List<Integer> order(int leader, int copySet, Collection<Integer> others) {
        long of = (long) leader << 8 | copySet;
        return others.stream()
                .sorted(
                        Comparator.comparingLong((Integer other) -> ~mix(mix(of) ^ other))
                                .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /** Spreads every bit over all others (the finaliser of SplittableRandom). */
    private static long mix(long value) {
        long z = value + 0x9E37_79B9_7F4A_7C15L;
        z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }
}

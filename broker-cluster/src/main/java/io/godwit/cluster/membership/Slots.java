package io.godwit.cluster.membership;

import io.godwit.core.packet.ClientId;
import java.util.Collection;

/**
 * Puts the members into an order for each slot, by rendezvous hashing: the first live one is the
 * slot's preferred leader. A member that comes or goes changes the place of no other. The same on
 * every node that knows the same members.
 */
public final class Slots {
    public static final int COUNT = ClientId.SLOTS;

    private final int[] servers;
    private final int[][] orders = new int[COUNT][];

    /**
     * @param servers those that have slots
     */
    public Slots(Collection<Integer> servers) {
        this.servers = servers.stream().mapToInt(Integer::intValue).sorted().toArray();
        for (int slot = 0; slot < COUNT; slot++) {
            orders[slot] = orderOf(slot);
        }
    }

    /** The slot of a client id, 0..4095. */
    public static int of(ClientId clientId) {
        return clientId.slot();
    }

    /** All members in the slot's order; not to be changed. */
    public int[] order(int slot) {
        return orders[slot];
    }

    private int[] orderOf(int slot) {
        int[] order = servers.clone();
        long[] weights = new long[order.length];
        for (int i = 0; i < order.length; i++) {
            int server = order[i];
            long weight = mix((long) slot << 24 | server);
            int at = i;
            // Few members, so by insertion; equal weights keep the order of server ids.
            while (at > 0 && Long.compareUnsigned(weights[at - 1], weight) < 0) {
                weights[at] = weights[at - 1];
                order[at] = order[at - 1];
                at--;
            }
            weights[at] = weight;
            order[at] = server;
        }
        return order;
    }

    /** Spreads every bit over all others (the finaliser of SplittableRandom). */
    private static long mix(long value) {
        long z = value + 0x9E37_79B9_7F4A_7C15L;
        z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }
}

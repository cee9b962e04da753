package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.TakenBack;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Will;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Remembers who was told the registered connections of one shard: the leader of each slot, or its
 * stand-in.
 */
final class ToldLeaders {
    /** Connections in one message, about; with them a batch stays small. */
    private static final int REGISTRATIONS_MAX = 500;

    /** Bytes of Wills in one message, about; those of one slot stay together. */
    private static final long WILL_BYTES_MAX = 256 << 10;

    /** Takes a message for a leader, or for a stand-in. */
    interface Sink {
        void send(Leader to, RegistrationMessage message);
    }

    private final int shard;
    private final int shards;
    private final Sink sink;
    private final @Nullable Leader[] known = new Leader[ClientId.SLOTS];
    private final BitSet untold = new BitSet(ClientId.SLOTS);

    /**
     * @param shard of the connections
     */
    ToldLeaders(int shard, int shards, Sink sink) {
        this.shard = shard;
        this.shards = shards;
        this.sink = sink;
    }

    /** The leader that was told, and is told what changes; null: none. */
    @Nullable Leader leader(int slot) {
        return untold.get(slot) ? null : known[slot];
    }

    /** Returns the leader of a slot, which was told or is to be. */
    Leader known(int slot) {
        return Objects.requireNonNull(known[slot]);
    }

    /**
     * Notes new leaders; stand-ins that are none any more are told so.
     *
     * @return those of the slots whose leader is another one, or leads under another epoch
     */
    BitSet changed(BitSet slots, IntFunction<@Nullable Leader> leaders) {
        BitSet news = new BitSet(ClientId.SLOTS);
        Map<Leader, List<Integer>> former = new LinkedHashMap<>();
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            Leader now = leaders.apply(slot);
            if (!Objects.equals(now, known[slot])) {
                Leader before = leader(slot);
                if (before != null && before.standsIn()) {
                    former.computeIfAbsent(before, any -> new ArrayList<>()).add(slot);
                }
                known[slot] = now;
                untold.set(slot, now != null);
                news.set(slot);
            }
        }
        former.forEach((standIn, of) ->
                sink.send(standIn, new TakenBack(shard, shards, standIn.changes(), of)));
        return news;
    }

    /** Has the leader of a slot told of all connections once more. */
    void tellAgain(int slot) {
        untold.set(slot, known[slot] != null);
    }

    /** Returns the nodes that lead slots and were not told. */
    Set<NodeStart> untoldLeaders() {
        Set<NodeStart> nodes = new LinkedHashSet<>();
        for (int slot = untold.nextSetBit(0); slot >= 0; slot = untold.nextSetBit(slot + 1)) {
            nodes.add(known(slot).node());
        }
        return nodes;
    }

    /**
     * Tells a node of all connections in the slots that it leads and was not told of, also of slots
     * without any: it waits for that.
     *
     * @param connections finds those of slots, by slot
     * @return the slots that it was told of now
     */
    BitSet tell(NodeStart node, Function<BitSet, Map<Integer, List<Registration>>> connections) {
        BitSet slots = untoldSlots(node);
        if (!slots.isEmpty()) {
            tell(slots, connections.apply(slots));
            untold.andNot(slots);
        }
        return slots;
    }

    /**
     * Tells who leads some slots of connections.
     *
     * @param slots of one node, at least one
     */
    private void tell(BitSet slots, Map<Integer, List<Registration>> bySlot) {
        Leader leader = known(slots.nextSetBit(0));
        List<Integer> told = new ArrayList<>();
        List<Registration> all = new ArrayList<>();
        long willBytes = 0;
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            Leader now = known(slot);
            boolean isFull = all.size() >= REGISTRATIONS_MAX || willBytes >= WILL_BYTES_MAX;
            if (!told.isEmpty() && (!now.equals(leader) || isFull)) {
                send(leader, told, all);
                told = new ArrayList<>();
                all = new ArrayList<>();
                willBytes = 0;
            }
            leader = now;
            told.add(slot);
            for (Registration each : bySlot.getOrDefault(slot, List.of())) {
                all.add(each);
                Will will = each.will();
                willBytes += will == null ? 0 : will.accountedBytes();
            }
        }
        send(leader, told, all);
    }

    private void send(Leader leader, List<Integer> slots, List<Registration> all) {
        sink.send(leader, new Registered(shard, shards, leader.changes(), slots, all));
    }

    private BitSet untoldSlots(NodeStart leader) {
        BitSet slots = new BitSet(ClientId.SLOTS);
        for (int slot = untold.nextSetBit(0); slot >= 0; slot = untold.nextSetBit(slot + 1)) {
            if (known(slot).node().equals(leader)) {
                slots.set(slot);
            }
        }
        return slots;
    }
}

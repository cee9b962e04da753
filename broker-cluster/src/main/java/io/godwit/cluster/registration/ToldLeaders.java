package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Remembers which leader of each slot was told the registered connections of one shard. */
final class ToldLeaders {
    /** Connections in one message, about; with them a batch stays small. */
    private static final int REGISTRATIONS_MAX = 500;

    private final @Nullable Leader[] known = new Leader[ClientId.SLOTS];
    private final BitSet untold = new BitSet(ClientId.SLOTS);

    /** Decides which connections a leader is told of. */
    interface Choice {
        boolean isTold(NodeStart leader, EdgeStay stay);
    }

    /** The leader that was told, and is told what changes; null: none. */
    @Nullable Leader leader(int slot) {
        return untold.get(slot) ? null : known[slot];
    }

    /**
     * Notes new leaders.
     *
     * @return those of the slots whose leader is another one, or leads under another epoch
     */
    BitSet changed(BitSet slots, Leaders leaders) {
        BitSet news = new BitSet(ClientId.SLOTS);
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            Leader now = leaders.leader(slot);
            if (!Objects.equals(now, known[slot])) {
                known[slot] = now;
                untold.set(slot, now != null);
                news.set(slot);
            }
        }
        return news;
    }

    /** Returns the nodes that lead slots and were not told. */
    Set<NodeStart> untoldLeaders() {
        Set<NodeStart> nodes = new LinkedHashSet<>();
        for (int slot = untold.nextSetBit(0); slot >= 0; slot = untold.nextSetBit(slot + 1)) {
            nodes.add(Objects.requireNonNull(known[slot]).node());
        }
        return nodes;
    }

    /**
     * Tells a node of all connections in the slots that it leads and was not told of, also of slots
     * without any: it waits for that.
     *
     * @param shard of the connections
     */
    void tell(
            NodeStart leader,
            int shard,
            int shards,
            Choice choice,
            Iterable<EdgeStay> stays,
            BiConsumer<NodeStart, RegistrationMessage> to) {
        BitSet slots = untoldSlots(leader);
        if (slots.isEmpty()) {
            return;
        }
        Map<Integer, List<Registration>> bySlot = new HashMap<>();
        for (EdgeStay each : stays) {
            int slot = each.clientId.slot();
            if (slots.get(slot) && choice.isTold(leader, each)) {
                bySlot.computeIfAbsent(slot, any -> new ArrayList<>())
                        .add(new Registration(each.clientId, each.number));
            }
        }
        long changes = -1;
        List<Integer> told = new ArrayList<>();
        List<Registration> all = new ArrayList<>();
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            long now = Objects.requireNonNull(known[slot]).changes();
            if (!told.isEmpty() && (now != changes || all.size() >= REGISTRATIONS_MAX)) {
                to.accept(leader, new Registered(shard, shards, changes, told, all));
                told = new ArrayList<>();
                all = new ArrayList<>();
            }
            changes = now;
            told.add(slot);
            all.addAll(bySlot.getOrDefault(slot, List.of()));
        }
        to.accept(leader, new Registered(shard, shards, changes, told, all));
        untold.andNot(slots);
    }

    private BitSet untoldSlots(NodeStart leader) {
        BitSet slots = new BitSet(ClientId.SLOTS);
        for (int slot = untold.nextSetBit(0); slot >= 0; slot = untold.nextSetBit(slot + 1)) {
            if (Objects.requireNonNull(known[slot]).node().equals(leader)) {
                slots.set(slot);
            }
        }
        return slots;
    }
}

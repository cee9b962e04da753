package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.core.packet.ClientId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** What an anchor knows, by slot and client id. */
final class GrantEntries {
    /** Bytes of an entry with one fact and without its client id; measured, rounded up. */
    private static final long ENTRY_BYTES = 300;

    /** By slot; null = none. */
    private final @Nullable Map<ClientId, GrantEntry>[] bySlot;

    /** By server id: slots in which what a node has that is forgotten is still known. */
    private final Map<Integer, BitSet> forgetting = new HashMap<>(0);

    private final LongConsumer account;

    /**
     * @param account told by how many bytes what is here has changed
     */
    @SuppressWarnings("unchecked")
    GrantEntries(LongConsumer account) {
        this.account = account;
        bySlot = (Map<ClientId, GrantEntry>[]) new Map<?, ?>[Slots.COUNT];
    }

    /** A copy. */
    List<ClientId> clientIds(int slot) {
        forgetIn(slot);
        Map<ClientId, GrantEntry> in = bySlot[slot];
        return in == null ? List.of() : List.copyOf(in.keySet());
    }

    /** Makes an empty one where there is none. */
    GrantEntry of(ClientId clientId) {
        int slot = Slots.of(clientId);
        forgetIn(slot);
        Map<ClientId, GrantEntry> in = bySlot[slot];
        if (in == null) {
            in = new LinkedHashMap<>(4);
            bySlot[slot] = in;
        }
        GrantEntry known = in.get(clientId);
        if (known == null) {
            known = new GrantEntry();
            in.put(clientId, known);
            account.accept(bytes(clientId));
        }
        return known;
    }

    private static long bytes(ClientId clientId) {
        return ENTRY_BYTES + clientId.length();
    }

    /** Forgets one that knows nothing. */
    void tidy(ClientId clientId) {
        int slot = Slots.of(clientId);
        Map<ClientId, GrantEntry> in = bySlot[slot];
        GrantEntry entry = in == null ? null : in.get(clientId);
        if (in != null && entry != null && entry.isEmpty()) {
            in.remove(clientId);
            account.accept(-bytes(clientId));
            if (in.isEmpty()) {
                bySlot[slot] = null;
            }
        }
    }

    /**
     * What a node has, and wants, is forgotten: in each slot before anybody looks at it the next
     * time, since all of them may be many.
     */
    void forget(int server) {
        BitSet all = new BitSet(Slots.COUNT);
        all.set(0, Slots.COUNT);
        forgetting.put(server, all);
    }

    private void forgetIn(int slot) {
        if (!forgetting.isEmpty()) {
            forgetting.forEach((server, slots) -> {
                if (slots.get(slot)) {
                    slots.clear(slot);
                    forget(slot, server);
                }
            });
            forgetting.values().removeIf(BitSet::isEmpty);
        }
    }

    private void forget(int slot, int server) {
        Map<ClientId, GrantEntry> in = bySlot[slot];
        if (in != null) {
            for (Map.Entry<ClientId, GrantEntry> each : List.copyOf(in.entrySet())) {
                each.getValue().forget(server);
                tidy(each.getKey());
            }
        }
    }

    /** Durable sessions of a node in some slots. */
    long homesAt(int server, IntPredicate slots) {
        long count = 0;
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            forgetIn(slot);
            Map<ClientId, GrantEntry> in = bySlot[slot];
            if (in != null && slots.test(slot)) {
                count += in.values().stream().filter(each -> each.isHome(server)).count();
            }
        }
        return count;
    }

    /** How many client ids are known in a slot. */
    int size(int slot) {
        Map<ClientId, GrantEntry> in = bySlot[slot];
        return in == null ? 0 : in.size();
    }

    int size() {
        int size = 0;
        for (Map<ClientId, GrantEntry> in : bySlot) {
            size += in == null ? 0 : in.size();
        }
        return size;
    }
}

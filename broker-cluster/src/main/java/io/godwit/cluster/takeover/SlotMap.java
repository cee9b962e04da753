package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.core.packet.ClientId;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Something of each client id, by slot, so that what an anchor has to know is found slot by slot: a
 * view changes many of them at once, and to look through everything for each takes seconds.
 */
final class SlotMap<V> {
    /** Null where there is none. */
    private final @Nullable Map<ClientId, V>[] slots;

    private int size;

    @SuppressWarnings("unchecked")
    SlotMap() {
        slots = (Map<ClientId, V>[]) new Map<?, ?>[Slots.COUNT];
    }

    boolean isEmpty() {
        return size == 0;
    }

    @Nullable V get(ClientId clientId) {
        return inSlot(Slots.of(clientId)).get(clientId);
    }

    /** Not to be changed. */
    Map<ClientId, V> inSlot(int slot) {
        Map<ClientId, V> in = slots[slot];
        return in == null ? Map.of() : in;
    }

    /** A copy. */
    Set<ClientId> clientIds() {
        Set<ClientId> all = new LinkedHashSet<>(size * 2);
        forEach((clientId, value) -> all.add(clientId));
        return all;
    }

    void forEach(BiConsumer<ClientId, V> task) {
        for (Map<ClientId, V> each : slots) {
            if (each != null) {
                each.forEach(task);
            }
        }
    }

    void put(ClientId clientId, V value) {
        int slot = Slots.of(clientId);
        Map<ClientId, V> in = slots[slot];
        if (in == null) {
            in = new HashMap<>(4);
            slots[slot] = in;
        }
        if (in.put(clientId, value) == null) {
            size++;
        }
    }

    /**
     * @return what was there
     */
    @Nullable V remove(ClientId clientId) {
        int slot = Slots.of(clientId);
        Map<ClientId, V> in = slots[slot];
        if (in == null) {
            return null;
        }
        V gone = in.remove(clientId);
        if (gone != null) {
            size--;
        }
        if (in.isEmpty()) {
            slots[slot] = null;
        }
        return gone;
    }
}

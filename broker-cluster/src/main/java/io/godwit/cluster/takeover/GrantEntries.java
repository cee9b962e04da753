package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.core.packet.ClientId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** What an anchor knows, by slot and client id. */
final class GrantEntries {
    /** By slot; null = none. */
    private final @Nullable Map<ClientId, GrantEntry>[] bySlot;

    @SuppressWarnings("unchecked")
    GrantEntries() {
        bySlot = (Map<ClientId, GrantEntry>[]) new Map<?, ?>[Slots.COUNT];
    }

    /** A copy. */
    List<ClientId> clientIds(int slot) {
        Map<ClientId, GrantEntry> in = bySlot[slot];
        return in == null ? List.of() : List.copyOf(in.keySet());
    }

    /** Makes an empty one where there is none. */
    GrantEntry of(ClientId clientId) {
        int slot = Slots.of(clientId);
        Map<ClientId, GrantEntry> in = bySlot[slot];
        if (in == null) {
            in = new LinkedHashMap<>(4);
            bySlot[slot] = in;
        }
        return in.computeIfAbsent(clientId, id -> new GrantEntry());
    }

    /** Forgets one that knows nothing. */
    void tidy(ClientId clientId) {
        int slot = Slots.of(clientId);
        Map<ClientId, GrantEntry> in = bySlot[slot];
        GrantEntry entry = in == null ? null : in.get(clientId);
        if (in != null && entry != null && entry.isEmpty()) {
            in.remove(clientId);
            if (in.isEmpty()) {
                bySlot[slot] = null;
            }
        }
    }

    /** What a node has, and wants, is forgotten. */
    void forget(int server) {
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            for (ClientId each : clientIds(slot)) {
                of(each).forget(server);
                tidy(each);
            }
        }
    }

    /** Durable sessions of a node in some slots. */
    long homesAt(int server, IntPredicate slots) {
        long count = 0;
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            Map<ClientId, GrantEntry> in = bySlot[slot];
            if (in != null && slots.test(slot)) {
                count += in.values().stream().filter(each -> each.isHome(server)).count();
            }
        }
        return count;
    }

    int size() {
        int size = 0;
        for (Map<ClientId, GrantEntry> in : bySlot) {
            size += in == null ? 0 : in.size();
        }
        return size;
    }
}

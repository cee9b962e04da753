package io.godwit.cluster.registration;

import io.godwit.core.packet.ClientId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Remembers which client ids a shard has granted in the place of leaders that are out of reach,
 * until each leader is told: its durable sessions of them are over.
 */
final class GrantedIds {
    /** Bytes of a client id beside its text, with its place in the table; rounded up. */
    static final int ID_BYTES = 100;

    private final RegistrationAccount account;
    private final Map<Integer, Set<ClientId>> bySlot = new HashMap<>();

    GrantedIds(RegistrationAccount account) {
        this.account = account;
    }

    /** Counts the client ids. */
    int size() {
        return bySlot.values().stream().mapToInt(Set::size).sum();
    }

    /** Whether a client id is remembered, or there is room to remember it. */
    boolean mayAdd(ClientId clientId) {
        Set<ClientId> ids = bySlot.get(clientId.slot());
        return ids != null && ids.contains(clientId) || account.mayRegister(bytes(clientId));
    }

    void add(ClientId clientId) {
        if (bySlot.computeIfAbsent(clientId.slot(), any -> new HashSet<>(4)).add(clientId)) {
            account.registered(bytes(clientId));
        }
    }

    /** Forgets the client ids of a slot, and returns them. */
    List<ClientId> take(int slot) {
        Set<ClientId> ids = bySlot.remove(slot);
        if (ids == null) {
            return List.of();
        }
        ids.forEach(each -> account.registered(-bytes(each)));
        return List.copyOf(ids);
    }

    private static long bytes(ClientId clientId) {
        return (long) ID_BYTES + clientId.length();
    }
}

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

    private static final class OfSlot {
        /** The epoch of the leader that was out of reach, as the slot's number of changes. */
        final long changes;

        final Set<ClientId> ids = new HashSet<>(4);

        OfSlot(long changes) {
            this.changes = changes;
        }
    }

    private final RegistrationAccount account;
    private final Map<Integer, OfSlot> bySlot = new HashMap<>();

    GrantedIds(RegistrationAccount account) {
        this.account = account;
    }

    /** Whether a client id is remembered, or there is room to remember it. */
    boolean mayAdd(ClientId clientId) {
        OfSlot of = bySlot.get(clientId.slot());
        return of != null && of.ids.contains(clientId) || account.mayRegister(bytes(clientId));
    }

    /**
     * Remembers a client id. Those of an earlier epoch are forgotten: under this one the leader may
     * have got newer sessions of them.
     *
     * @param changes the epoch of the leader that is out of reach
     */
    void add(ClientId clientId, long changes) {
        int slot = clientId.slot();
        OfSlot before = bySlot.get(slot);
        if (before != null && before.changes != changes) {
            forget(slot);
        }
        if (bySlot.computeIfAbsent(slot, any -> new OfSlot(changes)).ids.add(clientId)) {
            account.registered(bytes(clientId));
        }
    }

    /**
     * Forgets the client ids of a slot, and returns those whose sessions end at the leader.
     *
     * @param changes the epoch of the leader that is told. Under any but the next one there may be
     *     newer sessions
     */
    List<ClientId> take(int slot, long changes) {
        OfSlot of = bySlot.get(slot);
        forget(slot);
        return of == null || changes > of.changes + 1 ? List.of() : List.copyOf(of.ids);
    }

    void forget(int slot) {
        OfSlot of = bySlot.remove(slot);
        if (of != null) {
            of.ids.forEach(each -> account.registered(-bytes(each)));
        }
    }

    private static long bytes(ClientId clientId) {
        return (long) ID_BYTES + clientId.length();
    }
}

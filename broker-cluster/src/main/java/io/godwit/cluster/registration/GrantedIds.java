package io.godwit.cluster.registration;

import io.godwit.core.packet.ClientId;
import io.godwit.core.takeover.ClaimingUser;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which client ids a shard has granted in the place of leaders that are out of reach, and
 * when, until each leader is told: its older durable sessions of them are over.
 */
final class GrantedIds {
    /** Bytes of a client id beside its text, with stamp and place in the table; rounded up. */
    static final int ID_BYTES = 160;

    /**
     * A client id and whom it was granted to.
     *
     * @param by null: sessions are anyone's
     */
    record Id(ClientId clientId, @Nullable ClaimingUser by) {
        private long bytes() {
            return ID_BYTES + clientId.length() + RegistryEntries.bytes(null, by);
        }
    }

    private final RegistrationAccount account;
    private final Map<Integer, Map<Id, Long>> bySlot = new HashMap<>();

    GrantedIds(RegistrationAccount account) {
        this.account = account;
    }

    /** Whether a client id is remembered, or there is room to remember it. */
    boolean mayAdd(Id id) {
        return bySlot.getOrDefault(id.clientId.slot(), Map.of()).containsKey(id)
                || account.mayRegister(id.bytes());
    }

    /**
     * Remembers a client id; only its last grant to each user counts.
     *
     * @param grantedAt clock of the grant's stamp
     */
    void add(Id id, long grantedAt) {
        Map<Id, Long> ids =
                bySlot.computeIfAbsent(id.clientId.slot(), any -> HashMap.newHashMap(4));
        if (ids.put(id, grantedAt) == null) {
            account.registered(id.bytes());
        }
    }

    /** Forgets the client ids of a slot. Returns them with the clocks of their stamps. */
    Map<Id, Long> take(int slot) {
        Map<Id, Long> ids = bySlot.remove(slot);
        if (ids == null) {
            return Map.of();
        }
        ids.keySet().forEach(each -> account.registered(-each.bytes()));
        return ids;
    }
}

package io.godwit.cluster.registration;

import io.godwit.core.packet.ClientId;
import java.util.HashMap;
import java.util.Map;

/**
 * Remembers which client ids a shard has granted in the place of leaders that are out of reach, and
 * when, until each leader is told: its older durable sessions of them are over.
 */
final class GrantedIds {
    /** Bytes of a client id beside its text, with stamp and place in the table; rounded up. */
    static final int ID_BYTES = 130;

    private final RegistrationAccount account;
    private final Map<Integer, Map<ClientId, Long>> bySlot = new HashMap<>();

    GrantedIds(RegistrationAccount account) {
        this.account = account;
    }

    /** Whether a client id is remembered, or there is room to remember it. */
    boolean mayAdd(ClientId clientId) {
        return bySlot.getOrDefault(clientId.slot(), Map.of()).containsKey(clientId)
                || account.mayRegister(bytes(clientId));
    }

    /**
     * Remembers a client id; only its last grant counts.
     *
     * @param grantedAt clock of the grant's stamp
     */
    void add(ClientId clientId, long grantedAt) {
        Map<ClientId, Long> ids =
                bySlot.computeIfAbsent(clientId.slot(), any -> HashMap.newHashMap(4));
        if (ids.put(clientId, grantedAt) == null) {
            account.registered(bytes(clientId));
        }
    }

    /** Forgets the client ids of a slot. Returns them with the clocks of their stamps. */
    Map<ClientId, Long> take(int slot) {
        Map<ClientId, Long> ids = bySlot.remove(slot);
        if (ids == null) {
            return Map.of();
        }
        ids.keySet().forEach(each -> account.registered(-bytes(each)));
        return ids;
    }

    private static long bytes(ClientId clientId) {
        return (long) ID_BYTES + clientId.length();
    }
}

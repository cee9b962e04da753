package io.godwit.cluster.registration;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Will;
import io.godwit.core.takeover.ClaimingUser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The entries of a {@link LeaderRegistry}, charged to the account for as long as they are here. */
final class RegistryEntries {
    /** Bytes of an entry beside the text of its client id; measured, rounded up. */
    static final long ENTRY_BYTES = 150;

    /** Bytes of each further connection of an entry, with the list of them. */
    private static final long HOLDER_BYTES = 80;

    /** Bytes that an entry's claims take beside the claims themselves; measured, rounded up. */
    private static final long CLAIMS_BYTES = 260;

    private static final long CLAIM_BYTES = 40;

    private final Map<ClientId, RegistryEntry> all = new HashMap<>();

    /** The claims of entries that have some, in the order in which they got them. */
    private final Map<ClientId, EntryClaims> claimed = new LinkedHashMap<>();

    private final RegistrationAccount account;

    RegistryEntries(RegistrationAccount account) {
        this.account = account;
    }

    int size() {
        return all.size();
    }

    int claimed() {
        return claimed.size();
    }

    @Nullable RegistryEntry get(ClientId clientId) {
        return all.get(clientId);
    }

    /** Whether the node has room for an entry of this client id, with claims. */
    boolean mayAdd(ClientId clientId, @Nullable Will will, @Nullable ClaimingUser by) {
        return account.mayRegister(bytes(clientId) + CLAIMS_BYTES + CLAIM_BYTES + bytes(will, by));
    }

    /** Bytes that a connection's will and the name of its user take. */
    static long bytes(@Nullable Will will, @Nullable ClaimingUser by) {
        return (will == null ? 0 : will.accountedBytes()) + (by == null ? 0 : by.accountedBytes());
    }

    /** Returns the entry of a client id; a new one if there is none. */
    RegistryEntry entry(ClientId clientId) {
        RegistryEntry found = all.get(clientId);
        if (found != null) {
            return found;
        }
        RegistryEntry made = new RegistryEntry();
        all.put(clientId, made);
        account.registered(bytes(clientId));
        return made;
    }

    private static long bytes(ClientId clientId) {
        return ENTRY_BYTES + clientId.length();
    }

    private static long bytes(RegistryEntry entry) {
        return HOLDER_BYTES * entry.others() + entry.bytes();
    }

    void remove(ClientId clientId) {
        RegistryEntry removed = all.remove(clientId);
        if (removed != null) {
            account.registered(-bytes(clientId) - bytes(removed));
        }
    }

    /** Removes the entries of some client ids, which have no claims. */
    void removeAll(Predicate<ClientId> which) {
        all.entrySet()
                .removeIf(each -> {
                    boolean isRemoved = which.test(each.getKey());
                    if (isRemoved) {
                        account.registered(-bytes(each.getKey()) - bytes(each.getValue()));
                    }
                    return isRemoved;
                });
    }

    // ---------------------------------------------------------------- connections of an entry

    void add(
            RegistryEntry entry,
            NodeStart edge,
            long number,
            @Nullable Will will,
            @Nullable ClaimingUser by) {
        change(entry, each -> each.add(edge, number, will, by == null ? null : by.name()));
    }

    /** Makes a connection nobody's: it is to end, and keeps no user from the client id. */
    void disown(ClientId clientId, NodeStart edge, long number) {
        RegistryEntry entry = all.get(clientId);
        if (entry != null) {
            change(entry, each -> each.disown(edge, number));
        }
    }

    void remove(RegistryEntry entry, NodeStart edge, long number) {
        change(entry, each -> each.remove(edge, number));
    }

    /** Removes the connections of an entry that are at some nodes. */
    void removeAt(RegistryEntry entry, Predicate<NodeStart> nodes) {
        change(entry, each -> each.removeAt(nodes));
    }

    /** Takes the will of a connection away from it. Returns it; null: it has none. */
    @Nullable Will takeWill(RegistryEntry entry, NodeStart edge, long number) {
        @Nullable Will[] taken = new Will[1];
        change(entry, each -> taken[0] = each.takeWill(edge, number));
        return taken[0];
    }

    /** Takes the wills of the connections of an entry that are at a node. */
    List<Will> takeWillsAt(RegistryEntry entry, NodeStart node) {
        List<Long> numbers = new ArrayList<>(1);
        entry.forEachHolder((edge, number) -> {
            if (edge.equals(node)) {
                numbers.add(number);
            }
        });
        List<Will> wills = new ArrayList<>(1);
        for (long each : numbers) {
            Will will = takeWill(entry, node, each);
            if (will != null) {
                wills.add(will);
            }
        }
        return wills;
    }

    /** Finds the client ids with connections at a node that have wills. */
    List<ClientId> withWillsAt(NodeStart node) {
        return withWillsAt(node::equals);
    }

    /** Finds the client ids with connections at some nodes that have wills. */
    List<ClientId> withWillsAt(Predicate<NodeStart> nodes) {
        List<ClientId> found = new ArrayList<>();
        all.forEach((clientId, entry) -> {
            if (entry.hasWillAt(nodes)) {
                found.add(clientId);
            }
        });
        return found;
    }

    private void change(RegistryEntry entry, Consumer<RegistryEntry> how) {
        long before = bytes(entry);
        how.accept(entry);
        long change = bytes(entry) - before;
        if (change != 0) {
            account.registered(change);
        }
    }

    /** Removes all connections at a node, and the entries that have nothing else. */
    void removeAllAt(NodeStart node) {
        all.values().forEach(each -> removeAt(each, node::equals));
        removeAll(each -> {
            RegistryEntry entry = all.get(each);
            return entry != null && entry.claims == null && !entry.hasHolder();
        });
    }

    /** Removes the connections at a shard of a node, and the entries that have nothing else. */
    void removeAllOf(Predicate<ClientId> which, NodeStart node, int shard, int shards) {
        removeAll(clientId -> {
            RegistryEntry entry = all.get(clientId);
            if (entry == null || !which.test(clientId)) {
                return false;
            }
            change(entry, each -> each.removeOf(node, shard, shards));
            return entry.claims == null && !entry.hasHolder();
        });
    }

    // ---------------------------------------------------------------- claims of an entry

    /** Adds claims to their entry. */
    void begin(EntryClaims claims) {
        claims.entry.claims = claims;
        claimed.put(claims.clientId, claims);
    }

    /** Charges claims that have grown; they are charged with the most they were until they end. */
    void charge(EntryClaims claims) {
        long bytes = CLAIMS_BYTES + CLAIM_BYTES * claims.size() + claims.bytes();
        if (bytes > claims.charged) {
            account.registered(bytes - claims.charged);
            claims.charged = bytes;
        }
    }

    /** Removes claims from their entry. */
    void end(EntryClaims claims) {
        if (claimed.remove(claims.clientId, claims)) {
            claims.entry.claims = null;
            account.registered(-claims.charged);
            claims.charged = 0;
        }
    }

    @Nullable EntryClaims claims(ClientId clientId) {
        return claimed.get(clientId);
    }

    /** Returns all claims there are now; they may be changed meanwhile. */
    List<EntryClaims> allClaims() {
        return List.copyOf(claimed.values());
    }
}

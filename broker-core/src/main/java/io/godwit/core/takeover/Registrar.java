package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Knows the holder of each client id, for the ids that hash to its shard. Every CONNECT, hand-over
 * and removal of a client id passes through here in order, so two CONNECTs at one moment are two
 * entries of one queue.
 *
 * <pre>
 * holder     trigger                                next
 * unknown    claim                                  unknown (granted without a session), busy
 * here       claim                                  here (its owner is asked to give it up), busy
 * any, busy  claim                                  the same (the claim waits)
 * any, busy  a waiting claim's connection ends      the same (without that claim)
 * any, busy  settled by claimant                    here or unknown; the next claim begins
 * here       removed                                unknown
 * </pre>
 *
 * <p>It knows the sessions of this node alone.
 */
public final class Registrar {
    private final int shard;
    private final Rules rules;
    private final Grants grants;

    /** By slot; empty where no client id was ever known. */
    private final List<Map<ClientId, Entry>> entries =
            new ArrayList<>(Collections.nCopies(ClientId.SLOTS, Map.of()));

    private int size;

    /**
     * By slot: client ids with a session that outlives its connection, or with a claim under way.
     */
    private final int[] inUse = new int[ClientId.SLOTS];

    private static final class Entry {
        Holder holder = Holder.UNKNOWN;

        /** Whether a claim is under way. */
        boolean busy;

        /** Whether it counts in its slot's use. */
        boolean isCounted;

        @Nullable ArrayDeque<Claim> waiting;
    }

    Registrar(int shard, Rules rules, Grants grants) {
        this.shard = shard;
        this.rules = rules;
        this.grants = grants;
    }

    /** Index of the shard whose registrar knows this client id. */
    public static int shardOf(ClientId clientId, int shards) {
        return clientId.slot() % shards;
    }

    /** Index of this registrar's shard. */
    public int shard() {
        return shard;
    }

    public int size() {
        return size;
    }

    /** The session of this node that has the client id, or null. */
    public @Nullable Session find(ClientId clientId) {
        return holder(clientId) instanceof Holder.Here here ? here.session() : null;
    }

    private @Nullable Entry entry(ClientId clientId) {
        return entries.get(clientId.slot()).get(clientId);
    }

    private Entry entryOrNew(ClientId clientId) {
        int slot = clientId.slot();
        if (entries.get(slot).isEmpty()) {
            entries.set(slot, new HashMap<>());
        }
        return entries.get(slot)
                .computeIfAbsent(
                        clientId,
                        id -> {
                            size++;
                            return new Entry();
                        });
    }

    Holder holder(ClientId clientId) {
        Entry entry = entry(clientId);
        return entry == null ? Holder.UNKNOWN : entry.holder;
    }

    /** Whether a claim of a client id is under way. */
    public boolean isClaimed(ClientId clientId) {
        Entry entry = entry(clientId);
        return entry != null && entry.busy;
    }

    /**
     * Takes up a session that was kept, at start, or that this node adopts. It takes the place of
     * another one that has the client id; no claim of it is under way.
     */
    public void recovered(Session session) {
        Entry entry = entryOrNew(session.clientId());
        entry.holder = Holder.Here.of(session);
        count(session.clientId(), entry);
    }

    void claim(Claim claim) {
        Entry entry = entryOrNew(claim.clientId());
        if (entry.busy && rules.holds(Rule.REGISTRAR)) {
            if (entry.waiting == null) {
                entry.waiting = new ArrayDeque<>(2);
            }
            entry.waiting.add(claim);
            return;
        }
        begin(entry, claim);
    }

    private void count(ClientId clientId, Entry entry) {
        boolean counts = entry.busy || entry.holder instanceof Holder.Here here && here.outlives();
        if (counts != entry.isCounted) {
            entry.isCounted = counts;
            inUse[clientId.slot()] += counts ? 1 : -1;
        }
    }

    private void remove(ClientId clientId, Entry entry) {
        entries.get(clientId.slot()).remove(clientId);
        size--;
        entry.busy = false;
        entry.holder = Holder.UNKNOWN;
        count(clientId, entry);
    }

    /**
     * Notes that a claim's connection has ended: if it waits yet, it is not carried out. Else it
     * would end the session of a client that has connected again since.
     */
    void withdraw(ClientId clientId, Token token) {
        Entry entry = entry(clientId);
        if (entry == null || entry.waiting == null || !rules.holds(Rule.REGISTRAR)) {
            return;
        }
        for (Claim claim : entry.waiting) {
            if (claim.token().equals(token)) {
                entry.waiting.remove(claim);
                grants.withdrawn(claim);
                return;
            }
        }
    }

    private void begin(Entry entry, Claim claim) {
        entry.busy = true;
        count(claim.clientId(), entry);
        switch (entry.holder) {
            case Holder.Here here -> grants.recall(claim, here.session());
            case Holder.Unknown unknown -> grants.grant(claim);
        }
    }

    /**
     * Notes that a claim is done with.
     *
     * @param holder who has the client id now
     */
    void settled(ClientId clientId, Holder holder) {
        Entry entry = entry(clientId);
        if (entry == null) {
            return;
        }
        entry.busy = false;
        entry.holder = holder;
        Claim next = entry.waiting == null ? null : entry.waiting.poll();
        if (next != null) {
            begin(entry, next);
        } else if (holder instanceof Holder.Unknown) {
            remove(clientId, entry);
        } else {
            entry.waiting = null;
            count(clientId, entry);
        }
    }

    /** Notes that a session has ended; while a claim is under way its end says so. */
    void removed(Session session) {
        Entry entry = entry(session.clientId());
        if (entry != null
                && !entry.busy
                && entry.holder instanceof Holder.Here here
                && here.session().equals(session)) {
            remove(session.clientId(), entry);
        }
    }

    // ---------------------------------------------------------------- slots

    /**
     * Adds the slots that have sessions here which outlive their connections, or claims under way.
     *
     * @param to a bit for each slot
     */
    public void addSlotsInUse(BitSet to) {
        for (int slot = 0; slot < inUse.length; slot++) {
            if (inUse[slot] > 0) {
                to.set(slot);
            }
        }
    }

    /** Returns the sessions of some slots that outlive their connections. */
    public List<Session> sessionsIn(BitSet slots) {
        List<Session> found = new ArrayList<>();
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            for (Entry entry : entries.get(slot).values()) {
                if (entry.holder instanceof Holder.Here here && here.outlives()) {
                    found.add(here.session());
                }
            }
        }
        return found;
    }

    /**
     * Adds the client ids of one slot that have sessions here, in their order.
     *
     * @param after only those behind this one; null: all
     * @param max client ids that {@code to} has at most
     * @return false when there are more
     */
    public boolean addClientIds(int slot, @Nullable ClientId after, int max, List<ClientId> to) {
        List<ClientId> found = new ArrayList<>();
        entries.get(slot)
                .forEach((clientId, entry) -> {
                    if (entry.holder instanceof Holder.Here
                            && (after == null || clientId.compareTo(after) > 0)) {
                        found.add(clientId);
                    }
                });
        Collections.sort(found);
        int room = max - to.size();
        to.addAll(found.subList(0, Math.min(room, found.size())));
        return found.size() <= room;
    }
}

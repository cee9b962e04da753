package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.settings.Rule;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Knows who has which client id, for the ids that hash to its shard. Every CONNECT, hand-over and
 * removal of a client id passes through here in order, so two CONNECTs at one moment are two
 * entries of one queue.
 *
 * <pre>
 * entry       trigger               next
 * none        claim                 busy (granted without a session)
 * settled     claim                 busy (the owner is asked to release)
 * busy        claim                 busy (the claim waits)
 * busy        released by owner     busy (granted, with the session or without)
 * busy        settled by claimant   settled or none; the next claim begins
 * settled     removed               none
 * </pre>
 */
public final class Registrar {
    private final Takeover takeover;
    private final Map<ClientId, Entry> entries = new HashMap<>();

    private static final class Entry {
        @Nullable Session session;
        boolean busy;
        @Nullable ArrayDeque<Claim> waiting;
    }

    Registrar(Takeover takeover) {
        this.takeover = takeover;
    }

    /** Whose registrar knows this client id. */
    public static int shardOf(ClientId clientId, int shards) {
        return Math.floorMod(clientId.hashCode(), shards);
    }

    /** Index of the shard whose registrar it is. */
    public int shard() {
        return takeover.shard().index();
    }

    public int size() {
        return entries.size();
    }

    public @Nullable Session find(ClientId clientId) {
        Entry entry = entries.get(clientId);
        return entry == null ? null : entry.session;
    }

    /** At start: a session that was kept. */
    public void recovered(Session session) {
        Entry entry = new Entry();
        entry.session = session;
        entries.put(session.clientId(), entry);
    }

    void claim(Claim claim) {
        Entry entry = entries.computeIfAbsent(claim.clientId(), id -> new Entry());
        if (entry.busy && takeover.shard().rules().holds(Rule.REGISTRAR)) {
            if (entry.waiting == null) {
                entry.waiting = new ArrayDeque<>(2);
            }
            entry.waiting.add(claim);
            return;
        }
        begin(entry, claim);
    }

    private void begin(Entry entry, Claim claim) {
        entry.busy = true;
        Session session = entry.session;
        if (session == null) {
            takeover.grant(claim);
        } else {
            takeover.askToRelease(session, claim);
        }
    }

    void settled(ClientId clientId, @Nullable Session session) {
        Entry entry = entries.get(clientId);
        if (entry == null) {
            return;
        }
        entry.busy = false;
        entry.session = session;
        Claim next = entry.waiting == null ? null : entry.waiting.poll();
        if (next != null) {
            begin(entry, next);
        } else if (session == null) {
            entries.remove(clientId);
        } else {
            entry.waiting = null;
        }
    }

    void removed(Session session) {
        Entry entry = entries.get(session.clientId());
        if (entry != null && entry.session == session) {
            entry.session = null;
            if (!entry.busy) {
                entries.remove(session.clientId());
            }
        }
    }
}

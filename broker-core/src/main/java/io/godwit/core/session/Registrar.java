package io.godwit.core.session;

import io.godwit.core.packet.ClientId;
import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
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
final class Registrar {
    private final SessionShard shard;
    private final Map<ClientId, Entry> entries = new HashMap<>();

    private static final class Entry {
        @Nullable Session session;
        boolean busy;
        @Nullable ArrayDeque<Claim> waiting;
    }

    Registrar(SessionShard shard) {
        this.shard = shard;
    }

    /** Whose registrar knows this client id. */
    static int shardOf(ClientId clientId, int shards) {
        return Math.floorMod(clientId.hashCode(), shards);
    }

    int size() {
        return entries.size();
    }

    @Nullable Session find(ClientId clientId) {
        Entry entry = entries.get(clientId);
        return entry == null ? null : entry.session;
    }

    /** At start: a session that was kept. */
    void recovered(Session session) {
        Entry entry = new Entry();
        entry.session = session;
        entries.put(session.clientId(), entry);
    }

    private void claim(Claim claim) {
        Entry entry = entries.computeIfAbsent(claim.clientId(), id -> new Entry());
        if (entry.busy && shard.rules().holds(Rule.REGISTRAR)) {
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
            shard.send(claim.shard(), new Granted(claim, null, claim.shard()));
        } else {
            shard.send(session.owner(), new Release(session, claim));
        }
    }

    private void settled(ClientId clientId, @Nullable Session session) {
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

    private void removed(Session session) {
        Entry entry = entries.get(session.clientId());
        if (entry != null && entry.session == session) {
            entry.session = null;
            if (!entry.busy) {
                entries.remove(session.clientId());
            }
        }
    }

    /** To the registrar: a connection wants its client id. */
    static final class ClaimMail extends Mail {
        private final Claim claim;

        ClaimMail(Claim claim) {
            this.claim = claim;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            ((SessionShard) at).registrar().claim(claim);
            return true;
        }
    }

    /** To the owner: give the session up for this claim. */
    private static final class Release extends Mail {
        private final Session session;
        private final Claim claim;

        Release(Session session, Claim claim) {
            this.session = session;
            this.claim = claim;
        }

        @Override
        protected boolean handle(Shard shard, int from) {
            SessionShard at = (SessionShard) shard;
            if (session.handOver() != null && session.owner() == at.index()) {
                at.releaseAfterHandOver(session, claim);
            } else {
                session.release(claim);
            }
            return true;
        }
    }

    /** To the claimant: the client id is its own, with this session if there is one. */
    static final class Granted extends Mail {
        private final Claim claim;
        private final @Nullable Session session;
        private final int oldOwner;

        Granted(Claim claim, @Nullable Session session, int oldOwner) {
            this.claim = claim;
            this.session = session;
            this.oldOwner = oldOwner;
        }

        @Override
        protected boolean handle(Shard shard, int from) {
            SessionShard at = (SessionShard) shard;
            if (session != null) {
                session.arrive(at, oldOwner);
            }
            Session now = claim.connection().granted(session);
            if (now != null && !now.isEnded() && !now.isOnline()) {
                now.onAbandonedClaim();
            }
            at.toRegistrar(
                    claim.clientId(),
                    new Settled(claim.clientId(), now == null || now.isEnded() ? null : now));
            return true;
        }
    }

    /** To the registrar: the claim is done with. */
    private static final class Settled extends Mail {
        private final ClientId clientId;
        private final @Nullable Session session;

        Settled(ClientId clientId, @Nullable Session session) {
            this.clientId = clientId;
            this.session = session;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            ((SessionShard) at).registrar().settled(clientId, session);
            return true;
        }
    }

    /** To the registrar: the session has ended. */
    static final class Removed extends Mail {
        private final Session session;

        Removed(Session session) {
            this.session = session;
        }

        @Override
        protected boolean handle(Shard at, int from) {
            ((SessionShard) at).registrar().removed(session);
            return true;
        }
    }
}

package io.godwit.core.takeover;

import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Session;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Knows the holder of each client id, for the ids that hash to its shard. Every CONNECT, hand-over
 * and removal of a client id passes through here in order, so two CONNECTs at one moment are two
 * entries of one queue.
 *
 * <pre>
 * holder     trigger                                next
 * unknown    claim                                  asking (other nodes), busy
 * unknown    claim of another node                  unknown: nothing is here
 * asking     nobody has it                          unknown (granted without a session), busy
 * asking     its home is out of reach               unknown (refused), busy
 * asking     it has come here                       here (its owner is asked to give it up), busy
 * here       claim                                  here (its owner is asked to give it up), busy
 * any, busy  claim                                  the same (the claim waits)
 * any, busy  a waiting claim's connection ends      the same (without that claim)
 * any, busy  settled by claimant                    here or unknown; the next claim begins
 * here, busy given to, or ended for, another node   unknown; the next claim begins
 * here, busy another node's claim, and it can't go  here; the next claim begins
 * here       removed                                unknown
 * </pre>
 */
public final class Registrar {
    private final int shard;
    private final Rules rules;
    private final Homes homes;
    private final Grants grants;
    private final Map<ClientId, Entry> entries = new HashMap<>();

    private static final class Entry {
        Holder holder = Holder.UNKNOWN;

        /** Whether a claim is under way. */
        boolean busy;

        /** The claim that other nodes are asked for, or have granted. */
        @Nullable Claim asked;

        /** What was given has come back here while others were asked. */
        @Nullable Session returned;

        @Nullable ArrayDeque<Claim> waiting;
    }

    Registrar(int shard, Rules rules, Homes homes, Grants grants) {
        this.shard = shard;
        this.rules = rules;
        this.homes = homes;
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
        return entries.size();
    }

    /** The session of this node that has the client id, or null. */
    public @Nullable Session find(ClientId clientId) {
        return holder(clientId) instanceof Holder.Here here ? here.session() : null;
    }

    /** Whether there is a session of the client id here, or a claim of it. */
    boolean knows(ClientId clientId) {
        return entries.containsKey(clientId);
    }

    Holder holder(ClientId clientId) {
        Entry entry = entries.get(clientId);
        return entry == null ? Holder.UNKNOWN : entry.holder;
    }

    /** Takes up a session that was kept; called at start. */
    public void recovered(Session session) {
        Entry entry = new Entry();
        entry.holder = new Holder.Here(session);
        entries.put(session.clientId(), entry);
    }

    void claim(Claim claim) {
        Entry entry = entries.computeIfAbsent(claim.clientId(), id -> new Entry());
        if (entry.busy && rules.holds(Rule.REGISTRAR)) {
            if (entry.waiting == null) {
                entry.waiting = new ArrayDeque<>(2);
            }
            entry.waiting.add(claim);
            return;
        }
        begin(entry, claim);
    }

    /**
     * Notes that a claim's connection has ended: if it waits yet, it is not carried out. Else it
     * would end the session of a client that has connected elsewhere since.
     */
    void withdraw(ClientId clientId, Token token) {
        Entry entry = entries.get(clientId);
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
        switch (entry.holder) {
            case Holder.Here here -> grants.recall(claim, here);
            case Holder.Unknown unknown -> {
                if (claim.given() != null) {
                    grants.nothing(claim);
                    released(claim.clientId());
                    return;
                }
                entry.holder = Holder.ASKING;
                entry.asked = claim;
                homes.claim(claim);
            }
            case Holder.Asking asking ->
                    throw new IllegalStateException("two claims of " + claim.clientId());
        }
    }

    // ---------------------------------------------------------------- what other nodes answer

    /** Answers a claim that was asked for: nobody else has the client id. */
    void nobody(ClientId clientId, Token token, long changes) {
        Entry entry = asked(clientId, token);
        entry.holder = Holder.UNKNOWN;
        Claim claim = entry.asked;
        if (claim != null) {
            grants.grant(claim, changes);
        }
    }

    /** Answers it: the session has a home that is out of reach. */
    void outOfReach(ClientId clientId, Token token) {
        Entry entry = asked(clientId, token);
        entry.holder = Holder.UNKNOWN;
        Claim claim = entry.asked;
        entry.asked = null;
        if (claim != null) {
            grants.refuse(claim);
        }
    }

    /** Answers it: the session has come to this shard. */
    void arrived(Token token, Session session) {
        Entry entry = asked(session.clientId(), token);
        Claim claim = entry.asked;
        entry.asked = null;
        entry.holder = new Holder.Here(session);
        if (claim != null) {
            grants.recall(claim, new Holder.Here(session));
        }
    }

    private Entry asked(ClientId clientId, Token token) {
        Entry entry = entries.get(clientId);
        Claim claim = entry == null ? null : entry.asked;
        if (entry == null
                || !(entry.holder instanceof Holder.Asking)
                || claim == null
                || !claim.token().equals(token)) {
            throw new IllegalStateException("answered, not asked: " + clientId + " " + token);
        }
        return entry;
    }

    /** The claim that other nodes are asked for; null when they are not. */
    @Nullable Token asked(ClientId clientId) {
        Entry entry = entries.get(clientId);
        return entry != null && entry.holder instanceof Holder.Asking && entry.asked != null
                ? entry.asked.token()
                : null;
    }

    /** Whether other nodes are asked for this claim. */
    boolean isAsking(ClientId clientId, Token token) {
        return token.equals(asked(clientId));
    }

    /** Notes that a session that was given has come back, and no connection waits for that. */
    void tookBack(Session session) {
        Entry entry = entries.computeIfAbsent(session.clientId(), id -> new Entry());
        if (entry.busy) {
            entry.returned = session;
        } else {
            entry.holder = new Holder.Here(session);
        }
    }

    /** Takes what has come back while others were asked; null when nothing has. */
    @Nullable Session takeReturned(ClientId clientId) {
        Entry entry = entries.get(clientId);
        Session session = entry == null ? null : entry.returned;
        if (entry != null) {
            entry.returned = null;
        }
        return session;
    }

    // ---------------------------------------------------------------- the end of a claim

    /**
     * Notes that a claim is done with.
     *
     * @param holder who has the client id now
     */
    void settled(ClientId clientId, Holder holder) {
        Entry entry = entries.get(clientId);
        if (entry == null) {
            return;
        }
        Claim made = entry.asked;
        entry.asked = null;
        if (made != null) {
            boolean isDurable = holder instanceof Holder.Here here && here.session().isDurable();
            homes.settled(clientId, made.token(), holder instanceof Holder.Here, isDurable);
        } else if (entry.holder instanceof Holder.Here before && !before.equals(holder)) {
            if (holder instanceof Holder.Here now) {
                homes.replaced(clientId, now.session().isDurable());
            } else {
                homes.ended(clientId);
            }
        }
        next(clientId, entry, holder);
    }

    /** Notes that the session has gone to another node, or has ended for a claim of one. */
    void released(ClientId clientId) {
        Entry entry = entries.get(clientId);
        if (entry != null) {
            next(clientId, entry, Holder.UNKNOWN);
        }
    }

    /** Notes that the session does not go to the node that has claimed it. */
    void stays(ClientId clientId) {
        Entry entry = entries.get(clientId);
        if (entry != null) {
            next(clientId, entry, entry.holder);
        }
    }

    private void next(ClientId clientId, Entry entry, Holder holder) {
        entry.busy = false;
        entry.holder = holder;
        Session returned = entry.returned;
        entry.returned = null;
        if (returned != null && holder instanceof Holder.Unknown) {
            entry.holder = new Holder.Here(returned);
        }
        Claim next = entry.waiting == null ? null : entry.waiting.poll();
        if (next != null) {
            begin(entry, next);
        } else if (entry.holder instanceof Holder.Unknown) {
            entries.remove(clientId);
        } else {
            entry.waiting = null;
        }
    }

    /**
     * Takes the session of a client id out, which another node has another session of.
     *
     * @return null when there is none here
     */
    @Nullable Session lose(ClientId clientId) {
        Session lost = find(clientId);
        Entry entry = entries.get(clientId);
        if (entry != null && lost != null && !entry.busy) {
            entries.remove(clientId);
        }
        return lost;
    }

    /** Notes that a session has ended; while a claim is under way its end says so. */
    void removed(Session session) {
        Entry entry = entries.get(session.clientId());
        if (entry != null
                && !entry.busy
                && entry.holder instanceof Holder.Here here
                && here.session().equals(session)) {
            entries.remove(session.clientId());
            homes.ended(session.clientId());
        }
    }
}

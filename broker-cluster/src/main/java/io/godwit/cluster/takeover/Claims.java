package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.ClaimState.Trigger;
import io.godwit.cluster.takeover.OwnClaims.Wanted;
import io.godwit.cluster.takeover.TakeoverMessage.Ask;
import io.godwit.cluster.takeover.TakeoverMessage.Granted;
import io.godwit.cluster.takeover.TakeoverMessage.Header;
import io.godwit.cluster.takeover.TakeoverMessage.Take;
import io.godwit.cluster.takeover.TakeoverMessage.ToldClaim;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Claims of this node's connections for client ids that it does not have, from the question to the
 * first anchor to the session's being here. At most one of a client id at a time: the registrar
 * holds the others back.
 */
final class Claims {
    /** A connection waits for it, wherever its home is. */
    static final int FROM_ANY = io.godwit.core.takeover.Claim.FROM_ANY;

    private final int self;
    private final Anchors anchors;
    private final LocalSessions sessions;
    private final Residents residents;
    private final ToldAnchors told;
    private final Out out;
    private final long timeoutMs;
    private final Map<ClientId, Claim> claims = new LinkedHashMap<>();

    private static final class Claim {
        final ClientId clientId;
        final int slot;
        final ClaimId id;
        final boolean cleanStart;

        /** Server id of the only home that it is good for; {@link #FROM_ANY}. */
        final int onlyFrom;

        final boolean isDurable;
        final long refusedAtMs;
        ClaimState state = ClaimState.ASKING;
        long changes;
        long voidUpTo;
        int home = Granted.NOBODY;

        Claim(ClientId clientId, Wanted wanted, long refusedAtMs) {
            this.clientId = clientId;
            this.slot = Slots.of(clientId);
            this.id = wanted.claim();
            this.cleanStart = wanted.cleanStart();
            this.onlyFrom = wanted.onlyFrom();
            this.isDurable = wanted.isDurable();
            this.refusedAtMs = refusedAtMs;
        }

        boolean isFromAny() {
            return onlyFrom == FROM_ANY;
        }

        /** Whether the number that it was granted may still lead to a session here. */
        long granted() {
            return state == ClaimState.ASKING ? 0 : changes;
        }
    }

    Claims(
            int self,
            Anchors anchors,
            LocalSessions sessions,
            Residents residents,
            ToldAnchors told,
            Out out,
            long timeoutMs) {
        this.self = self;
        this.anchors = anchors;
        this.sessions = sessions;
        this.residents = residents;
        this.told = told;
        this.out = out;
        this.timeoutMs = timeoutMs;
    }

    boolean has(ClientId clientId) {
        return claims.containsKey(clientId);
    }

    int size() {
        return claims.size();
    }

    void begin(ClientId clientId, Wanted wanted, long nowMs) {
        Claim claim = new Claim(clientId, wanted, nowMs + timeoutMs);
        Claim other = claims.putIfAbsent(clientId, claim);
        if (other != null) {
            throw new IllegalStateException("two claims of " + clientId);
        }
        ask(claim);
    }

    private void ask(Claim claim) {
        out.send(anchorOf(claim.clientId), new Ask(claim.clientId, claim.id));
    }

    private int anchorOf(ClientId clientId) {
        return anchors.first(Slots.of(clientId));
    }

    /** What a new anchor has to know of them. */
    List<ToldClaim> told(ClientId clientId) {
        Claim claim = claims.get(clientId);
        return claim == null ? List.of() : List.of(new ToldClaim(claim.id, claim.granted()));
    }

    List<ClientId> inSlot(int slot) {
        List<ClientId> in = new ArrayList<>(0);
        for (Claim each : claims.values()) {
            if (each.slot == slot) {
                in.add(each.clientId);
            }
        }
        return in;
    }

    // ---------------------------------------------------------------- what is said to them

    void granted(int from, Granted granted) {
        boolean nobody = granted.home() == Granted.NOBODY;
        Claim claim = find(granted.clientId(), granted.claim());
        if (claim == null || from != anchorOf(claim.clientId)) {
            return;
        }
        if (!claim.isFromAny() && granted.home() != claim.onlyFrom) {
            outOfReach(
                    claim.clientId, claim.id); // Another one was quicker: nothing is left to take.
            return;
        }
        if (!transition(claim, nobody ? Trigger.GRANTED_NOBODY : Trigger.GRANTED_HOME)) {
            return;
        }
        claim.changes = granted.changes();
        claim.voidUpTo = granted.voidUpTo();
        claim.home = granted.home();
        if (nobody) {
            make(claim);
        } else {
            take(claim);
        }
    }

    /** One that a restart would find is known of elsewhere before it is made. */
    private void make(Claim claim) {
        if (claim.isDurable) {
            residents.comes(claim.clientId, claim.changes);
            told.when(claim.clientId, () -> sessions.make(claim.clientId, claim.id, claim.changes));
        } else {
            sessions.make(claim.clientId, claim.id, claim.changes);
        }
    }

    private void take(Claim claim) {
        out.send(
                claim.home,
                new Take(
                        claim.clientId, claim.id, claim.changes, claim.voidUpTo, claim.cleanStart));
    }

    void header(int from, Header said) {
        Claim claim = find(said.clientId(), said.claim());
        byte[] header = said.header();
        if (claim != null && !claim.isFromAny() && header == null) {
            outOfReach(claim.clientId, claim.id); // It has ended meanwhile.
            return;
        }
        if (claim == null
                || claim.home != from
                || !transition(claim, header == null ? Trigger.ENDED : Trigger.HEADER)) {
            return;
        }
        if (header == null) {
            make(claim);
        } else if (from == self) {
            long given = residents.standing(claim.clientId).changes();
            sessions.takeBack(claim.clientId, claim.id, given, claim.changes);
        } else {
            sessions.arrive(claim.clientId, claim.id, claim.changes, from, header);
        }
    }

    void notHere(ClientId clientId, ClaimId id) {
        Claim claim = find(clientId, id);
        if (claim != null && transition(claim, Trigger.NOT_HERE)) {
            ask(claim);
        }
    }

    void outOfReach(ClientId clientId, ClaimId id) {
        Claim claim = find(clientId, id);
        if (claim != null && transition(claim, Trigger.OUT_OF_REACH)) {
            refused(claim);
        }
    }

    private void refused(Claim claim) {
        claims.remove(claim.clientId);
        residents.settled(claim.clientId, claim.id);
        if (claim.onlyFrom != self) {
            sessions.outOfReach(claim.clientId, claim.id);
        }
    }

    /** The session is here, or nobody wants it any more; the residents know. */
    void settled(ClientId clientId, ClaimId id) {
        Claim claim = find(clientId, id);
        if (claim != null && transition(claim, Trigger.HERE)) {
            claims.remove(clientId);
            residents.settled(clientId, id);
        }
    }

    /** Number that a claim was granted; 0 when there is no such claim. */
    long changes(ClientId clientId, ClaimId id) {
        Claim claim = find(clientId, id);
        return claim == null ? 0 : claim.changes;
    }

    private @Nullable Claim find(ClientId clientId, ClaimId id) {
        Claim claim = claims.get(clientId);
        return claim != null && claim.id.equals(id) ? claim : null;
    }

    private static boolean transition(Claim claim, Trigger trigger) {
        boolean takes = claim.state.takes(trigger);
        claim.state = claim.state.on(trigger);
        return takes;
    }

    // ---------------------------------------------------------------- links and time

    /** What was asked of the node may be lost: it is asked again. */
    void linked(int server) {
        for (Claim claim : claims.values()) {
            if (claim.state == ClaimState.TAKING && claim.home == server) {
                take(claim);
            }
        }
    }

    /** Those who have waited too long are refused. */
    void tick(long nowMs) {
        for (Claim claim : List.copyOf(claims.values())) {
            if (claim.refusedAtMs <= nowMs && transition(claim, Trigger.OUT_OF_REACH)) {
                refused(claim);
            }
        }
    }
}

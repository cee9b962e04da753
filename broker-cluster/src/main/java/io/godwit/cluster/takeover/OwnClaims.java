package io.godwit.cluster.takeover;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The beginning and the end of this node's {@link Claims}: one of a client id at a time, and what
 * follows when a claim has a session, or gets none. The residents are told then, and the claim that
 * has waited is made.
 */
final class OwnClaims {
    private final NodeStart self;
    private final Claims claims;
    private final Residents residents;

    /** Connections' claims that wait until what was given has come back. */
    private final Map<ClientId, Wanted> waiting = new LinkedHashMap<>(0);

    /**
     * What is claimed.
     *
     * @param onlyFrom server id of the only home that it is good for; this node's own when nobody
     *     waits for it: what was given is to come back; {@link Claims#FROM_ANY}
     * @param isDurable whether a session that is made for it is to be durable
     */
    record Wanted(ClaimId claim, boolean cleanStart, int onlyFrom, boolean isDurable) {}

    private long takenBack;

    OwnClaims(NodeStart self, Claims claims, Residents residents) {
        this.self = self;
        this.claims = claims;
        this.residents = residents;
    }

    /** See {@link Takeovers#claim(ClientId, ClaimId, boolean, int, boolean)}. */
    void make(ClientId clientId, Wanted wanted, long nowMs) {
        if (claims.has(clientId)) {
            waiting.put(clientId, wanted);
        } else {
            claims.begin(clientId, wanted, nowMs);
        }
    }

    /** What was given is not wanted any more: it is to come back, unless a claim is under way. */
    void takeBack(ClientId clientId, long nowMs) {
        if (residents.standing(clientId) instanceof Standing.Given && !claims.has(clientId)) {
            ClaimId claim = new ClaimId(self, -1, ++takenBack);
            claims.begin(clientId, new Wanted(claim, false, self.server(), true), nowMs);
        }
    }

    // ---------------------------------------------------------------- what became of one

    /** See {@link Takeovers#settled}. */
    void settled(ClientId clientId, ClaimId claim, boolean durable, long nowMs) {
        long changes = claims.changes(clientId, claim);
        if (changes != 0) {
            residents.home(clientId, changes, durable);
            over(clientId, claim, nowMs);
        }
    }

    /** See {@link Takeovers#arrived}. */
    void arrived(ClientId clientId, ClaimId claim, List<Former> former, long nowMs) {
        if (claims.changes(clientId, claim) != 0) {
            List<Former> others = new ArrayList<>(former);
            others.removeIf(each -> each.server() == self.server());
            residents.formerHomes().put(clientId, others, true);
        }
        settled(clientId, claim, true, nowMs);
    }

    /** See {@link Takeovers#tookBack}. */
    void tookBack(ClientId clientId, ClaimId claim, List<Former> former, long nowMs) {
        long changes = claims.changes(clientId, claim);
        if (changes != 0) {
            residents.tookBack(clientId, changes);
            residents.formerHomes().put(clientId, former, false);
            over(clientId, claim, nowMs);
        }
    }

    /** The claim is over. */
    void over(ClientId clientId, ClaimId claim, long nowMs) {
        claims.settled(clientId, claim);
        next(clientId, nowMs);
    }

    /** The claim may have been refused. */
    void mayBeOver(ClientId clientId, long nowMs) {
        if (!claims.has(clientId)) {
            next(clientId, nowMs);
        }
    }

    /** Claims may have been refused since they have waited too long. */
    void tick(long nowMs) {
        for (ClientId each : List.copyOf(waiting.keySet())) {
            mayBeOver(each, nowMs);
        }
    }

    private void next(ClientId clientId, long nowMs) {
        Wanted next = waiting.remove(clientId);
        if (next != null) {
            claims.begin(clientId, next, nowMs);
        }
    }
}

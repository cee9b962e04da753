package io.godwit.cluster.registration;

import io.godwit.cluster.registration.EntryClaims.Claim;
import io.godwit.cluster.registration.EntryClaims.Phase;
import io.godwit.cluster.registration.LocalClaims.Found;
import io.godwit.cluster.registration.RegistrationMessage.End;
import io.godwit.cluster.registration.RegistrationMessage.Granted;
import io.godwit.cluster.registration.RegistrationMessage.HasSession;
import io.godwit.cluster.registration.RegistrationMessage.NotLeader;
import io.godwit.cluster.registration.RegistrationMessage.Refused;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.takeover.ClaimingUser;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Serves the claims of each client id one after the other, in the order in which they come, for a
 * {@link LeaderRegistry}. One that a link has held back while a later one came is refused ({@link
 * LastConnects}), and so is one of a client id that is another user's: nothing ends for it.
 *
 * <pre>
 * current claim  trigger                                        next
 * none           a claim, and the slot is open                  END, or as served
 * END            Ended or Unregister of the holder; its node    served: REGISTRAR for a connection at
 *                is away or has started anew; peer-timeout      another node, CONNECTION for one here
 * REGISTRAR      a durable session is here, no Clean Start      HasSession; the next claim
 * REGISTRAR      nothing is here any more                       Granted, the edge is the holder; the next
 * REGISTRAR      another user's session is here                 Refused; the next claim
 * CONNECTION     the connection's claim has come to its end     the next, if the slot is open
 * any            the slot is lost                               NotLeader to all
 * </pre>
 */
final class ClientIdClaims {
    private static final String NEWER =
            "newer connections of this client identifier wait to be served";
    static final String OLDER =
            "a connection of this client identifier that was asked for later has come before";
    private static final String NOT_READY =
            "the cluster node that is responsible for this client identifier is not ready;"
                    + " try again later";

    private final NodeStart self;
    private final RegistrationTimes times;
    private final ShardTurns turns;
    private final Leaders leaders;
    private final LocalClaims registrar;
    private final RegistrationOutbox outbox;
    private final RegistrationAccount account;
    private final boolean standsIn;

    /** Remembers the client ids that this node has granted in the place of a leader. */
    private final GrantedIds granted;

    private final LedSlots slots;
    private final RegistryEntries entries;
    private final LastConnects connects;
    private long refusedForNewer;

    ClientIdClaims(
            NodeStart self,
            RegistrationTimes times,
            ShardTurns turns,
            Leaders leaders,
            LocalClaims registrar,
            RegistrationOutbox outbox,
            RegistrationAccount account,
            boolean standsIn,
            GrantedIds granted,
            LedSlots slots,
            RegistryEntries entries) {
        this.self = self;
        this.times = times;
        this.turns = turns;
        this.leaders = leaders;
        this.registrar = registrar;
        this.outbox = outbox;
        this.account = account;
        this.standsIn = standsIn;
        this.granted = granted;
        this.slots = slots;
        this.entries = entries;
        this.connects = new LastConnects(times, turns);
    }

    /** Counts the bytes of the CONNECTs that are remembered. */
    long connectBytes() {
        return connects.bytes();
    }

    long refusedForNewer() {
        return refusedForNewer;
    }

    private void send(NodeStart to, RegistrationMessage message) {
        outbox.send(to, standsIn, message);
    }

    // ---------------------------------------------------------------- claims come

    /** Adds a claim in a slot that is granted here; it waits until the slot is open. */
    void add(NodeStart from, Register message, LedSlot in) {
        ClientId clientId = message.clientId();
        if (in.isOpen && isAnothers(clientId, message.by())) {
            send(from, anothers(message.number(), in));
            return;
        }
        if (!connects.admit(clientId, message.connectedMs())) {
            refusedForNewer++;
            send(from, new Refused(message.number(), in.changes, ReasonCode.SERVER_BUSY, OLDER));
            return;
        }
        if (!hasRoom(from, message)) {
            account.refused();
            send(from, new Refused(message.number(), in.changes, ReasonCode.QUOTA_EXCEEDED, ""));
            return;
        }
        EntryClaims claims = claims(clientId, entries.entry(clientId));
        claims.waiting.add(
                new Claim(
                        from,
                        message.number(),
                        message.cleanStart(),
                        turns.nowMs(),
                        message.will(),
                        message.by()));
        entries.charge(claims);
        if (claims.waiting.size() > LeaderRegistry.WAITING_MAX) {
            refusedForNewer++;
            refuse(claims.waiting.remove(), in, ReasonCode.SERVER_BUSY, NEWER);
        }
        if (!in.isOpen) {
            in.hold(clientId);
        } else if (claims.current == null) {
            next(claims);
        }
    }

    /** Adds a connection of this node that claims the client id at the registrar already. */
    void addOwn(ClientId clientId, long number, @Nullable ClaimingUser by) {
        EntryClaims claims = claims(clientId, entries.entry(clientId));
        if (claims.isCurrent(self, number)) {
            return;
        }
        claims.removeWaiting(self, number);
        endHolders(claims);
        Claim claim = new Claim(self, number, false, turns.nowMs(), null, by);
        if (claims.current == null) {
            claims.current = claim;
            claims.phase = Phase.CONNECTION;
        } else {
            claims.waiting.addFirst(claim);
        }
        entries.charge(claims);
    }

    /**
     * Whether a client id may have claims. One that has an entry or a session here takes over from
     * these; a connection of this node is refused with its session, if there is no room.
     */
    private boolean hasRoom(NodeStart from, Register message) {
        ClientId clientId = message.clientId();
        if (standsIn && !granted.mayAdd(new GrantedIds.Id(clientId, message.by()))) {
            return false;
        }
        return from.equals(self)
                || entries.get(clientId) != null
                || entries.mayAdd(clientId, message.will(), message.by())
                || registrar.hasSession(clientId);
    }

    /** Whether a connection or session of another user has the client id, as far as is known. */
    private boolean isAnothers(ClientId clientId, @Nullable ClaimingUser by) {
        if (by == null) {
            return false;
        }
        RegistryEntry entry = entries.get(clientId);
        return entry != null && !entry.mayBeTaken(by) || !registrar.mayTake(clientId, by);
    }

    private static Refused anothers(long number, @Nullable LedSlot in) {
        return new Refused(
                number,
                in == null ? 0 : in.changes,
                ReasonCode.CLIENT_IDENTIFIER_NOT_VALID,
                ClaimingUser.REFUSAL);
    }

    private EntryClaims claims(ClientId clientId, RegistryEntry entry) {
        EntryClaims claims = entry.claims;
        if (claims == null) {
            claims = new EntryClaims(this, clientId, entry);
            entries.begin(claims);
        }
        return claims;
    }

    private void refuse(Claim claim, LedSlot in, ReasonCode reason, String text) {
        send(claim.edge, new Refused(claim.number, in.changes, reason, text));
    }

    /** Begins with the claims that have waited for a slot to open. */
    void beginHeld(LedSlot in) {
        for (ClientId each : in.takeHeld()) {
            EntryClaims claims = entries.claims(each);
            if (claims != null && claims.current == null) {
                next(claims);
            }
        }
    }

    // ---------------------------------------------------------------- one client id

    private void next(EntryClaims claims) {
        Claim claim = poll(claims);
        claims.current = claim;
        if (claim == null) {
            rest(claims);
            return;
        }
        RegistryEntry entry = claims.entry;
        if (entry.hasHolder()) {
            endHolders(claims);
            entries.removeAt(entry, outbox::isAway);
        }
        claims.phase = Phase.END;
        if (entry.hasHolder()) {
            arm(claims);
        } else {
            serve(claims, claim);
        }
    }

    /**
     * Returns the claim that is served next; null: there is none, or all wait for the slot to open.
     * A claim of this node that is told as under way is current before that. Claims of a client id
     * that is another user's are refused.
     */
    private @Nullable Claim poll(EntryClaims claims) {
        LedSlot in = slots.get(claims.clientId.slot());
        if (in == null || in.isOpen) {
            Claim next = claims.waiting.poll();
            while (next != null && isAnothers(claims.clientId, next.by)) {
                send(next.edge, anothers(next.number, in));
                next = claims.waiting.poll();
            }
            return next;
        }
        if (!claims.waiting.isEmpty()) {
            in.hold(claims.clientId);
        }
        return null;
    }

    /** Asks for the end of the connections that have the client id at other nodes. */
    void endHolders(EntryClaims claims) {
        claims.entry.forEachHolder((edge, number) -> send(edge, new End(claims.clientId, number)));
    }

    private void arm(EntryClaims claims) {
        claims.deadlineMs = turns.nowMs() + times.peerTimeoutMs();
        turns.arm(claims, claims.deadlineMs);
    }

    /** Goes on with the current claim if it has waited for the end of other connections only. */
    private void goOn(EntryClaims claims) {
        Claim current = claims.current;
        if (current != null && claims.phase == Phase.END && !claims.entry.hasHolder()) {
            turns.cancel(claims);
            serve(claims, current);
        }
    }

    private void serve(EntryClaims claims, Claim claim) {
        if (claim.edge.equals(self)) {
            claims.phase = Phase.CONNECTION;
            answer(claims, claim, Found.NOTHING);
            return;
        }
        claims.phase = Phase.REGISTRAR;
        registrar.endOrFind(
                claims.clientId, claim.cleanStart, claim.by, found -> found(claims, claim, found));
    }

    private void found(EntryClaims claims, Claim claim, Found found) {
        if (claims.entry.claims != claims || claims.current != claim) {
            return; // The slot was lost meanwhile.
        }
        if (!claim.isWithdrawn) {
            if (found == Found.NOTHING) {
                entries.add(claims.entry, claim.edge, claim.number, claim.will, claim.by);
            }
            answer(claims, claim, found);
        }
        next(claims);
    }

    private void answer(EntryClaims claims, Claim claim, Found found) {
        LedSlot in = slots.get(claims.clientId.slot());
        long changes = in == null ? 0 : in.changes;
        send(
                claim.edge,
                switch (found) {
                    case NOTHING ->
                            new Granted(claim.number, changes, remember(claims.clientId, claim.by));
                    case DURABLE_SESSION -> new HasSession(claim.number, changes);
                    case OF_ANOTHER_USER -> anothers(claim.number, in);
                });
    }

    /** Remembers what is granted as a stand-in. Returns the clock of the grant's stamp, or 0. */
    private long remember(ClientId clientId, @Nullable ClaimingUser by) {
        if (!standsIn) {
            return 0;
        }
        long grantedAt = registrar.grantClock();
        granted.add(new GrantedIds.Id(clientId, by), grantedAt);
        account.grantedByStandIn();
        return grantedAt;
    }

    /** Ends a connection, or a claim that has come to its end or was withdrawn. */
    void over(NodeStart edge, ClientId clientId, long number) {
        RegistryEntry entry = entries.get(clientId);
        if (entry == null) {
            return;
        }
        EntryClaims claims = entry.claims;
        if (!entry.isHeldBy(edge, number)) {
            if (claims != null) {
                claimOver(claims, edge, number);
            }
            return;
        }
        entries.remove(entry, edge, number);
        if (claims != null) {
            goOn(claims);
        } else if (!entry.hasHolder()) {
            entries.remove(clientId);
        }
    }

    private void claimOver(EntryClaims claims, NodeStart edge, long number) {
        Claim current = claims.current;
        if (current == null || !current.isOf(edge, number)) {
            claims.removeWaiting(edge, number);
            if (claims.isEmpty()) {
                settle(claims);
            }
            return;
        }
        switch (claims.phase) {
            case END -> {
                claims.current = poll(claims);
                if (claims.current == null) {
                    rest(claims); // The holder is ended all the same, and tells.
                }
            }
            case REGISTRAR -> current.isWithdrawn = true;
            case CONNECTION -> next(claims);
        }
    }

    /** Ends the claims, unless some wait for the slot to open. */
    private void rest(EntryClaims claims) {
        if (claims.isEmpty()) {
            settle(claims);
        } else {
            turns.cancel(claims);
        }
    }

    private void settle(EntryClaims claims) {
        turns.cancel(claims);
        entries.end(claims);
        if (!claims.entry.hasHolder()) {
            entries.remove(claims.clientId);
        }
    }

    void onTimer(EntryClaims claims, long nowMs) {
        if (nowMs - claims.deadlineMs > RegistrationTimes.PAUSE_MS) {
            arm(claims); // This process has slept: the answer may be here.
        } else {
            entries.removeAt(claims.entry, edge -> true);
            goOn(claims);
        }
    }

    // ---------------------------------------------------------------- slots and nodes

    /** Refuses claims that have waited too long for this node to act. */
    void refuseLate(LedSlot in) {
        if (in.held().isEmpty()) {
            return;
        }
        long sinceMs = turns.nowMs() - times.claimWaitMs();
        for (ClientId each : in.takeHeld()) {
            EntryClaims claims = entries.claims(each);
            if (claims == null) {
                continue;
            }
            claims.waiting.removeIf(claim -> {
                boolean isLate = claim.sinceMs <= sinceMs;
                if (isLate) {
                    refuse(claim, in, ReasonCode.SERVER_UNAVAILABLE, NOT_READY);
                }
                return isLate;
            });
            if (claims.isEmpty()) {
                settle(claims);
            } else {
                in.hold(each);
            }
        }
    }

    /** Answers all claims in slots that this node does not lead. */
    void refuseAll(BitSet lost) {
        for (EntryClaims each : entries.allClaims()) {
            int slot = each.clientId.slot();
            if (lost.get(slot)) {
                Claim current = each.current;
                if (current != null && each.phase != Phase.CONNECTION) {
                    notLeader(current, slot);
                }
                each.waiting.forEach(claim -> notLeader(claim, slot));
                settle(each);
            }
        }
    }

    private void notLeader(Claim claim, int slot) {
        LedSlot in = slots.get(slot);
        if (in != null) {
            send(claim.edge, new NotLeader(claim.number, in.changes, leaders.row(slot)));
        }
    }

    /** Stops waiting for a node. */
    void onAway(NodeStart node) {
        for (EntryClaims each : entries.allClaims()) {
            if (each.waitsFor(Phase.END)) {
                entries.removeAt(each.entry, node::equals);
                goOn(each);
            }
        }
    }

    /** Notes that a start of a node has ended, with all connections there. */
    void onEnded(NodeStart node) {
        for (EntryClaims each : entries.allClaims()) {
            each.waiting.removeIf(claim -> claim.edge.equals(node));
            Claim current = each.current;
            if (current != null && current.edge.equals(node)) {
                claimOver(each, node, current.number);
            } else if (each.isEmpty()) {
                settle(each);
            }
            entries.removeAt(each.entry, node::equals);
            if (each.entry.claims == each) {
                goOn(each);
            }
        }
        entries.removeAllAt(node);
    }
}

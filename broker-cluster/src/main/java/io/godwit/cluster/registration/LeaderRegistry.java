package io.godwit.cluster.registration;

import io.godwit.cluster.registration.EntryClaims.Claim;
import io.godwit.cluster.registration.EntryClaims.Phase;
import io.godwit.cluster.registration.RegistrationMessage.Claimed;
import io.godwit.cluster.registration.RegistrationMessage.End;
import io.godwit.cluster.registration.RegistrationMessage.Ended;
import io.godwit.cluster.registration.RegistrationMessage.Granted;
import io.godwit.cluster.registration.RegistrationMessage.HasSession;
import io.godwit.cluster.registration.RegistrationMessage.NotLeader;
import io.godwit.cluster.registration.RegistrationMessage.Refused;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.TakenBack;
import io.godwit.cluster.registration.RegistrationMessage.ToLeader;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Grants the client ids of the slots that this node leads, for the slots of one shard. The claims
 * of one client id are served one after the other, in the order in which they come.
 *
 * <pre>
 * current claim  trigger                                        next
 * none           a claim, and the slot is open                  END, or as served
 * END            Ended or Unregister of the holder; its node    served: REGISTRAR for a connection at
 *                is away or has started anew; peer-timeout      another node, CONNECTION for one here
 * REGISTRAR      a durable session is here, no Clean Start      HasSession; the next claim
 * REGISTRAR      nothing is here any more                       Granted, the edge is the holder; the next
 * CONNECTION     the connection's claim has come to its end     the next claim
 * any            the slot is lost                               NotLeader to all
 * </pre>
 *
 * A slot opens when this node acts as its leader and all nodes have told their connections, or
 * after peer-timeout. Sessions and transient connections of this node are known by its registrar
 * alone. A client id without holder and claims has no entry.
 *
 * <p>As a <em>stand-in</em> it grants connections with Clean Start in slots whose leader is out of
 * reach. A slot is open only as long as all nodes that this one hears have told their connections,
 * and none of them has taken that back: who hears the leader tells nothing. What edges have told
 * stays here until they take it back, so that it is right when this node stands in again.
 */
public final class LeaderRegistry {
    /** Claims of one client id that wait; the newest lives, so older ones are refused first. */
    static final int WAITING_MAX = 8;

    private static final long CHECK_MS = 100;

    private static final String NEWER =
            "newer connections of this client identifier wait to be served";
    private static final String NOT_READY =
            "the cluster node that is responsible for this client identifier is not ready;"
                    + " try again later";

    private final NodeStart self;
    private final int shard;
    private final int shards;
    private final RegistrationTimes times;
    private final ShardTurns turns;
    private final Leaders leaders;
    private final LocalClaims registrar;
    private final RegistrationOutbox outbox;
    private final boolean standsIn;

    /** What it has granted as a stand-in. */
    private final GrantedIds granted;

    private final RegistrationAccount account;
    private final RegistryEntries entries;
    private final @Nullable LedSlot[] led = new LedSlot[ClientId.SLOTS];

    /** Slots with a state that are not open yet. */
    private final BitSet closed = new BitSet(ClientId.SLOTS);

    private final SlotCheck slotCheck;
    private long refusedForNewer;

    LeaderRegistry(
            NodeStart self,
            int shard,
            int shards,
            RegistrationTimes times,
            ShardTurns turns,
            Leaders leaders,
            LocalClaims registrar,
            RegistrationOutbox outbox,
            RegistrationAccount account,
            boolean standsIn,
            GrantedIds granted) {
        this.self = self;
        this.shard = shard;
        this.shards = shards;
        this.times = times;
        this.turns = turns;
        this.leaders = leaders;
        this.registrar = registrar;
        this.outbox = outbox;
        this.account = account;
        this.standsIn = standsIn;
        this.granted = granted;
        this.entries = new RegistryEntries(account);
        this.slotCheck = new SlotCheck(turns, CHECK_MS, () -> checkClosed(CHECK_MS));
    }

    /** Counts the client ids that have a connection at another node, or claims. */
    public int size() {
        return entries.size();
    }

    /** Counts the client ids with claims that are not answered. */
    public int claimed() {
        return entries.claimed();
    }

    /** Counts the connections refused so far because too many newer ones waited. */
    public long refusedForNewer() {
        return refusedForNewer;
    }

    /** Counts the client ids whose claims wait for their slots to open. */
    int idsHeld() {
        int sum = 0;
        for (int slot = closed.nextSetBit(0); slot >= 0; slot = closed.nextSetBit(slot + 1)) {
            LedSlot in = led[slot];
            sum += in == null ? 0 : in.held().size();
        }
        return sum;
    }

    /** Counts the slots that are led here, or that edges have told something of. */
    int slots() {
        int count = 0;
        for (LedSlot each : led) {
            count += each == null ? 0 : 1;
        }
        return count;
    }

    // ---------------------------------------------------------------- messages

    private void send(NodeStart to, RegistrationMessage message) {
        outbox.send(to, standsIn, message);
    }

    void onMessage(NodeStart from, ToLeader message) {
        switch (message) {
            case Register m -> register(from, m);
            case Unregister m -> over(from, m.clientId(), m.number());
            case Ended m -> over(from, m.clientId(), m.number());
            case Claimed m -> over(from, m.clientId(), m.number());
            case Registered m -> registered(from, m);
            case TakenBack m -> takenBack(from, m);
        }
    }

    private void register(NodeStart from, Register message) {
        ClientId clientId = message.clientId();
        int slot = clientId.slot();
        LedSlot in = led[slot];
        boolean mayClaim = !standsIn || message.cleanStart();
        if (in == null || !in.isLed || in.isGiven || in.changes != message.changes() || !mayClaim) {
            send(from, new NotLeader(message.number(), message.changes(), leaders.row(slot)));
            return;
        }
        if (!hasRoom(from, clientId)) {
            account.refused();
            send(from, new Refused(message.number(), in.changes, ReasonCode.QUOTA_EXCEEDED, ""));
            return;
        }
        EntryClaims claims = claims(clientId, entries.entry(clientId));
        claims.waiting.add(new Claim(from, message.number(), message.cleanStart(), turns.nowMs()));
        entries.charge(claims);
        if (claims.waiting.size() > WAITING_MAX) {
            refusedForNewer++;
            refuse(claims.waiting.remove(), in, ReasonCode.SERVER_BUSY, NEWER);
        }
        if (standsIn && in.isOpen && !isTold(in, slot, outbox.live())) {
            in.isOpen = false; // Another node has come, which may hear the leader.
            closed.set(slot);
        }
        if (!in.isOpen) {
            in.hold(clientId);
            slotCheck.begin();
        } else if (claims.current == null) {
            next(claims);
        }
    }

    /**
     * Whether a client id may have claims. One that has an entry or a session here takes over from
     * these; a connection of this node is refused with its session, if there is no room.
     */
    private boolean hasRoom(NodeStart from, ClientId clientId) {
        if (standsIn && !granted.mayAdd(clientId)) {
            return false;
        }
        return from.equals(self)
                || entries.get(clientId) != null
                || entries.mayAdd(clientId)
                || registrar.hasSession(clientId);
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

    // ---------------------------------------------------------------- one client id

    private void next(EntryClaims claims) {
        Claim claim = claims.waiting.poll();
        claims.current = claim;
        if (claim == null) {
            settle(claims);
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

    /** Asks for the end of the connections that have the client id at other nodes. */
    private void endHolders(EntryClaims claims) {
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
            answer(claims, claim, false);
            return;
        }
        claims.phase = Phase.REGISTRAR;
        registrar.endOrFind(
                claims.clientId,
                claim.cleanStart,
                hasDurableSession -> found(claims, claim, hasDurableSession));
    }

    private void found(EntryClaims claims, Claim claim, boolean hasDurableSession) {
        if (claims.entry.claims != claims || claims.current != claim) {
            return; // The slot was lost meanwhile.
        }
        if (!claim.isWithdrawn) {
            if (!hasDurableSession) {
                entries.add(claims.entry, claim.edge, claim.number);
            }
            answer(claims, claim, hasDurableSession);
        }
        next(claims);
    }

    private void answer(EntryClaims claims, Claim claim, boolean hasDurableSession) {
        LedSlot in = led[claims.clientId.slot()];
        long changes = in == null ? 0 : in.changes;
        if (standsIn) {
            granted.add(claims.clientId, changes);
            account.grantedByStandIn();
        }
        send(
                claim.edge,
                hasDurableSession
                        ? new HasSession(claim.number, changes)
                        : new Granted(claim.number, changes));
    }

    /** Ends a connection, or a claim that has come to its end or was withdrawn. */
    private void over(NodeStart edge, ClientId clientId, long number) {
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
                claims.current = claims.waiting.poll();
                if (claims.current == null) {
                    settle(claims); // The holder is ended all the same, and tells.
                }
            }
            case REGISTRAR -> current.isWithdrawn = true;
            case CONNECTION -> next(claims);
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

    // ---------------------------------------------------------------- what edges tell a leader

    private void registered(NodeStart from, Registered message) {
        BitSet older = new BitSet(ClientId.SLOTS);
        for (int slot : message.slots()) {
            LedSlot in = led[slot];
            if (in != null && in.changes < message.changes()) {
                older.set(slot);
            }
        }
        drop(older);
        for (int slot : message.slots()) {
            if (led[slot] == null && mayLead(slot, message.changes())) {
                lead(slot, message.changes());
            }
        }
        for (Registration each : message.all()) {
            LedSlot in = led[each.clientId().slot()];
            if (in != null && in.changes == message.changes()) {
                merge(in, from, each);
            }
        }
        List<NodeStart> live = outbox.live();
        for (int slot : message.slots()) {
            LedSlot in = led[slot];
            if (in != null && in.changes == message.changes()) {
                in.told(from, message.shard(), message.shards());
                check(in, slot, live);
            }
        }
    }

    /** Whether no later epoch is known than one under which this node is said to grant. */
    private boolean mayLead(int slot, long changes) {
        Leader leader = leaders.leader(slot);
        return leader == null
                || leader.changes() < changes
                || leader.changes() == changes && (standsIn || leader.node().equals(self));
    }

    /** Returns who grants in a slot; null: nobody. */
    private @Nullable Leader granter(int slot) {
        return standsIn ? leaders.standIn(slot) : leaders.leader(slot);
    }

    private LedSlot lead(int slot, long changes) {
        LedSlot in = new LedSlot(changes);
        led[slot] = in;
        closed.set(slot);
        return in;
    }

    private void merge(LedSlot in, NodeStart from, Registration registration) {
        ClientId clientId = registration.clientId();
        long number = registration.number();
        boolean isByStandIn = registration.byStandIn() && !standsIn;
        if (isByStandIn && !in.isOpen) {
            in.clear(clientId);
        }
        if (number == 0) {
            return;
        }
        RegistryEntry entry = entries.entry(clientId);
        if (from.equals(self)) {
            mergeOwn(claims(clientId, entry), number);
            return;
        }
        if (entry.isHeldBy(from, number)) {
            return;
        }
        EntryClaims claims = entry.claims;
        boolean isServed =
                entry.hasHolder()
                        || claims != null && claims.current != null
                        || isByStandIn && registrar.hasDurableSession(clientId);
        if (in.isOpen && isServed || registrar.isConnected(clientId)) {
            // Told late: a newer one has it, or there is a session that may be newer.
            send(from, new End(clientId, number));
        }
        entries.add(entry, from, number);
    }

    /** Adds a connection of this node that claims the client id at the registrar already. */
    private void mergeOwn(EntryClaims claims, long number) {
        if (claims.isCurrent(self, number)) {
            return;
        }
        claims.removeWaiting(self, number);
        endHolders(claims);
        Claim claim = new Claim(self, number, false, turns.nowMs());
        if (claims.current == null) {
            claims.current = claim;
            claims.phase = Phase.CONNECTION;
        } else {
            claims.waiting.addFirst(claim);
        }
        entries.charge(claims);
    }

    // ---------------------------------------------------------------- slots

    /**
     * Takes up slots that this node leads or acts for now, and drops those that it has lost. As a
     * stand-in it closes those that it does not stand in for any more.
     *
     * @param slots that may have changed, of any shard
     */
    void onLeadersChanged(BitSet slots) {
        BitSet lost = new BitSet(ClientId.SLOTS);
        BitSet mine = new BitSet(ClientId.SLOTS);
        BitSet closing = new BitSet(ClientId.SLOTS);
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            if (slot % shards != shard) {
                continue;
            }
            Leader leader = leaders.leader(slot);
            LedSlot in = led[slot];
            Leader granter = granter(slot);
            boolean isMine = granter != null && granter.node().equals(self);
            if (isMine) {
                mine.set(slot);
            }
            if (in != null && leader != null) {
                boolean isNewer = leader.changes() > in.changes;
                boolean isLost = !isMine && leader.changes() == in.changes;
                lost.set(slot, isNewer || isLost && !standsIn);
                closing.set(slot, isLost && standsIn && in.isLed);
            }
        }
        drop(lost);
        close(closing);
        List<NodeStart> live = outbox.live();
        for (int slot = mine.nextSetBit(0); slot >= 0; slot = mine.nextSetBit(slot + 1)) {
            leads(slot, live);
        }
    }

    private void leads(int slot, List<NodeStart> live) {
        Leader leader = granter(slot);
        if (leader == null) {
            return;
        }
        LedSlot in = led[slot];
        if (in == null) {
            in = lead(slot, leader.changes());
        } else if (in.changes != leader.changes()) {
            return; // Others know a later epoch of this node.
        }
        in.isLed = true;
        in.isActing = standsIn || leaders.isActing(slot) && !in.isGiven;
        check(in, slot, live);
        slotCheck.begin();
    }

    /** Opens a slot if it may be granted from. */
    private void check(LedSlot in, int slot, List<NodeStart> live) {
        boolean isLate = !standsIn && in.waitedMs >= times.peerTimeoutMs();
        if (in.isOpen || !in.isActing || !isLate && !isTold(in, slot, live)) {
            return;
        }
        if (in.hasToClear()) {
            clear(in, slot);
        }
        if (in.isOpen || in.clearing > 0) {
            return;
        }
        in.open(standsIn);
        closed.clear(slot);
        for (ClientId each : in.takeHeld()) {
            EntryClaims claims = entries.claims(each);
            if (claims != null && claims.current == null) {
                next(claims);
            }
        }
    }

    /** Whether all nodes that are heard have told; the leader does not tell a stand-in. */
    private boolean isTold(LedSlot in, int slot, List<NodeStart> live) {
        Leader leader = standsIn ? leaders.leader(slot) : null;
        return in.isToldBy(live, leader == null ? null : leader.node());
    }

    /**
     * Ends the durable sessions of client ids that a stand-in has granted with Clean Start: they
     * must not come back [MQTT-3.1.2-4].
     */
    private void clear(LedSlot in, int slot) {
        in.clearing++;
        for (ClientId each : in.takeToClear()) {
            if (registrar.hasDurableSession(each)) {
                in.clearing++;
                registrar.endOrFind(each, true, hasDurableSession -> cleared(in, slot));
            }
        }
        in.clearing--;
    }

    private void cleared(LedSlot in, int slot) {
        in.clearing--;
        if (in.clearing == 0 && led[slot] == in) {
            check(in, slot, outbox.live());
        }
    }

    /**
     * Looks at all slots that are not open.
     *
     * @param passedMs since they were looked at
     * @return whether to look again later
     */
    private boolean checkClosed(long passedMs) {
        List<NodeStart> live = outbox.live();
        boolean isAny = false;
        for (int slot = closed.nextSetBit(0); slot >= 0; slot = closed.nextSetBit(slot + 1)) {
            LedSlot in = led[slot];
            if (in != null && in.isLed) {
                in.waitedMs += in.isActing ? passedMs : 0;
                check(in, slot, live);
                refuseLate(in);
                isAny |= !in.isOpen;
            }
        }
        return isAny;
    }

    /** Refuses claims that have waited too long for this node to act. */
    private void refuseLate(LedSlot in) {
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

    /** Forgets slots that this node does not lead any more. */
    private void drop(BitSet slots) {
        if (slots.isEmpty()) {
            return;
        }
        refuseClaims(slots);
        entries.removeAll(each -> slots.get(each.slot()));
        closed.andNot(slots);
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            led[slot] = null;
        }
    }

    /** Answers all claims in slots that this node does not lead. */
    private void refuseClaims(BitSet slots) {
        for (EntryClaims each : entries.allClaims()) {
            int slot = each.clientId.slot();
            if (slots.get(slot)) {
                Claim current = each.current;
                if (current != null && each.phase != Phase.CONNECTION) {
                    notLeader(current, slot);
                }
                each.waiting.forEach(claim -> notLeader(claim, slot));
                settle(each);
            }
        }
    }

    // ---------------------------------------------------------------- slots of a stand-in

    /** Grants nothing any more in some slots, and keeps what edges have told of them. */
    private void close(BitSet slots) {
        if (slots.isEmpty()) {
            return;
        }
        refuseClaims(slots);
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            LedSlot in = led[slot];
            if (in != null) {
                in.close();
                closed.set(slot);
                forgetUntold(in, slot);
            }
        }
    }

    /** Forgets a slot that nobody holds this node for the stand-in of. */
    private void forgetUntold(LedSlot in, int slot) {
        if (!in.isLed && !in.isToldByAny()) {
            led[slot] = null;
            closed.clear(slot);
        }
    }

    /** Forgets what an edge has told: it may hear the leader now. */
    private void takenBack(NodeStart from, TakenBack message) {
        BitSet slots = new BitSet(ClientId.SLOTS);
        for (int slot : message.slots()) {
            LedSlot in = led[slot];
            if (in != null && in.changes == message.changes()) {
                slots.set(slot);
                in.takenBack(from, message.shard());
            }
        }
        if (slots.isEmpty()) {
            return;
        }
        refuseClaims(slots);
        entries.removeAllOf(
                clientId -> slots.get(clientId.slot()), from, message.shard(), message.shards());
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            LedSlot in = led[slot];
            if (in != null) {
                in.isOpen = false;
                closed.set(slot);
                forgetUntold(in, slot);
            }
        }
        slotCheck.begin();
    }

    private void notLeader(Claim claim, int slot) {
        LedSlot in = led[slot];
        if (in != null) {
            send(claim.edge, new NotLeader(claim.number, in.changes, leaders.row(slot)));
        }
    }

    /** Whether this node leads the slot, and does not give it away. */
    public boolean leads(int slot) {
        LedSlot in = led[slot];
        return in != null && in.isLed && !in.isGiven;
    }

    /**
     * Stops leading slots that are to be given to another node; an epoch that names it has to
     * follow. What comes for them is answered NotLeader from now on, and registered connections are
     * forgotten: their edges tell the new leader.
     *
     * @param slots of any shard
     * @return those of this shard that may be given: they have no claims
     */
    public BitSet giveUp(BitSet slots) {
        BitSet free = new BitSet(ClientId.SLOTS);
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            LedSlot in = led[slot];
            if (slot % shards == shard && in != null && in.isLed && !in.isGiven) {
                free.set(slot);
            }
        }
        for (EntryClaims each : entries.allClaims()) {
            free.clear(each.clientId.slot());
        }
        if (free.isEmpty()) {
            return free;
        }
        for (int slot = free.nextSetBit(0); slot >= 0; slot = free.nextSetBit(slot + 1)) {
            LedSlot in = led[slot];
            if (in != null) {
                in.isGiven = true;
                in.isActing = false;
            }
        }
        entries.removeAll(each -> free.get(each.slot()));
        closed.andNot(free);
        return free;
    }

    // ---------------------------------------------------------------- nodes

    /** Stops waiting for a node. */
    void onAway(NodeStart node) {
        for (EntryClaims each : entries.allClaims()) {
            if (each.waitsFor(Phase.END)) {
                entries.removeAt(each.entry, node::equals);
                goOn(each);
            }
        }
        checkClosed(0);
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
        for (int slot = shard; slot < led.length; slot += shards) {
            LedSlot in = led[slot];
            if (in != null) {
                in.forget(node);
                if (standsIn) {
                    forgetUntold(in, slot);
                }
            }
        }
        checkClosed(0);
    }
}

package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.Claimed;
import io.godwit.cluster.registration.RegistrationMessage.End;
import io.godwit.cluster.registration.RegistrationMessage.Ended;
import io.godwit.cluster.registration.RegistrationMessage.NotLeader;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.TakenBack;
import io.godwit.cluster.registration.RegistrationMessage.ToLeader;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.cluster.registration.RegistrationMessage.WillDue;
import io.godwit.cluster.registration.RegistrationMessage.WillsDecided;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Grants the client ids of the slots that this node leads, for the slots of one shard. Claims of
 * one client id are served one after the other, by {@link ClientIdClaims}.
 *
 * <p>A slot opens when this node acts as its leader and all nodes have told their connections, or
 * after peer-timeout. Sessions and transient connections of this node are known by its registrar
 * alone. A client id without holder and claims has no entry.
 *
 * <p>As a <em>stand-in</em> it grants connections with Clean Start in slots whose leader is out of
 * reach. A slot is open only as long as all nodes that this one hears have told their connections,
 * and none of them has taken that back: who hears the leader tells nothing. What edges have told
 * stays here until they take it back, so that it is right when this node stands in again.
 *
 * <p>The later CONNECT wins: a leader that is told a stand-in's grant, whenever that is, ends its
 * own durable session of the client id if the last CONNECT of it came before the grant.
 *
 * <p>Where sessions belong to users, no connection or session of a user ends for a claim of another
 * one, or for a grant to one. What a stand-in has granted to a user ends if the leader has a
 * session of another one. A connection that is told to end is nobody's: its user keeps nobody
 * waiting.
 */
public final class LeaderRegistry {
    /** Claims of one client id that wait; the newest lives, so older ones are refused first. */
    static final int WAITING_MAX = 8;

    private static final long CHECK_MS = 100;

    private final NodeStart self;
    private final int shard;
    private final int shards;
    private final RegistrationTimes times;
    private final Leaders leaders;
    private final LocalClaims registrar;
    private final RegistrationOutbox outbox;
    private final boolean standsIn;
    private final DecidedWills decided;
    private final RegistryEntries entries;
    private final LedSlots led = new LedSlots();
    private final ClientIdClaims claims;
    private final LeaderWills wills;
    private final SlotCheck slotCheck;

    /**
     * @param granted what this shard has granted as a stand-in
     * @param decided tells the next leaders of which nodes no Wills are left
     */
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
            GrantedIds granted,
            DecidedWills decided) {
        this.self = self;
        this.shard = shard;
        this.shards = shards;
        this.times = times;
        this.leaders = leaders;
        this.registrar = registrar;
        this.outbox = outbox;
        this.standsIn = standsIn;
        this.decided = decided;
        this.entries = new RegistryEntries(account);
        this.claims =
                new ClientIdClaims(
                        self, times, turns, leaders, registrar, outbox, account, standsIn, granted,
                        led, entries);
        this.wills = new LeaderWills(self, led, entries, registrar, outbox, standsIn);
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

    /** Counts the connections refused so far for newer ones, which wait or have come before. */
    public long refusedForNewer() {
        return claims.refusedForNewer();
    }

    /**
     * Returns the other node where a client is connected that has a transient session; null: none
     * is known.
     */
    public @Nullable NodeStart edge(ClientId clientId) {
        RegistryEntry entry = entries.get(clientId);
        return entry == null ? null : entry.edge();
    }

    /** Counts the bytes of the CONNECTs that are remembered since older ones may come late. */
    long connectBytes() {
        return claims.connectBytes();
    }

    /** Counts the client ids whose claims wait for their slots to open. */
    int idsHeld() {
        return led.idsHeld();
    }

    /** Counts the slots that are led here, or that edges have told something of. */
    int slots() {
        return led.size();
    }

    // ---------------------------------------------------------------- messages

    private void send(NodeStart to, RegistrationMessage message) {
        outbox.send(to, standsIn, message);
    }

    void onMessage(NodeStart from, ToLeader message) {
        switch (message) {
            case Register m -> register(from, m);
            case Unregister m -> claims.over(from, m.clientId(), m.number());
            case Ended m -> claims.over(from, m.clientId(), m.number());
            case Claimed m -> claims.over(from, m.clientId(), m.number());
            case Registered m -> registered(from, m);
            case TakenBack m -> takenBack(from, m);
            case WillDue m -> wills.onDue(from, m);
            case WillsDecided m -> willsDecided(m);
        }
    }

    private void register(NodeStart from, Register message) {
        int slot = message.clientId().slot();
        LedSlot in = led.get(slot, message.changes());
        boolean mayClaim = !standsIn || message.cleanStart();
        if (in == null || !in.isLed || in.isGiven || !mayClaim) {
            send(from, new NotLeader(message.number(), message.changes(), leaders.row(slot)));
            return;
        }
        if (standsIn && in.isOpen && !isTold(in, slot, outbox.live())) {
            led.close(in, slot); // Another node has come, which may hear the leader.
        }
        claims.add(from, message, in);
        if (!in.isOpen) {
            slotCheck.begin();
        }
    }

    // ---------------------------------------------------------------- what edges tell a leader

    /** Adds slots that this node is said to lead, in place of those of older epochs. */
    private void addTold(List<Integer> slots, long changes) {
        BitSet older = new BitSet(ClientId.SLOTS);
        for (int slot : slots) {
            LedSlot in = led.get(slot);
            if (in != null && in.changes < changes) {
                older.set(slot);
            }
        }
        drop(older);
        for (int slot : slots) {
            if (led.get(slot) == null && mayLead(slot, changes)) {
                led.add(slot, changes);
            }
        }
    }

    private void willsDecided(WillsDecided message) {
        addTold(message.slots(), message.changes());
        for (int slot : message.slots()) {
            LedSlot in = led.get(slot, message.changes());
            if (in != null) {
                in.decided(message.servers());
            }
        }
    }

    private void registered(NodeStart from, Registered message) {
        addTold(message.slots(), message.changes());
        for (Registration each : message.all()) {
            LedSlot in = led.get(each.clientId().slot(), message.changes());
            if (in != null) {
                merge(in, from, each);
            }
        }
        List<NodeStart> live = outbox.live();
        for (int slot : message.slots()) {
            LedSlot in = led.get(slot, message.changes());
            if (in != null) {
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

    private void merge(LedSlot in, NodeStart from, Registration registration) {
        ClientId clientId = registration.clientId();
        long number = registration.number();
        if (number != 0 && from.equals(self)) {
            claims.addOwn(clientId, number, registration.by());
            return;
        }
        if (number != 0) {
            addTold(in, from, registration);
        }
        if (registration.grantedAt() != 0 && !standsIn) {
            endOlder(in, from, registration);
        }
    }

    private void addTold(LedSlot in, NodeStart from, Registration registration) {
        ClientId clientId = registration.clientId();
        long number = registration.number();
        RegistryEntry entry = entries.entry(clientId);
        if (entry.isHeldBy(from, number)) {
            return;
        }
        EntryClaims waiting = entry.claims;
        boolean isServed = entry.hasHolder() || waiting != null && waiting.current != null;
        boolean isOlder = in.isOpen && isServed || registrar.isConnected(clientId);
        if (isOlder) {
            send(from, new End(clientId, number)); // Told late: a newer one has it.
            entries.add(entry, from, number, null, null);
        } else {
            entries.add(entry, from, number, registration.will(), registration.by());
        }
    }

    /**
     * Ends the durable session of a client id if its last CONNECT came before a stand-in has
     * granted another one, with Clean Start: it must not come back [MQTT-3.1.2-4]. A newer one
     * stays, and the connection that was granted ends.
     */
    private void endOlder(LedSlot in, NodeStart from, Registration registration) {
        ClientId clientId = registration.clientId();
        if (!registrar.hasSession(clientId)) {
            return;
        }
        in.ending++;
        registrar.endOlder(
                clientId,
                registration.grantedAt(),
                registration.by(),
                hasSession -> {
                    in.ending--;
                    int slot = clientId.slot();
                    if (led.get(slot) != in) {
                        return;
                    }
                    if (hasSession && registration.number() != 0) {
                        send(from, new End(clientId, registration.number()));
                        entries.disown(clientId, from, registration.number());
                    }
                    check(in, slot, outbox.live());
                });
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
            LedSlot in = led.get(slot);
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
        LedSlot in = led.get(slot);
        if (in == null) {
            in = led.add(slot, leader.changes());
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
        boolean mayOpen = in.isActing && in.ending == 0 && (isLate || isTold(in, slot, live));
        if (!in.isOpen && mayOpen) {
            led.open(in, slot, standsIn);
            wills.onOpened(in);
            claims.beginHeld(in);
        }
    }

    /** Whether all nodes that are heard have told; the leader does not tell a stand-in. */
    private boolean isTold(LedSlot in, int slot, List<NodeStart> live) {
        Leader leader = standsIn ? leaders.leader(slot) : null;
        return in.isToldBy(live, leader == null ? null : leader.node());
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
        for (int slot = led.nextClosed(0); slot >= 0; slot = led.nextClosed(slot + 1)) {
            LedSlot in = led.get(slot);
            if (in != null && in.isLed) {
                in.waitedMs += in.isActing ? passedMs : 0;
                check(in, slot, live);
                claims.refuseLate(in);
                isAny |= !in.isOpen;
            }
        }
        return isAny;
    }

    /** Forgets slots that this node does not lead any more. */
    private void drop(BitSet slots) {
        if (slots.isEmpty()) {
            return;
        }
        claims.refuseAll(slots);
        wills.onLost(slots);
        entries.removeAll(each -> slots.get(each.slot()));
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            LedSlot in = led.get(slot);
            if (in != null) {
                passOnDecided(slot, in);
            }
            led.remove(slot);
        }
    }

    /** Has the next leader of a slot told of which nodes no Wills are left. */
    private void passOnDecided(int slot, LedSlot in) {
        if (in.isLed) {
            decided.add(slot, wills.takeDecided(in));
        }
    }

    // ---------------------------------------------------------------- slots of a stand-in

    /** Grants nothing any more in some slots, and keeps what edges have told of them. */
    private void close(BitSet slots) {
        if (slots.isEmpty()) {
            return;
        }
        claims.refuseAll(slots);
        wills.onLost(slots);
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            LedSlot in = led.get(slot);
            if (in != null) {
                passOnDecided(slot, in);
                in.close();
                led.close(in, slot);
                led.removeUntold(in, slot);
            }
        }
    }

    /** Forgets what an edge has told: it may hear the leader now. */
    private void takenBack(NodeStart from, TakenBack message) {
        BitSet slots = new BitSet(ClientId.SLOTS);
        for (int slot : message.slots()) {
            LedSlot in = led.get(slot, message.changes());
            if (in != null) {
                slots.set(slot);
                in.takenBack(from, message.shard());
            }
        }
        if (slots.isEmpty()) {
            return;
        }
        claims.refuseAll(slots);
        entries.removeAllOf(
                clientId -> slots.get(clientId.slot()), from, message.shard(), message.shards());
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            LedSlot in = led.get(slot);
            if (in != null) {
                led.close(in, slot);
                led.removeUntold(in, slot);
            }
        }
        slotCheck.begin();
    }

    /** Whether this node leads the slot, and does not give it away. */
    public boolean leads(int slot) {
        LedSlot in = led.get(slot);
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
            LedSlot in = led.get(slot);
            if (slot % shards == shard && in != null && in.isLed && !in.isGiven) {
                free.set(slot);
            }
        }
        for (EntryClaims each : entries.allClaims()) {
            free.clear(each.clientId.slot());
        }
        wills.removeInUse(free);
        if (free.isEmpty()) {
            return free;
        }
        for (int slot = free.nextSetBit(0); slot >= 0; slot = free.nextSetBit(slot + 1)) {
            LedSlot in = led.get(slot);
            if (in != null) {
                in.isGiven = true;
                in.isActing = false;
            }
        }
        wills.onLost(free);
        entries.removeAll(each -> free.get(each.slot()));
        led.leave(free);
        return free;
    }

    // ---------------------------------------------------------------- nodes

    /** Stops waiting for a node. */
    void onAway(NodeStart node) {
        claims.onAway(node);
        checkClosed(0);
    }

    /**
     * Notes that a node is out of reach for good, as far as is known: it may be back, and has its
     * connections then.
     */
    void onGone(NodeStart node) {
        wills.onGone(node);
    }

    /** Notes that a start of a node has ended, with all connections there. */
    void onEnded(NodeStart node) {
        wills.onEnded(node);
        claims.onEnded(node);
        for (int slot = shard; slot < ClientId.SLOTS; slot += shards) {
            LedSlot in = led.get(slot);
            if (in != null) {
                if (standsIn && in.isOpen && in.isToldBy(node)) {
                    in.decided(List.of(node.server()));
                }
                in.forget(node);
                if (standsIn) {
                    led.removeUntold(in, slot);
                }
            }
        }
        checkClosed(0);
    }
}

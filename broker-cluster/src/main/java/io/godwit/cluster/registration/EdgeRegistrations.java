package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.Claimed;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the connections of one shard registered with the leaders of their slots, and with the
 * stand-ins of leaders that are out of reach.
 *
 * <p>A stand-in is told all connections before it is asked anything, as a new leader is. When the
 * leader is heard again, the stand-in is told that this is over, and the leader what the stand-in
 * has granted.
 */
final class EdgeRegistrations {
    private final NodeStart self;
    private final Leaders leaders;
    private final RegistrationOutbox outbox;
    private final RegistrationAccount account;
    private final ToldLeaders told;
    private final ToldLeaders toldStandIns;

    /** What this shard has granted as a stand-in. */
    private final GrantedIds granted;

    private final Map<Long, EdgeStay> stays = new HashMap<>();

    /** Slots with connections that a stand-in has granted and the leader was not told of. */
    private final BitSet grantedByStandIn = new BitSet(ClientId.SLOTS);

    EdgeRegistrations(
            NodeStart self,
            int shard,
            int shards,
            Leaders leaders,
            RegistrationOutbox outbox,
            RegistrationAccount account,
            GrantedIds granted) {
        this.self = self;
        this.leaders = leaders;
        this.outbox = outbox;
        this.account = account;
        this.granted = granted;
        told = new ToldLeaders(shard, shards, this::send);
        toldStandIns = new ToldLeaders(shard, shards, this::send);
    }

    private void send(Leader to, RegistrationMessage message) {
        outbox.send(to.node(), to.standsIn(), message);
    }

    int size() {
        return stays.size();
    }

    @Nullable EdgeStay get(long number) {
        return stays.get(number);
    }

    /** Whether a leader or stand-in was told all connections of a slot. */
    boolean isTold(int slot, Leader leader) {
        return leader.equals((leader.standsIn() ? toldStandIns : told).leader(slot));
    }

    // ---------------------------------------------------------------- connections

    void add(EdgeStay stay) {
        stays.put(stay.number, stay);
        account.registered(stay.bytes());
        if (stay.isByStandIn()) {
            grantedByStandIn.set(stay.clientId.slot());
        }
    }

    /**
     * Removes a connection.
     *
     * @return whether it was here
     */
    boolean remove(EdgeStay stay) {
        boolean isHere = stays.remove(stay.number, stay);
        if (isHere) {
            account.registered(-stay.bytes());
        }
        return isHere;
    }

    /** Removes some connections. Returns them. */
    List<EdgeStay> removeAll(Predicate<EdgeStay> which) {
        List<EdgeStay> found = stays.values().stream().filter(which).toList();
        found.forEach(this::remove);
        return found;
    }

    /** Notes that a connection is asked to end. */
    void begin(EdgeStay stay, EdgeStay.Ending ending) {
        account.registered(-stay.bytes());
        stay.ending = ending;
        account.registered(stay.bytes());
    }

    /** Tells the leader and the stand-in, if they are this node, that a claim is over. */
    void claimed(EdgeStay stay) {
        int slot = stay.clientId.slot();
        Claimed message = new Claimed(stay.clientId, stay.number);
        if (isLedHere(slot)) {
            outbox.send(self, message);
        }
        Leader standIn = toldStandIns.leader(slot);
        if (standIn != null && standIn.node().equals(self)) {
            outbox.send(self, true, message);
        }
    }

    boolean isLedHere(int slot) {
        Leader leader = leaders.leader(slot);
        return leader != null && leader.node().equals(self);
    }

    /** Tells those who know of a connection that it has ended. */
    void ended(EdgeStay stay) {
        int slot = stay.clientId.slot();
        boolean isUntold = stay.isByStandIn() && grantedByStandIn.get(slot);
        if (!isUntold) {
            unregister(told.leader(slot), stay);
        }
        unregister(toldStandIns.leader(slot), stay);
    }

    private void unregister(@Nullable Leader leader, EdgeStay stay) {
        if (leader != null && knows(leader, stay)) {
            send(leader, new Unregister(stay.clientId, stay.number));
        }
    }

    /** Whether a leader that was told, or has granted, still has the connection. */
    private boolean knows(Leader leader, EdgeStay stay) {
        EdgeStay.Ending ending = stay.ending;
        return leader.node().equals(self)
                ? !stay.isClaimed
                : ending == null || !ending.isBy(leader.node(), leader.standsIn());
    }

    // ---------------------------------------------------------------- leaders

    /**
     * Takes up new leaders and stand-ins, and tells them the connections.
     *
     * @param slots that may have others than before
     * @return those that have
     */
    BitSet onLeadersChanged(BitSet slots) {
        BitSet news = toldStandIns.changed(slots, leaders::standIn);
        BitSet ofLeaders = told.changed(slots, leaders::leader);
        grantedByStandIn.andNot(ofLeaders); // A new leader is told all.
        tellAgain(slots);
        news.or(ofLeaders);
        if (!news.isEmpty()) {
            told.untoldLeaders().forEach(this::tell);
            toldStandIns.untoldLeaders().forEach(this::tell);
        }
        return news;
    }

    /** Tells leaders that are heard again, under the same epoch, what stand-ins have granted. */
    private void tellAgain(BitSet slots) {
        Map<NodeStart, BitSet> again = new HashMap<>();
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            Leader leader = told.leader(slot);
            if (leader == null || !leaders.isLed(slot)) {
                continue;
            }
            granted.forget(slot); // Its sessions may be newer now.
            if (grantedByStandIn.get(slot)) {
                grantedByStandIn.clear(slot);
                again.computeIfAbsent(leader.node(), any -> new BitSet()).set(slot);
            }
        }
        again.forEach((node, of) ->
                told.tell(of, find(of, node, EdgeStay::isByStandIn, this::endsSessions)));
    }

    /** Tells a node of the slots that it leads or stands in for and was not told of, if known. */
    void tell(NodeStart node) {
        if (outbox.knows(node)) {
            told.tell(node, slots -> findForLeader(slots, node));
            toldStandIns.tell(node, slots -> find(slots, node, any -> true, any -> false));
        }
    }

    private Map<Integer, List<Registration>> findForLeader(BitSet slots, NodeStart leader) {
        grantedByStandIn.andNot(slots);
        return withGranted(slots, find(slots, leader, any -> true, this::endsSessions));
    }

    /**
     * Finds connections in some slots of which a node is to know, by slot.
     *
     * @param endsSessions whether older durable sessions of the client id are over
     */
    private Map<Integer, List<Registration>> find(
            BitSet slots,
            NodeStart node,
            Predicate<EdgeStay> which,
            Predicate<EdgeStay> endsSessions) {
        Map<Integer, List<Registration>> bySlot = new HashMap<>();
        for (EdgeStay each : stays.values()) {
            int slot = each.clientId.slot();
            if (slots.get(slot) && isToBeTold(node, each) && which.test(each)) {
                bySlot.computeIfAbsent(slot, any -> new ArrayList<>())
                        .add(new Registration(each.clientId, each.number, endsSessions.test(each)));
            }
        }
        return bySlot;
    }

    /**
     * Whether the leader that is told now can't have a session that is newer than a connection that
     * a stand-in has granted. Under an epoch whose leader was not told there may have been one.
     */
    private boolean endsSessions(EdgeStay stay) {
        Leader leader = leaders.leader(stay.clientId.slot());
        boolean isNext =
                stay.isByStandIn() && leader != null && leader.changes() <= stay.standInChanges + 1;
        stay.standInChanges = isNext && leader != null ? leader.changes() : 0;
        return isNext;
    }

    /** Adds what this node has granted as a stand-in, also where the connection has ended. */
    private Map<Integer, List<Registration>> withGranted(
            BitSet slots, Map<Integer, List<Registration>> bySlot) {
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            Leader leader = leaders.leader(slot);
            for (ClientId each : granted.take(slot, leader == null ? 0 : leader.changes())) {
                bySlot.computeIfAbsent(slot, any -> new ArrayList<>())
                        .add(new Registration(each, 0, true));
            }
        }
        return bySlot;
    }

    /** Whether a leader is to know of a connection; the one here asks its registrar for others. */
    private boolean isToBeTold(NodeStart leader, EdgeStay stay) {
        EdgeStay.Ending ending = stay.ending;
        if (leader.equals(self)) {
            return !stay.isClaimed;
        }
        return !stay.isDurable && (ending == null || !ending.isAnswered);
    }
}

package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.Claimed;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.cluster.registration.RegistrationMessage.WillsDecided;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the connections of one shard registered with the leaders of their slots, and with the
 * stand-ins of leaders that are out of reach.
 *
 * <p>A stand-in is told all connections before it is asked anything, as a new leader is. When the
 * leader is heard again, the stand-in is told that this is over, and the leader is told all
 * connections and grants as if it had begun to lead, also when it has run all the time.
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

    /** Nodes whose ended starts have left no Will in slots that this shard has led. */
    private final DecidedWills decided;

    private final Map<Long, EdgeStay> stays = new HashMap<>();

    /** Slots that had a stand-in since their leader was told. */
    private final BitSet stoodIn = new BitSet(ClientId.SLOTS);

    EdgeRegistrations(
            NodeStart self,
            int shard,
            int shards,
            Leaders leaders,
            RegistrationOutbox outbox,
            RegistrationAccount account,
            GrantedIds granted,
            DecidedWills decided) {
        this.self = self;
        this.leaders = leaders;
        this.outbox = outbox;
        this.account = account;
        this.granted = granted;
        this.decided = decided;
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
        if (stay.isUnregistered) {
            return;
        }
        stay.isUnregistered = true;
        int slot = stay.clientId.slot();
        if (stay.isKnownToLeader) {
            unregister(told.leader(slot), stay);
        }
        unregister(toldStandIns.leader(slot), stay);
    }

    /** Returns the leader that has a connection registered; null: none. */
    @Nullable Leader leaderThatKnows(EdgeStay stay) {
        return stay.isKnownToLeader ? told.leader(stay.clientId.slot()) : null;
    }

    /** Returns the stand-in that has a connection registered; null: none. */
    @Nullable Leader standInThatKnows(EdgeStay stay) {
        return toldStandIns.leader(stay.clientId.slot());
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
        stoodIn.andNot(ofLeaders); // A new leader is told all in any case.
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            lookAtStandIn(slot);
        }
        told.untoldLeaders().forEach(this::tell);
        toldStandIns.untoldLeaders().forEach(this::tell);
        news.or(ofLeaders);
        return news;
    }

    private void lookAtStandIn(int slot) {
        if (leaders.standIn(slot) != null) {
            stoodIn.set(slot);
        } else if (stoodIn.get(slot) && leaders.isLed(slot)) {
            stoodIn.clear(slot);
            told.tellAgain(slot);
        }
    }

    /**
     * Tells a node of the slots that it leads or stands in for and was not told of, if known.
     *
     * @return the slots of which it was told as their leader
     */
    BitSet tell(NodeStart node) {
        if (!outbox.knows(node)) {
            return new BitSet();
        }
        BitSet slots =
                told.tell(
                        node,
                        of -> {
                            tellDecided(of);
                            return findForLeader(of, node);
                        });
        toldStandIns.tell(node, of -> find(of, node));
        return slots;
    }

    /** Tells the new leader of some slots of which nodes no Wills are left. */
    private void tellDecided(BitSet slots) {
        Map<Leader, Map<Set<Integer>, List<Integer>>> messages = new LinkedHashMap<>();
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            Set<Integer> servers = decided.take(slot);
            if (!servers.isEmpty()) {
                messages.computeIfAbsent(told.known(slot), any -> new LinkedHashMap<>())
                        .computeIfAbsent(servers, any -> new ArrayList<>())
                        .add(slot);
            }
        }
        messages.forEach((leader, all) ->
                all.forEach((servers, of) ->
                        send(
                                leader,
                                new WillsDecided(
                                        leader.changes(),
                                        of,
                                        servers.stream().sorted().toList()))));
    }

    /** Finds what the leader of some slots is to know, also grants whose connection has ended. */
    private Map<Integer, List<Registration>> findForLeader(BitSet slots, NodeStart leader) {
        Map<Integer, List<Registration>> bySlot = find(slots, leader);
        for (EdgeStay each : stays.values()) {
            each.isKnownToLeader |= slots.get(each.clientId.slot());
        }
        for (int slot = slots.nextSetBit(0); slot >= 0; slot = slots.nextSetBit(slot + 1)) {
            for (Map.Entry<GrantedIds.Id, Long> each : granted.take(slot).entrySet()) {
                GrantedIds.Id id = each.getKey();
                bySlot.computeIfAbsent(slot, any -> new ArrayList<>())
                        .add(new Registration(id.clientId(), 0, each.getValue(), null, id.by()));
            }
        }
        return bySlot;
    }

    /** Finds connections in some slots of which a node is to know, by slot. */
    private Map<Integer, List<Registration>> find(BitSet slots, NodeStart node) {
        Map<Integer, List<Registration>> bySlot = new HashMap<>();
        for (EdgeStay each : stays.values()) {
            int slot = each.clientId.slot();
            if (slots.get(slot) && isToBeTold(node, each)) {
                bySlot.computeIfAbsent(slot, any -> new ArrayList<>())
                        .add(
                                new Registration(
                                        each.clientId,
                                        each.number,
                                        each.grantedAt,
                                        node.equals(self) ? null : each.will,
                                        each.by));
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

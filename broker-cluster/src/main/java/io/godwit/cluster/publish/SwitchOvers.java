package io.godwit.cluster.publish;

import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;

/**
 * Switches all shards of this node over to nodes that have taken over slots of a leader which is
 * gone, one take-over after the other, and tells others of those of this node. On the shard that
 * owns the topic index.
 *
 * <pre>
 * 1. each shard begins: a publisher whose messages change their stream waits for the earlier ones
 * 2. what is retained is switched over, and what was redirected of it is routed
 * 3. each shard switches over, in one step
 * </pre>
 *
 * So a message that a publisher sent by one stream is there before one that it sends by another.
 */
public final class SwitchOvers {
    /** Answers questions about which node leads which slot. */
    public interface LeaderTable {
        /**
         * Whether every slot has a leader, none is led by a node, and whoever has taken one over
         * has loaded it.
         *
         * @param loadedBy of a slot the server id of the node to which all shards have switched
         *     over last; 0 for none
         */
        boolean leadsNothing(int server, IntUnaryOperator loadedBy);
    }

    /** The filters of this node and the others. */
    public interface Filters {
        /** Tells the other nodes what has changed. */
        void tellChanges();

        /** Returns the server ids of members whose filters have to be known, and are not. */
        Set<Integer> unknown();

        /**
         * A node is gone, and others lead all that it led: soon nothing is routed to it, until
         * there is a link.
         */
        void settle(int server);

        /** There is a link to a node: one that was gone is asked for its filters. */
        void onUp(int server);
    }

    /**
     * @param sources by server id, once it has begun: slots whose messages went there until now;
     *     those that led before others come first
     */
    private record SwitchOver(
            NodeStart leader,
            int takeover,
            int from,
            BitSet slots,
            Map<Integer, BitSet> sources,
            Runnable whenSwitched) {}

    private final int self;
    private final List<ShardStreams> shards;
    private final Filters filters;
    private final StreamRules rules;
    private final LeaderTable table;
    private final ArrayDeque<SwitchOver> waiting = new ArrayDeque<>(0);
    private final int[] loadedBy = new int[ClientId.SLOTS];

    /** By slot: server id of a leader that has not taken it over; 0 for none that is known. */
    private final int[] ledBy = new int[ClientId.SLOTS];

    /** By slot: server id of who led it before that one; 0 for none that is known. */
    private final int[] ledBefore = new int[ClientId.SLOTS];

    /** By slot: highest epoch of which was heard here. */
    private final long[] epochs = new long[ClientId.SLOTS];

    /** Take-overs of this node, told to the others. */
    private final List<StreamRecord.Loaded> own = new ArrayList<>(0);

    /** By server id of a former leader: that of the node which has adopted its groups' queues. */
    private final Map<Integer, Integer> groupTakers = new TreeMap<>();

    /**
     * Holds server ids of nodes of which all shards have given to others what is for their groups.
     */
    private final Set<Integer> givenGroups = new HashSet<>(0);

    /** Server ids of leaders whose slots were taken over. */
    private final Set<Integer> former = new TreeSet<>();

    /**
     * Holds server ids of nodes that lead nothing any more: nothing is sent there before a link.
     */
    private final Set<Integer> settled = new HashSet<>(0);

    /** By server id of the new leader: what waits until no switch-over to it is under way. */
    private final Map<Integer, List<Runnable>> behind = new HashMap<>(0);

    /** Server id of the leader to which this node switches over now. */
    private int switchingTo;

    private boolean isBusy;

    /**
     * @param self server id of this node
     * @param shards of this node, by their index
     * @param filters told which nodes lead nothing any more
     */
    public SwitchOvers(
            int self,
            List<ShardStreams> shards,
            Filters filters,
            StreamRules rules,
            LeaderTable table) {
        this.self = self;
        this.shards = shards;
        this.filters = filters;
        this.rules = rules;
        this.table = table;
    }

    private ShardStreams owner() {
        return shards.get(TopicIndex.OWNER);
    }

    // ---------------------------------------------------------------- take-overs of this node

    /**
     * Tells all nodes that this one has taken over slots, behind the filters of their sessions, and
     * switches its own shards over.
     *
     * @param takeover number among those of this start, from 1 on
     * @param from server id of the former leader
     * @param epoch under which this node leads the slots
     * @param slots not to be changed
     * @param whenSwitched run when all shards have switched over
     */
    public void tookOver(
            NodeStart leader,
            int takeover,
            int from,
            long epoch,
            BitSet slots,
            Runnable whenSwitched) {
        if (rules.holds(StreamRule.LOADED_BEHIND_FILTERS)) {
            filters.tellChanges();
        }
        StreamRecord.Loaded loaded = new StreamRecord.Loaded(takeover, from, epoch, slots);
        own.add(loaded);
        tellAll(loaded);
        loaded(leader, loaded, whenSwitched);
    }

    /**
     * Tells all nodes, and the former leader when all others have switched over: it sets its
     * sessions aside then, and nobody may have known of these alone.
     */
    private void tellAll(StreamRecord.Loaded loaded) {
        Set<Integer> others = new TreeSet<>(owner().servers());
        boolean isThere = others.remove(loaded.from());
        Set<Integer> missing = new HashSet<>(others);
        for (int server : others) {
            OutStream shared = owner().shared(server);
            tell(server, loaded);
            shared.whenAnsweredAlone(
                    shared.last(),
                    () -> {
                        if (missing.remove(server) && missing.isEmpty() && isThere) {
                            tell(loaded.from(), loaded);
                        }
                    });
        }
        if (missing.isEmpty() && isThere) {
            tell(loaded.from(), loaded);
        }
    }

    /**
     * Tells all nodes that this one has adopted the queues of a former leader's groups.
     *
     * @param from server id of that one
     */
    public void tookOverGroups(int from) {
        StreamRecord.Loaded loaded = StreamRecord.Loaded.groups(from);
        own.add(loaded);
        List.copyOf(owner().servers()).forEach(server -> tell(server, loaded));
        groupsTaken(from, self);
    }

    /**
     * A node has adopted the queues of the groups of a former leader that is not heard: what that
     * one has not answered for its groups goes to other members, once no slots are its own any
     * more, or when it starts anew.
     *
     * @param from server id of the former leader
     * @param by server id of the other node
     */
    public void groupsTaken(int from, int by) {
        groupTakers.put(from, by);
        givenGroups.remove(from);
        former.add(from);
        onEach(of -> of.peers.of(from).groupsTaken(by), true, () -> {});
        look();
    }

    /**
     * Gives what former leaders have not answered for groups to others. Called now and then: their
     * filters leave the index slice by slice, and messages are sent there until then.
     */
    public void giveGroups() {
        groupTakers.forEach((server, taker) -> {
            if (settled.contains(server) && isGone(server)) {
                onEach(
                        of -> of.giveGroups(server, taker),
                        true,
                        () -> {
                            if (settled.contains(server)
                                    && groupTakers.getOrDefault(server, 0) == (int) taker) {
                                givenGroups.add(server);
                            }
                        });
            }
        });
    }

    /** Tells a new start of a node of the take-overs of this one; its filters were told before. */
    public void onNewStart(int server) {
        own.forEach(each -> tell(server, each));
    }

    private void tell(int server, StreamRecord record) {
        owner().shared(server).add(record, null, false, false, false);
    }

    // ---------------------------------------------------------------- switch-over

    /**
     * Switches over to a node that has taken over slots, and acts for their sessions; but for slots
     * that were led by another one since: a node that slept tells late what it took over before.
     *
     * @param told by that node
     * @param whenSwitched run when all shards have switched over
     */
    public void loaded(NodeStart leader, StreamRecord.Loaded told, Runnable whenSwitched) {
        BitSet slots = (BitSet) told.slots().clone();
        slots.stream().filter(slot -> epochs[slot] > told.epoch()).forEach(slots::clear);
        slots.stream().forEach(slot -> epochs[slot] = told.epoch());
        waiting.add(
                new SwitchOver(
                        leader,
                        told.takeover(),
                        told.from(),
                        slots,
                        new LinkedHashMap<>(0),
                        whenSwitched));
        next();
    }

    /** Whether all shards have switched over to a node that has taken a slot over. */
    public boolean hasSwitched(int slot, int server) {
        return loadedBy[slot] == server;
    }

    /** Whether some shard may not have switched over to a node of whose take-over was heard. */
    public boolean isSwitchingTo(int server) {
        return isBusy && switchingTo == server
                || waiting.stream().anyMatch(each -> each.leader.server() == server);
    }

    /**
     * Runs a task once all shards have switched over to a node: filters that it told later count.
     */
    public void whenSwitchedTo(int server, Runnable task) {
        if (isSwitchingTo(server)) {
            behind.computeIfAbsent(server, any -> new ArrayList<>()).add(task);
        } else {
            task.run();
        }
    }

    private void goOnBehind(int server) {
        List<Runnable> tasks = isSwitchingTo(server) ? null : behind.remove(server);
        if (tasks != null) {
            tasks.forEach(Runnable::run);
        }
    }

    /**
     * Notes who leads a slot, unless that node has taken it over: then {@link #loaded} follows.
     *
     * @param server id of the leader
     * @param epoch counts the changes of the slot's leader
     */
    public void onLeader(int slot, int server, long epoch) {
        epochs[slot] = Math.max(epochs[slot], epoch);
        int before = source(slot, 0);
        ledBefore[slot] = before == server ? ledBefore[slot] : before;
        ledBy[slot] = server;
        loadedBy[slot] = 0;
    }

    /**
     * Returns the server id of the node where messages for a slot's sessions go before this node
     * switches over. That may be another one than that from which the slot was taken over: of that
     * one's own take-over this node may not have heard, since both were gone soon after.
     *
     * @param from server id of the node from which the slot was taken over, which is returned when
     *     no leader is known
     */
    public int source(int slot, int from) {
        int known = loadedBy[slot] == 0 ? ledBy[slot] : loadedBy[slot];
        return known == 0 ? from : known;
    }

    /**
     * Finds where messages for the slots wait. When the former leader was forgotten before, another
     * node may have led a slot without its sessions meanwhile.
     */
    private void findSources(SwitchOver of) {
        of.slots.stream()
                .filter(slot -> ledBefore[slot] == of.from)
                .forEach(slot -> addSource(of, of.from, slot));
        of.slots.stream().forEach(slot -> addSource(of, source(slot, of.from), slot));
        former.add(of.from);
        former.addAll(of.sources.keySet());
    }

    private void addSource(SwitchOver of, int source, int slot) {
        if (source != of.leader.server() && source != self) {
            of.sources.computeIfAbsent(source, any -> new BitSet()).set(slot);
        }
    }

    private void next() {
        SwitchOver first = isBusy ? null : waiting.poll();
        if (first != null) {
            isBusy = true;
            switchingTo = first.leader.server();
            findSources(first);
            onEach(ShardStreams::beginSwitchOver, true, () -> switchRetained(first));
        }
    }

    private void switchRetained(SwitchOver each) {
        if (each.leader.server() == self) {
            switchOver(owner(), each);
            onEach(of -> switchOver(of, each), false, () -> end(each));
            return;
        }
        owner().switchRetained(
                        each.sources,
                        each.leader,
                        each.takeover,
                        each.slots,
                        () -> onEach(of -> switchOver(of, each), true, () -> end(each)));
    }

    private static void switchOver(ShardStreams of, SwitchOver each) {
        of.switchOver(each.sources, each.leader, each.takeover, each.slots);
    }

    private void end(SwitchOver each) {
        each.slots.stream().forEach(slot -> loadedBy[slot] = each.leader.server());
        isBusy = false;
        each.whenSwitched.run();
        goOnBehind(each.leader.server());
        look();
        next();
    }

    /**
     * Does something on each shard, behind the mail that was sent to sessions before.
     *
     * @param withOwner whether on the shard of the topic index, too
     * @param then run on that shard when all have done it
     */
    private void onEach(Consumer<ShardStreams> task, boolean withOwner, Runnable then) {
        Step step = new Step(task, shards.size() - 1, then);
        if (withOwner) {
            task.accept(owner());
        }
        if (shards.size() == 1) {
            then.run();
        }
        for (ShardStreams each : shards) {
            if (each != owner()) {
                owner().shard.sendAfterAll(each.shard.index(), step.at(each));
            }
        }
    }

    private static final class Step {
        private final Consumer<ShardStreams> task;
        private final Runnable then;
        private int missing;

        Step(Consumer<ShardStreams> task, int missing, Runnable then) {
            this.task = task;
            this.missing = missing;
            this.then = then;
        }

        Mail at(ShardStreams streams) {
            return new Mail() {
                @Override
                protected boolean handle(Shard at, int from) {
                    task.accept(streams);
                    at.sendAfterAll(from, new Done());
                    return true;
                }
            };
        }

        private final class Done extends Mail {
            @Override
            protected boolean handle(Shard at, int from) {
                if (--missing == 0) {
                    then.run();
                }
                return true;
            }
        }
    }

    // ---------------------------------------------------------------- leaders that are gone

    /** The table of leaders has changed, or a link has ended. */
    public void look() {
        if (former.isEmpty() || isBusy || !waiting.isEmpty()) {
            return;
        }
        Set<Integer> gone = new TreeSet<>(former);
        gone.addAll(filters.unknown());
        for (int server : gone) {
            if (isGone(server) && leadsNothing(server) && settled.add(server)) {
                filters.settle(server);
                onEach(of -> of.settle(server), true, () -> {});
            }
        }
        giveGroups();
    }

    /** Whether others lead all that a node led, and all shards have switched over to them. */
    public boolean leadsNothing(int server) {
        return table.leadsNothing(server, slot -> loadedBy[slot]);
    }

    /**
     * Whether what a node has not answered for its shared groups was given to others, since another
     * one has adopted its groups' queues.
     */
    public boolean hasGivenGroups(int server) {
        return givenGroups.contains(server);
    }

    private boolean isGone(int server) {
        PeerStreams peer = owner().peers.shown(server);
        return peer == null || peer.link == null;
    }

    /** There is a link to a node: if it was gone, it is asked for its filters. */
    public void onUp(int server) {
        settled.remove(server);
        onHeard(server);
        filters.onUp(server);
    }

    /** A node is heard again: it gives back itself what is not its groups' any more. */
    public void onHeard(int server) {
        groupTakers.remove(server);
        givenGroups.remove(server);
    }
}

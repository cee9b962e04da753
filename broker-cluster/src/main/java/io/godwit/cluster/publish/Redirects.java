package io.godwit.cluster.publish;

import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.SourceGate;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.stream.UnansweredMessage;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.publish.SlotGate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Switches one shard's sources over to nodes that take over slots of a leader which is gone. What
 * is new goes to the new leader as to any node, behind a record that enters the slots; what the
 * former leader has not answered goes there before it, for sessions of these slots alone.
 *
 * <p>Only the shard's thread calls.
 */
final class Redirects {
    /** Tells where the messages were redirected that a leader which is gone has not answered. */
    private static final class Former {
        /** By server id: slots that each node has taken over. */
        final Map<Integer, BitSet> leaders = new TreeMap<>();

        /** By stream of a new leader, in order: position of the last that was redirected. */
        final Map<OutStream, Long> last = new LinkedHashMap<>(2);

        /** Whether slots were taken over from it since it had a link. */
        boolean isTakenFrom;
    }

    private static final class Waiting {
        final int server;
        final int switchOvers;
        final Runnable task;

        /** Looks at it again when it has answered. */
        @Nullable OutStream awaited;

        Waiting(int server, int switchOvers, Runnable task) {
            this.server = server;
            this.switchOvers = switchOvers;
            this.task = task;
        }
    }

    private final BrokerShard shard;
    private final int self;
    private final StreamRules rules;
    private final ShardPeers peers;
    private final OpenPublishes open;
    private final SourceGate own = new SourceGate();
    private final List<SourceGate.Closing> takeovers = new ArrayList<>(0);

    /** By server id; stays when the node is back, for what was on its way between shards. */
    private final Map<Integer, Former> former = new HashMap<>(0);

    private final List<Waiting> waiting = new ArrayList<>(0);
    private int begun;
    private int ended;

    /**
     * @param self server id of this node
     */
    Redirects(
            BrokerShard shard, int self, StreamRules rules, ShardPeers peers, OpenPublishes open) {
        this.shard = shard;
        this.self = self;
        this.rules = rules;
        this.peers = peers;
        this.open = open;
    }

    // ---------------------------------------------------------------- gates

    /** Closes slots that this node takes over, for all that arrives and is published here. */
    void close(int takeover, BitSet slots) {
        if (rules.holds(StreamRule.GATE_CLOSED)) {
            own.close(closeArriving(takeover, slots));
            shard.router().gate(own.gate());
        }
    }

    /** Closes slots for all that arrives. */
    SourceGate.Closing closeArriving(int takeover, BitSet slots) {
        SourceGate.Closing closing = new SourceGate.Closing(takeover, slots);
        takeovers.add(closing);
        peers.all().forEach(peer -> peer.arriving.values().forEach(each -> each.close(closing)));
        return closing;
    }

    /** Returns what a stream that begins has not entered. */
    List<SourceGate.Closing> takeovers() {
        return rules.holds(StreamRule.CLOSED_IN_NEW_STREAMS) ? takeovers : List.of();
    }

    // ---------------------------------------------------------------- switch-over

    /**
     * Lets nothing of a publisher take another way than what it has sent before, until the
     * switch-over has ended that begins now.
     */
    void begin() {
        begun++;
    }

    /**
     * Switches over what is retained, on the index's shard: to another node.
     *
     * <p>That somebody has it is not waited for: what is redirected may be for sessions that the
     * node has lost in turn, to one that tells it so when all others have switched over.
     *
     * @param sources by server id: slots that were sent there until now
     * @param then run when what was redirected is routed there, or the node is away
     */
    void switchRetained(
            Map<Integer, BitSet> sources, NodeStart to, int takeover, BitSet slots, Runnable then) {
        PeerStreams leader = peers.of(to.server());
        OutStream stream = Objects.requireNonNull(leader.shared);
        long before = stream.last();
        enter(
                stream,
                leader,
                to,
                takeover,
                slots,
                () ->
                        sources.forEach((server, some) -> {
                            PeerStreams source = peers.of(server);
                            redirectAll(source, source.shared, some, leader, stream);
                        }));
        if (stream.last() == before + 1) {
            then.run(); // Nothing was redirected.
            return;
        }
        stream.endRedirected(then);
    }

    /** Switches over all else, in one step; to this node what is retained, too. */
    void switchOver(Map<Integer, BitSet> sources, NodeStart to, int takeover, BitSet slots) {
        if (to.server() == self) {
            own.enter(takeover, slots);
            shard.router().gate(own.gate());
            sources.forEach((server, some) -> {
                PeerStreams source = peers.of(server);
                redirectAll(source, source.shared, some, null, null);
            });
            switchOver(sources, to, null);
        } else {
            PeerStreams leader = peers.of(to.server());
            enter(
                    leader.publishes,
                    leader,
                    to,
                    takeover,
                    slots,
                    () -> switchOver(sources, to, leader));
        }
        ended++;
        look();
    }

    private void enter(
            OutStream stream,
            PeerStreams leader,
            NodeStart to,
            int takeover,
            BitSet slots,
            Runnable redirects) {
        boolean isNow = to.equals(leader.start);
        StreamRecord enter = new StreamRecord.Enter(isNow ? takeover : 0, slots);
        boolean isBefore = rules.holds(StreamRule.ENTER_BEFORE_REDIRECTS);
        if (isBefore) {
            stream.add(enter, null, false, false, false);
        }
        redirects.run();
        if (!isBefore) {
            stream.add(enter, null, false, false, false);
        }
    }

    private void switchOver(
            Map<Integer, BitSet> sources, NodeStart to, @Nullable PeerStreams leader) {
        OutStream stream = leader == null ? null : leader.publishes;
        sources.forEach((server, slots) -> {
            PeerStreams source = peers.of(server);
            redirectAll(source, source.publishes, slots, leader, stream);
            Former gone = former(server);
            gone.isTakenFrom = true;
            ledBy(gone, to.server(), slots);
            former.values().forEach(each -> follow(each, server, to.server(), slots));
        });
    }

    /** Notes that slots which one node had taken over are led by another one now. */
    private static void follow(Former each, int from, int to, BitSet slots) {
        BitSet moved = each.leaders.get(from);
        if (moved != null && moved.intersects(slots)) {
            BitSet some = (BitSet) moved.clone();
            some.and(slots);
            ledBy(each, to, some);
        }
    }

    private void redirectAll(
            PeerStreams source,
            @Nullable OutStream from,
            BitSet slots,
            @Nullable PeerStreams leader,
            @Nullable OutStream stream) {
        if (from == null) {
            return;
        }
        if (rules.holds(StreamRule.REDIRECT)) {
            from.showForSessions(slots, each -> redirect(source, each, leader, stream));
        }
        from.leave(slots);
        if (stream != null) {
            // Messages that were redirected to the node which is gone now go to the new leader,
            // too.
            former.values()
                    .forEach(each -> {
                        if (each.last.containsKey(from)) {
                            each.last.put(stream, stream.last());
                        }
                    });
        }
    }

    private static void ledBy(Former of, int leader, BitSet slots) {
        of.leaders.values().forEach(each -> each.andNot(slots));
        of.leaders.computeIfAbsent(leader, any -> new BitSet()).or(slots);
    }

    private void redirect(
            PeerStreams source,
            UnansweredMessage each,
            @Nullable PeerStreams leader,
            @Nullable OutStream stream) {
        Message message = each.message();
        Receipt receipt = each.receipt();
        if (leader == null || stream == null) {
            SlotGate gate = SlotGate.redirected(each.slots(), own.gate());
            shard.router().redirect(message, gate, receipt);
            return;
        }
        if (receipt != null) {
            receipt.await();
            if (message.qos == 2) {
                open.add(OpenPublishes.idOf(message));
                receipt.takenBy(message, leader);
            }
        }
        StreamRecord record = new StreamRecord.Redirected(each.slots(), message);
        long position = stream.add(record, receipt, false, false, each.isAgain());
        if (each.isHeld()) {
            HeldUntilKept.hold(stream, shard, Receipt.ANY_SHARD);
        }
        former(source.server).last.put(stream, position);
    }

    /**
     * A message that another shard has routed was sent to a node just now, since its publisher had
     * sent others by this shard before. If slots of the node were taken over meanwhile, it goes to
     * whoever leads them, too: by its own way it may have come there before the slots were entered.
     * One that this shard has routed has not: its own way follows.
     *
     * @param isHeld its ingress id may not be kept yet
     */
    void redirectLate(
            int server,
            Message message,
            @Nullable Receipt receipt,
            boolean isAgain,
            boolean isHeld) {
        Former gone = former.isEmpty() ? null : former.get(server);
        if (gone == null || message.qos == 0) {
            return;
        }
        PeerStreams source = peers.of(server);
        gone.leaders.forEach((leader, slots) -> {
            BitSet now = (BitSet) slots.clone();
            UnansweredMessage late = new UnansweredMessage(message, now, receipt, isAgain, isHeld);
            if (leader == self) {
                redirect(source, late, null, null);
            } else if (!now.isEmpty()) {
                PeerStreams to = peers.of(leader);
                redirect(source, late, to, to.publishes);
            }
        });
    }

    // ---------------------------------------------------------------- who waits

    /** Counts the switch-overs of this shard that have begun; 0 in peace. */
    int begun() {
        return begun;
    }

    /**
     * Whether something that was sent to a node is or will be redirected, and is not answered: what
     * follows it by another way waits.
     */
    boolean isOpen(int server) {
        if (begun > ended) {
            return true;
        }
        Former gone = former.isEmpty() ? null : former.get(server);
        return gone != null && !isAnswered(gone);
    }

    private static boolean isAnswered(Former gone) {
        gone.last.entrySet().removeIf(each -> each.getKey().isAnswered(each.getValue()));
        return gone.last.isEmpty();
    }

    /**
     * Runs a task when nothing that was sent to a node is open.
     *
     * @param switchOvers that are to have ended here before
     */
    void whenAnswered(int server, int switchOvers, Runnable task) {
        waiting.add(new Waiting(server, switchOvers, task));
        look(waiting.getLast());
    }

    private void look() {
        List.copyOf(waiting).forEach(this::look);
    }

    private void look(Waiting each) {
        if (begun > ended || ended < each.switchOvers) {
            return; // It is looked at again when one ends.
        }
        Former gone = former.get(each.server);
        if (gone == null || isAnswered(gone)) {
            if (waiting.remove(each)) {
                each.task.run();
            }
            return;
        }
        Map.Entry<OutStream, Long> first = gone.last.entrySet().iterator().next();
        if (each.awaited != first.getKey()) {
            each.awaited = first.getKey();
            first.getKey().whenAnsweredAtLast(first.getValue(), () -> lookAgain(each));
        }
    }

    private void lookAgain(Waiting each) {
        each.awaited = null;
        if (waiting.contains(each)) {
            look(each);
        }
    }

    // ---------------------------------------------------------------- the end

    /** A node has a link: what it has not answered goes there again. */
    void onUp(int server) {
        Former back = former.get(server);
        if (back != null) {
            back.isTakenFrom = false;
        }
    }

    /** Settles those of some nodes that were taken over from: the new leaders have what waits. */
    void settle(Set<Integer> servers) {
        former.forEach((server, gone) -> {
            if (gone.isTakenFrom && servers.contains(server)) {
                settle(server);
            }
        });
    }

    /** Nobody waits for a former leader any more: all that it led is led by others. */
    void settle(int server) {
        PeerStreams peer = peers.of(server);
        peer.isSettled = true;
        peer.publishes.settle();
        OutStream shared = peer.shared;
        if (shared != null) {
            shared.settle();
        }
        // Nobody waits for messages that were redirected to it: they have gone to another node.
        for (Former each : former.values()) {
            each.last.remove(peer.publishes);
            each.last.remove(shared);
        }
        look();
    }

    // ---------------------------------------------------------------- shared groups

    /** Gives what a former leader has not answered for its groups to others. */
    void giveGroups(int server, int taker) {
        PeerStreams source = peers.of(server);
        source.publishes.giveGroups(each -> peers.giveTo(taker, each));
        OutStream shared = source.shared;
        if (shared != null) {
            shared.giveGroups(each -> peers.giveTo(taker, each));
        }
    }

    private Former former(int server) {
        return former.computeIfAbsent(server, any -> new Former());
    }
}

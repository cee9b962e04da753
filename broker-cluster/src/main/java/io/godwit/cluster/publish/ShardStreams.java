package io.godwit.cluster.publish;

import io.godwit.cluster.stream.InStream;
import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.StreamMessage;
import io.godwit.cluster.stream.StreamName;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.ack.EveryNode;
import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.CameBefore;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.publish.NodeSender;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.PauseWatch;
import io.godwit.core.shard.TurnEnd;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One shard's streams to and from every other node. What a turn has for a node leaves together at
 * the turn's end, and so do the answers to what came from there.
 */
public final class ShardStreams implements TurnEnd {
    /** Handles what is neither a publish nor an answer, on the shard that owns the topic index. */
    public interface SharedHandler {
        /**
         * @param answer to be told to await whatever has to be done before the record is answered
         */
        void onShared(NodeStart from, StreamRecord record, Receipt answer);
    }

    final BrokerShard shard;
    final Arrivals arrivals;
    private final ArrivedRecords records;
    private final StreamRules rules;

    private final Releases releases;
    final OpenPublishes open;
    final ShardPeers peers;
    private final StreamSender sender;
    private final Redirects redirects;
    private final List<InStream> toAnswer = new ArrayList<>();
    private boolean turnEndAsked;

    /** Server ids of former leaders whose answers to publishes do not count yet. */
    private Set<Integer> answersHeldOf = Set.of();

    private final List<HeldAnswers> heldAnswers = new ArrayList<>(0);

    /** Answers that count when this node has switched over. */
    private record HeldAnswers(StreamMessage message, PeerLink link) {}

    /**
     * One for each shard of a node.
     *
     * @param sharedHandler handles what comes by the streams of filters and retained messages
     */
    public static final class Maker {
        final StreamRules rules;
        final LeaderAway leaderAway;
        private final SharedHandler sharedHandler;
        final PauseWatch pauses;
        final HeardNodes heard;
        final Releases releases;
        private final int server;
        private final List<Arrivals> arrivals = new ArrayList<>();
        private final List<ShardStreams> all = new ArrayList<>();

        /**
         * @param server id of this node
         */
        public Maker(
                int server,
                StreamRules rules,
                LeaderAway leaderAway,
                SharedHandler sharedHandler,
                PauseWatch pauses,
                HeardNodes heard) {
            this.server = server;
            this.heard = heard;
            this.releases = new Releases(server, all);
            this.rules = rules;
            this.leaderAway = leaderAway;
            this.sharedHandler = sharedHandler;
            this.pauses = pauses;
        }

        /** Called once, before the shards run. */
        public void connect(Releases.Ways between) {
            releases.connect(between);
        }

        /**
         * Makes that of the next shard.
         *
         * @param shard being made
         */
        public ShardStreams next(BrokerShard shard) {
            arrivals.add(new Arrivals(shard, arrivals));
            all.add(new ShardStreams(shard, this, arrivals.getLast()));
            return all.getLast();
        }
    }

    private ShardStreams(BrokerShard shard, Maker maker, Arrivals arrivals) {
        this.shard = shard;
        this.rules = maker.rules;
        this.releases = maker.releases;
        this.arrivals = arrivals;
        this.records = new ArrivedRecords(shard, rules, arrivals, releases, maker.sharedHandler);
        open = new OpenPublishes(shard);
        peers = new ShardPeers(shard, open, releases, this::soon);
        redirects = new Redirects(shard, maker.server, rules, peers, open);
        sender =
                new StreamSender(
                        shard, peers, () -> maker.all.getFirst().peers, open, redirects, maker);
    }

    /** The router's way to other nodes. */
    public NodeSender sender() {
        return sender;
    }

    /** The filters of the other nodes are known, as far as they are waited for. */
    public void ready() {
        shard.enter();
        sender.ready();
    }

    /** The node has caught up with the others after a pause. */
    public void goOn() {
        shard.enter();
        sender.goOn();
        shard.resumePublishers();
    }

    /** Publishers wait while sessions here were taken over and their new leader is not known. */
    public void hold(boolean holds) {
        shard.enter();
        sender.hold(holds);
        if (!holds) {
            goOn();
        }
    }

    /** All nodes have told their filters since this start, and what they have inherited. */
    public void allKnown() {
        shard.enter();
        sender.allKnown();
        if (shard.index() == TopicIndex.OWNER) {
            releases.allTold();
        }
    }

    /** At start, before the shards run: queues remember it from an earlier start. */
    public void remembered(IngressId publish, Takers by) {
        arrivals.remembered(publish, by);
    }

    /** At start, before the shards run: a publish of an earlier start may be sent again. */
    public void mayBeSentAgain(IngressId publish) {
        releases.mayBeSentAgain(publish);
    }

    /** See {@link Releases#adopted}; on the shard that owns the topic index. */
    public void adopted(int leader, Set<IngressId> publishes, Map<IngressId, Takers> remembered) {
        releases.adopted(leader, publishes, remembered);
    }

    /** The stream of filters and retained messages to a node; on the index's shard. */
    public OutStream shared(int server) {
        OutStream stream = peers.of(server).shared;
        if (stream == null) {
            throw new IllegalStateException("shard " + shard.index() + " has no shared streams");
        }
        return stream;
    }

    /**
     * Runs a task once a node has answered for all that this shard has sent there, or those that
     * have taken over from it.
     */
    public void whenAnswered(int server, Runnable task) {
        PeerStreams peer = peers.of(server);
        OutStream shared = peer.shared;
        Runnable rest = () -> redirects.whenAnswered(server, 0, task);
        peer.publishes.whenAnsweredAtLast(
                peer.publishes.last(),
                shared == null ? rest : () -> shared.whenAnsweredAtLast(shared.last(), rest));
    }

    /** Nodes that were heard of since the start. */
    public Collection<Integer> servers() {
        return peers.servers();
    }

    // ---------------------------------------------------------------- links, on this shard

    /**
     * A link is open. What the node sends is taken in, and on the index's shard the shared stream
     * goes on; publishes follow by {@link #onRouted}.
     *
     * @return on the index's shard, whether the node knows nothing of what this start has told
     */
    public boolean onUp(PeerLink link) {
        shard.enter();
        PeerStreams peer = peer(link);
        peer.isSettled = false;
        redirects.onUp(peer.server);
        return peer.onUp(link, arrivals);
    }

    private PeerStreams peer(PeerLink link) {
        return peers.of(link.peer().server());
    }

    /**
     * The node has what the shared stream held for it when the link opened: publishes may follow.
     * So it knows what it is to route by, and no publish overtakes a retained one before it.
     */
    public void onRouted(PeerLink link) {
        shard.enter();
        PeerStreams peer = peer(link);
        if (peer.link == link) {
            peer.onRouted(link);
        }
    }

    public void onDown(PeerLink link) {
        shard.enter();
        peer(link).onDown(link);
    }

    /** Nothing was heard of a node for too long: nobody waits for it who need not. */
    public void onAway(int server) {
        shard.enter();
        peers.of(server).away();
    }

    /**
     * These nodes do not belong to the cluster: what waits for them is dropped, if it has not gone
     * to others that have taken over from them.
     *
     * @param servers their server ids
     */
    public void forgotten(Set<Integer> servers) {
        shard.enter();
        redirects.settle(servers);
        peers.forgotten(servers);
        if (shard.index() == TopicIndex.OWNER) {
            releases.forgotten(servers);
        }
        shard.resumePublishers();
    }

    /**
     * It is heard again, on the link that it had: what is retained goes on, on the index's shard;
     * publishes follow by {@link #onHeard}.
     */
    public void onSharedHeard(int server) {
        shard.enter();
        shared(server).heard();
    }

    /** It is heard again, and has what the shared stream held for it by then. */
    public void onHeard(int server) {
        shard.enter();
        peers.of(server).heard();
    }

    /**
     * Adds this shard's publishers that wait for nodes out of reach.
     *
     * @param then run on the shard when all were found
     */
    public void findWaiting(WaitingPublishers found, Runnable then) {
        shard.enter();
        new WaitingSearch(shard, peers, found, then).run();
    }

    /** A link takes more. */
    public void onRoom(PeerLink link) {
        shard.enter();
        PeerStreams peer = peer(link);
        if (peer.link == link) {
            soon();
            peer.publishes.room().tell();
        }
    }

    /** A message of a stream has come. */
    public void onMessage(StreamMessage message, PeerLink link, int length) {
        shard.enter();
        PeerStreams peer = peer(link);
        if (peer.link != link) {
            return; // The link has ended since.
        }
        if (message.isAnswer()) {
            onAnswers(message, link);
            return;
        }
        InStream stream = peer.arriving.get(message.stream());
        if (stream == null) {
            stream = arriving(link.peer(), message.stream());
            peer.arriving.put(message.stream(), stream);
            peer.showArriving();
        }
        stream.on(message, link, length);
    }

    private void onAnswers(StreamMessage message, PeerLink link) {
        PeerStreams peer = peer(link);
        OutStream of = message.stream() == StreamName.SHARED ? peer.shared : peer.publishes;
        if (answersHeldOf.contains(link.peer().server())) {
            heldAnswers.add(new HeldAnswers(message, link));
            if (of != null) {
                of.onEndAnswered(link.peer(), message); // A switch-over to the node waits for it.
            }
            return;
        }
        if (of != null && of.onAnswers(link.peer(), message)) {
            shard.resumePublishers();
        }
        soon();
    }

    /**
     * Counts no answers of some nodes for now: they have given sessions up, and this node has not
     * switched over to whoever has them. SUBACKs that wait for these answers come later.
     *
     * @param servers their server ids; not to be changed
     */
    public void holdAnswersOf(Set<Integer> servers) {
        shard.enter();
        answersHeldOf = servers;
        List<HeldAnswers> all = List.copyOf(heldAnswers);
        heldAnswers.clear();
        all.forEach(each -> onAnswers(each.message(), each.link()));
    }

    /** See {@link InStream#addTo}; any thread. */
    public void addTo(CameBefore.Builder came, long nowMs) {
        for (PeerStreams each : peers.shown()) {
            each.addTo(came, nowMs);
        }
    }

    /**
     * Whether something may come again of what had come before by one of its streams; any thread.
     */
    public boolean mayComeAgain(CameBefore before, int of, long nowMs) {
        PeerStreams peer = peers.shown(before.server(of));
        return peer == null
                ? !peers.isForgotten(before.server(of))
                : peer.mayComeAgain(before, of, nowMs);
    }

    private InStream arriving(NodeStart from, int number) {
        InStream[] made = new InStream[1];
        made[0] =
                new InStream(
                        from,
                        number,
                        shard,
                        records,
                        redirects::takeovers,
                        number == StreamName.SHARED ? () -> false : shard.load()::mustNodesWait,
                        target -> target.stopsPublishers(shard.load().isMemoryShort()),
                        rules.holds(StreamRule.POSITIONS),
                        () -> {
                            if (!toAnswer.contains(made[0])) {
                                toAnswer.add(made[0]);
                            }
                            soon();
                        });
        return made[0];
    }

    // ---------------------------------------------------------------- a leader that is gone

    /**
     * Leaves out durable sessions of slots that this node takes over, until the source of a message
     * has switched over. Before any of these sessions is in the topic index.
     *
     * @param takeover number among those of this node's start, from 1 on
     * @param slots not to be changed
     */
    public void close(int takeover, BitSet slots) {
        shard.enter();
        redirects.close(takeover, slots);
    }

    /**
     * Does so for what other nodes send, at a start: this node had taken the slots over before, and
     * perhaps not every source has heard of it. Its own publishers are new. Before there is a link.
     */
    public void closeAtStart(int takeover, BitSet slots) {
        shard.enter();
        redirects.closeArriving(takeover, slots);
    }

    /** A switch-over follows, as it does on all shards: nothing takes another way before it. */
    void beginSwitchOver() {
        shard.enter();
        redirects.begin();
    }

    /**
     * Switches what is retained over to another node; on the shard of the topic index.
     *
     * @param then run when what was redirected of it is routed there, or the node is away
     */
    void switchRetained(
            Map<Integer, BitSet> sources, NodeStart to, int takeover, BitSet slots, Runnable then) {
        shard.enter();
        redirects.switchRetained(sources, to, takeover, slots, then);
    }

    /**
     * Switches over to whoever has taken over slots: what follows is for their sessions there, and
     * so is before it what their former leader has not answered.
     *
     * @param sources by server id: slots whose messages went there until now; not to be changed
     * @param to the new leader: this node, or another one
     * @param takeover number among those of its start
     * @param slots not to be changed
     */
    void switchOver(Map<Integer, BitSet> sources, NodeStart to, int takeover, BitSet slots) {
        shard.enter();
        redirects.switchOver(sources, to, takeover, slots);
    }

    /** Others lead all that a node led: nobody waits for its sessions, until there is a link. */
    void settle(int server) {
        shard.enter();
        if (peers.of(server).link == null) {
            redirects.settle(server);
            shard.resumePublishers();
        }
    }

    /**
     * Gives what a former leader has not answered for its groups to other members. One of QoS 2
     * that it may have taken in is for the node alone that has adopted its queues, which knows.
     *
     * @param taker server id of that node
     */
    void giveGroups(int server, int taker) {
        shard.enter();
        if (peers.of(server).link == null) {
            redirects.giveGroups(server, taker);
            shard.resumePublishers();
        }
    }

    // ---------------------------------------------------------------- the end of the turn

    private void soon() {
        if (!turnEndAsked) {
            turnEndAsked = true;
            shard.atTurnEnd(this);
        }
    }

    @Override
    public void onTurnEnd() {
        turnEndAsked = false;
        peers.flush();
        for (InStream stream : toAnswer) {
            PeerLink link = linkOf(stream);
            if (link != null) {
                link.offer(stream.answers());
            }
        }
        toAnswer.clear();
    }

    private @Nullable PeerLink linkOf(InStream stream) {
        PeerStreams peer = peers.of(stream.from().server());
        // Of an earlier start of the node nobody wants to hear.
        return stream.from().equals(peer.start) ? peer.link : null;
    }

    /** See {@link Releases#everyNode}. */
    public EveryNode everyNode() {
        return releases.everyNode();
    }
}

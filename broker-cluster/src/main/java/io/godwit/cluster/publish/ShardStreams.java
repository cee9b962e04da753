package io.godwit.cluster.publish;

import io.godwit.cluster.stream.InStream;
import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.StreamMessage;
import io.godwit.cluster.stream.StreamName;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.publish.NodeSender;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Sliced;
import io.godwit.core.shard.TurnEnd;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One shard's streams to and from every other node. What a turn has for a node leaves together at
 * the turn's end, and so do the answers to what came from there.
 *
 * <p>What has QoS 0 is sent to a node that there is a link to, and dropped and counted otherwise, or
 * when too much waits for it. The rest is kept until it is answered, whatever becomes of the link.
 */
public final class ShardStreams implements NodeSender, TurnEnd {
    /** Handles what is neither a publish nor an answer, on the shard that owns the topic index. */
    public interface SharedHandler {
        /** See {@link InStream.Handler#handle}. */
        @Nullable Sliced onShared(NodeStart from, StreamRecord record, Receipt receipt);
    }

    /** What there is with one other node. */
    private final class Peer {
        final OutStream publishes;

        /** On the shard that owns the topic index. */
        final @Nullable OutStream shared;

        final Map<Integer, InStream> arriving = new HashMap<>();
        @Nullable PeerLink link;
        @Nullable NodeStart start;

        Peer() {
            publishes = new OutStream(StreamName.ofShard(shard.index()), ShardStreams.this::soon);
            shared =
                    shard.index() == TopicIndex.OWNER
                            ? new OutStream(StreamName.SHARED, ShardStreams.this::soon)
                            : null;
        }
    }

    private final BrokerShard shard;
    private final SharedHandler sharedHandler;
    private final Map<Integer, Peer> peers = new LinkedHashMap<>();
    private final List<InStream> toAnswer = new ArrayList<>();
    private final List<Runnable> whenReady = new ArrayList<>(0);
    private boolean ready;
    private boolean turnEndAsked;

    /**
     * @param shard being made
     */
    public ShardStreams(BrokerShard shard, SharedHandler sharedHandler) {
        this.shard = shard;
        this.sharedHandler = sharedHandler;
    }

    private Peer peer(int server) {
        return peers.computeIfAbsent(server, any -> new Peer());
    }

    /** The stream of filters and retained messages to a node; on the index's shard. */
    public OutStream shared(int server) {
        OutStream stream = peer(server).shared;
        if (stream == null) {
            throw new IllegalStateException("shard " + shard.index() + " has no shared streams");
        }
        return stream;
    }

    /** Nodes that were heard of since the start. */
    public Collection<Integer> servers() {
        return peers.keySet();
    }

    // ---------------------------------------------------------------- links, on this shard

    /**
     * A link is open.
     *
     * @return whether the node knows nothing of what this start of ours has told
     */
    public boolean onUp(PeerLink link) {
        shard.enter();
        Peer peer = peer(link.peer().server());
        peer.link = link;
        if (!link.peer().equals(peer.start)) {
            peer.start = link.peer();
            peer.arriving.values().forEach(InStream::close);
            peer.arriving.clear();
        }
        OutStream shared = peer.shared;
        boolean isNew = peer.publishes.onUp(link);
        if (shared != null) {
            isNew = shared.onUp(link);
        }
        return isNew;
    }

    public void onDown(PeerLink link) {
        shard.enter();
        Peer peer = peer(link.peer().server());
        if (peer.link == link) {
            peer.link = null;
        }
        peer.publishes.onDown(link);
        if (peer.shared != null) {
            peer.shared.onDown(link);
        }
    }

    /** Nothing was heard of a node for too long: nobody waits for it who need not. */
    public void onAway(int server) {
        shard.enter();
        Peer peer = peer(server);
        peer.publishes.away();
        if (peer.shared != null) {
            peer.shared.away();
        }
    }

    /** It is heard again, on the link that it had. */
    public void onHeard(int server) {
        shard.enter();
        Peer peer = peer(server);
        peer.publishes.heard();
        if (peer.shared != null) {
            peer.shared.heard();
        }
    }

    /** A link takes more. */
    public void onRoom(PeerLink link) {
        shard.enter();
        Peer peer = peer(link.peer().server());
        if (peer.link == link) {
            soon();
            peer.publishes.tellRoom();
        }
    }

    /** A message of a stream has come. */
    public void onMessage(StreamMessage message, PeerLink link, int length) {
        shard.enter();
        Peer peer = peer(link.peer().server());
        if (peer.link != link) {
            return; // The link has ended since.
        }
        if (message.isAnswer()) {
            OutStream of = message.stream() == StreamName.SHARED ? peer.shared : peer.publishes;
            if (of != null) {
                of.onAnswers(link.peer(), message);
                soon();
            }
            return;
        }
        InStream stream =
                peer.arriving.computeIfAbsent(
                        message.stream(), number -> arriving(link.peer(), number));
        stream.on(message, link, length);
    }

    private InStream arriving(NodeStart from, int number) {
        InStream[] made = new InStream[1];
        made[0] =
                new InStream(
                        from,
                        number,
                        shard,
                        this::handle,
                        () -> {
                            if (!toAnswer.contains(made[0])) {
                                toAnswer.add(made[0]);
                            }
                            soon();
                        });
        return made[0];
    }

    private @Nullable Sliced handle(
            NodeStart from, StreamRecord record, boolean again, Receipt receipt) {
        return record instanceof StreamRecord.Publish publish
                ? shard.router().arrived(publish.message(), receipt)
                : sharedHandler.onShared(from, record, receipt);
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
        for (Peer peer : peers.values()) {
            if (peer.shared != null) {
                peer.shared.flush();
            }
            peer.publishes.flush();
        }
        for (InStream stream : toAnswer) {
            PeerLink link = linkOf(stream);
            if (link != null) {
                link.offer(stream.answers());
            }
        }
        toAnswer.clear();
    }

    private @Nullable PeerLink linkOf(InStream stream) {
        Peer peer = peers.get(stream.from().server());
        // Of an earlier start of the node nobody wants to hear.
        return peer == null || !stream.from().equals(peer.start) ? null : peer.link;
    }

    // ---------------------------------------------------------------- the router's way

    /** The filters of the other nodes are known. */
    public void ready() {
        shard.enter();
        ready = true;
        List<Runnable> all = new ArrayList<>(whenReady);
        whenReady.clear();
        all.forEach(Runnable::run);
    }

    @Override
    public boolean isReady() {
        return ready;
    }

    @Override
    public void whenReady(Runnable task) {
        if (ready) {
            task.run();
        } else {
            whenReady.add(task);
        }
    }

    @Override
    public void publish(NodeRef[] to, Message message, boolean again, @Nullable Receipt receipt) {
        StreamRecord record = new StreamRecord.Publish(message);
        for (NodeRef node : to) {
            OutStream stream = peer(node.server()).publishes;
            if (message.qos == 0 && (!stream.isUp() || !stream.hasRoom())) {
                shard.counters().increment(Metric.DROPPED_QOS0_NODE);
                continue;
            }
            Receipt waits = message.qos == 0 ? null : receipt;
            if (waits != null) {
                waits.await();
            }
            stream.add(record, waits, message.qos == 0, false, again);
        }
    }

    @Override
    public void retained(
            NodeRef[] to, Message message, HybridId stamp, @Nullable Receipt receipt) {
        StreamRecord record = new StreamRecord.RetainedPublish(message, stamp);
        for (Map.Entry<Integer, Peer> each : peers.entrySet()) {
            OutStream stream = each.getValue().shared;
            boolean matches = false;
            for (NodeRef node : to) {
                matches |= node.server() == each.getKey();
            }
            if (stream == null || !matches && !stream.isUp() && !stream.hasRoom()) {
                continue; // It gets what it missed when it is back.
            }
            Receipt waits = message.qos == 0 || !matches && stream.isAway() ? null : receipt;
            if (waits != null) {
                waits.await();
            }
            stream.add(record, waits, message.qos == 0, !matches, false);
        }
    }

    @Override
    public void whenRetainedAnswered(NodeRef[] of, Runnable task) {
        whenAnswered(of, 0, task);
    }

    private void whenAnswered(NodeRef[] of, int from, Runnable task) {
        if (from == of.length) {
            task.run();
        } else {
            OutStream stream = shared(of[from].server());
            stream.whenAnswered(stream.last(), () -> whenAnswered(of, from + 1, task));
        }
    }

    @Override
    public long position(NodeRef of) {
        return peer(of.server()).publishes.last();
    }

    @Override
    public boolean isAnswered(NodeRef of, long position) {
        OutStream stream = peer(of.server()).publishes;
        return stream.isAway() || stream.isAnswered(position);
    }

    @Override
    public void whenAnswered(NodeRef of, long position, Runnable task) {
        peer(of.server()).publishes.whenAnswered(position, task);
    }

    @Override
    public boolean hasRoom(NodeRef of) {
        return peer(of.server()).publishes.hasRoom();
    }

    @Override
    public void whenRoom(NodeRef of, Runnable task) {
        peer(of.server()).publishes.whenRoom(task);
    }
}

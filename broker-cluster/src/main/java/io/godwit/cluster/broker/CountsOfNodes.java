package io.godwit.cluster.broker;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.node.Broker;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.node.NodeCount;
import io.godwit.core.node.NodeCounts;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the other nodes of a cluster count, for this node's {@code $SYS} topics. A node that has
 * such topics says so to each other when there is a link; that one then tells its counts, and again
 * whenever they have changed. On the shard that owns the topic index.
 *
 * <pre>
 * counts wanted   empty
 * counts          n varint | n x (code of the count varint, value varint)
 * </pre>
 *
 * A code that is not known here is passed over; a count that is not told is 0.
 */
final class CountsOfNodes {
    private static final MessageType WANTED =
            new MessageType(64, TrafficClass.CONTROL, "counts wanted");
    private static final MessageType COUNTS = new MessageType(65, TrafficClass.CONTROL, "counts");

    /** So often a node looks whether what it counts has changed. */
    private static final long LOOK_MS = 1_000;

    /** By server id: the nodes that there is a link to. */
    private final Map<Integer, Peer> peers = new TreeMap<>();

    private @Nullable Broker broker;
    private boolean isWanted;
    private boolean tells;

    private static final class Peer {
        final PeerLink link;

        /** What it said last; null: nothing yet. */
        @Nullable NodeCounts counts;

        boolean isSilent;

        /** Whether it wants this node's. */
        boolean wants;

        /** What it was told last. */
        @Nullable NodeCounts told;

        Peer(PeerLink link) {
            this.link = link;
        }

        void tell(NodeCounts own) {
            if (wants && !own.equals(told)) {
                told = own;
                link.offer(written(own));
            }
        }
    }

    /** Called once, with the broker whose counts are told. */
    void attach(Broker made) {
        broker = made;
    }

    private Broker broker() {
        return Objects.requireNonNull(broker);
    }

    // ---------------------------------------------------------------- what this node wants

    /** Those of the nodes that are heard, as each last said. From the first call on they tell. */
    List<NodeCounts> others() {
        if (!isWanted) {
            isWanted = true;
            peers.values().forEach(each -> each.link.offer(new Written(WANTED, new byte[0])));
        }
        List<NodeCounts> all = new ArrayList<>();
        for (Peer each : peers.values()) {
            if (each.counts != null && !each.isSilent) {
                all.add(each.counts);
            }
        }
        return all;
    }

    // ---------------------------------------------------------------- what others want

    private void onWanted(Peer by) {
        by.wants = true;
        by.tell(broker().counts());
        if (!tells) {
            tells = true;
            lookLater();
        }
    }

    private void lookLater() {
        BrokerShard owner = broker().shard(TopicIndex.OWNER);
        owner.timers()
                .arm(
                        new Timer() {
                            @Override
                            protected void onTimer(long nowMs) {
                                look();
                            }
                        },
                        owner.nowMs() + LOOK_MS);
    }

    /** As long as somebody wants to know. */
    private void look() {
        tells = peers.values().stream().anyMatch(each -> each.wants);
        if (tells) {
            NodeCounts own = broker().counts();
            peers.values().forEach(each -> each.tell(own));
            lookLater();
        }
    }

    // ---------------------------------------------------------------- links

    void onUp(PeerLink link) {
        peers.put(link.peer().server(), new Peer(link));
        if (isWanted) {
            link.offer(new Written(WANTED, new byte[0]));
        }
    }

    void onDown(PeerLink link) {
        if (find(link) != null) {
            peers.remove(link.peer().server());
        }
    }

    /**
     * @param isSilent nothing was heard of the peer for some time; else something was again
     */
    void onSilent(PeerLink link, boolean isSilent) {
        Peer peer = find(link);
        if (peer != null) {
            peer.isSilent = isSilent;
        }
    }

    private @Nullable Peer find(PeerLink link) {
        Peer peer = peers.get(link.peer().server());
        return peer != null && peer.link == link ? peer : null;
    }

    // ---------------------------------------------------------------- messages

    static MessageType[] messages() {
        return new MessageType[] {WANTED, COUNTS};
    }

    static boolean handles(MessageType type) {
        return type.equals(WANTED) || type.equals(COUNTS);
    }

    /**
     * Takes one of these messages. Any thread.
     *
     * @throws IndexOutOfBoundsException when it is none
     */
    void onMessage(PeerLink from, MessageType type, ByteReader body) {
        NodeCounts counts = type.equals(COUNTS) ? read(body) : null;
        broker().shard(TopicIndex.OWNER)
                .execute(() -> {
                    Peer peer = find(from);
                    if (peer != null && counts == null) {
                        onWanted(peer);
                    } else if (peer != null) {
                        peer.counts = counts;
                    }
                });
    }

    static NodeCounts read(ByteReader from) {
        NodeCounts counts = new NodeCounts();
        for (int left = from.size(); left > 0; left--) {
            long code = from.varint();
            long value = from.varint();
            for (NodeCount each : NodeCount.values()) {
                if (each.code() == code) {
                    counts.set(each, value);
                }
            }
        }
        return counts;
    }

    private static Outgoing written(NodeCounts counts) {
        ByteWriter to = new ByteWriter(128).varint(NodeCount.values().length);
        for (NodeCount each : NodeCount.values()) {
            to.varint(each.code()).varint(counts.get(each));
        }
        return new Written(COUNTS, to.toBytes());
    }

    private record Written(MessageType type, byte[] body) implements Outgoing {
        @Override
        public int bytes() {
            return body.length;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.raw(body);
        }
    }
}

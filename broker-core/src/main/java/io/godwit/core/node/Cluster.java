package io.godwit.core.node;

import io.godwit.core.ack.EveryNode;
import io.godwit.core.ack.Takers;
import io.godwit.core.connection.Placement;
import io.godwit.core.group.HandOverAnswer;
import io.godwit.core.id.Epoch;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.FilterSpread;
import io.godwit.core.message.CameBefore;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.publish.NodeSender;
import io.godwit.core.shard.PauseWatch;
import io.godwit.core.store.Confirmations;
import io.godwit.core.store.Receiver;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a broker asks the cluster that it belongs to. */
public interface Cluster extends CameBefore.Streams {
    /** Of a broker that is alone. */
    Cluster NONE =
            new Cluster() {
                @Override
                public FilterSpread filters() {
                    return FilterSpread.NONE;
                }

                @Override
                public NodeSender sender(BrokerShard shard) {
                    return NodeSender.ALONE;
                }

                @Override
                public void mayBeSentAgain(Set<IngressId> publishes) {}

                @Override
                public @Nullable EveryNode others() {
                    return null;
                }

                @Override
                public void remembered(IngressId publish, Takers by) {}

                @Override
                public List<NodeCounts> counts() {
                    return List.of();
                }
            };

    /** Called on the thread of the shard that owns the topic index. */
    FilterSpread filters();

    /** Is told whenever a shard runs. */
    default PauseWatch pauses() {
        return PauseWatch.OFF;
    }

    /** Tells what copies of this node's queues have confirmed. */
    default Confirmations confirmations() {
        return Confirmations.NONE;
    }

    /**
     * At start: the stream of another node, which has copies of its queues here, was applied up to
     * a position.
     *
     * @param start start number of that stream
     */
    default void applied(int server, long start, long position) {}

    /**
     * Finds whether another node has taken a slot over since this one served its sessions: these
     * are copies of its own then, and not taken up. At a start.
     *
     * @return the epoch under which that node leads the queues of the slot; null: none has
     */
    default @Nullable Epoch newerLeader(int slot) {
        return null;
    }

    /**
     * The way of one shard to other nodes; asked once for each, before it runs.
     *
     * @param shard being made: only what {@link io.godwit.core.shard.Shard} offers may be used yet
     */
    NodeSender sender(BrokerShard shard);

    /**
     * Finds the nodes that serve the connections of one shard; asked once for each, before it runs.
     *
     * @param shard being made: only what {@link io.godwit.core.shard.Shard} offers may be used yet
     * @return null when all are served where they are
     */
    default @Nullable Placement placement(BrokerShard shard) {
        return null;
    }

    /**
     * At start, before the shards run.
     *
     * @param publishes of QoS 2 of earlier starts of this node whose publishers may send them again
     */
    void mayBeSentAgain(Set<IngressId> publishes);

    /**
     * At start: all other nodes, any of which may remember what an earlier start has sent.
     *
     * @return null when there is none
     */
    @Nullable EveryNode others();

    /**
     * At start: what an earlier start of this node has taken, and no session here may send again.
     * Perhaps one of another node may, which has it from an imported store.
     *
     * @param by queues that remember it until it is known to be over
     */
    void remembered(IngressId publish, Takers by);

    /**
     * Notes what comes with sessions that this node has adopted from another one. On the shard that
     * owns the topic index, before these sessions publish or have clients.
     *
     * @param leader server id of that node, which is gone
     * @param publishes of QoS 2, and Wills, that these sessions may publish again: other nodes have
     *     to know that this one says when they are over
     * @param remembered publishes that these sessions' queues remember until they are known to be
     *     over, each with the queues
     */
    default void adopted(int leader, Set<IngressId> publishes, Map<IngressId, Takers> remembered) {}

    /** Whether this node acts for the sessions of a slot: they are loaded here. Any thread. */
    default boolean actsFor(int slot) {
        return true;
    }

    /**
     * Asks the node that acts for a session whether the session's queue has, or had, an entry that
     * a shared group was handing over to it. Any thread.
     *
     * @param group whole filter
     * @param id of the hand-over
     * @param taker told once, on any thread
     */
    default void askLeader(
            TopicFilter group, Receiver to, IngressId id, Consumer<HandOverAnswer> taker) {
        taker.accept(HandOverAnswer.UNKNOWN);
    }

    /**
     * What the other nodes count that this one reaches, as each last said; they say it from the
     * first call on. Called on the thread of the shard that owns the topic index.
     */
    List<NodeCounts> counts();
}

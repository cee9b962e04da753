package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.message.PassingMessage;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.NodeRef;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A shard's way to the sessions and groups of other nodes. Only that shard's thread calls; what it
 * sends leaves with all that the turn has for a node.
 *
 * <p>What a shard sends to a node has a position there, which grows; the node answers for it when
 * everyone there has it.
 */
public interface NodeSender {
    /** Of a node that knows no other. */
    class Alone implements NodeSender {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void whenReady(Runnable task) {
            task.run();
        }

        @Override
        public boolean knowsAll() {
            return true;
        }

        @Override
        public void whenAllKnown(Runnable task) {
            task.run();
        }

        @Override
        public void publish(
                NodeRef[] to, GroupTargets groups, Message message, @Nullable Receipt receipt) {}

        @Override
        public void publishLate(NodeRef[] to, Message message, @Nullable Receipt receipt) {}

        @Override
        public void redirectLate(NodeRef to, Message message, @Nullable Receipt receipt) {}

        @Override
        public void passOn(NodeRef[] to, PassingMessage message, @Nullable Receipt receipt) {}

        @Override
        public boolean choosesOneNode() {
            return true;
        }

        @Override
        public void passOn(
                NodeRef to, TopicFilter group, Message message, @Nullable Receipt receipt) {}

        @Override
        public void retained(
                NodeRef[] to,
                GroupTargets groups,
                NodeRef[] not,
                Message message,
                HybridId stamp,
                @Nullable Receipt receipt) {}

        @Override
        public void whenRetainedAnswered(Runnable task) {
            task.run();
        }

        @Override
        public long position(NodeRef of) {
            return 0;
        }

        @Override
        public boolean isAnswered(NodeRef of, long position) {
            return true;
        }

        @Override
        public int switchOvers() {
            return 0;
        }

        @Override
        public boolean isSwitchingOver(NodeRef of) {
            return false;
        }

        @Override
        public void whenSwitchedOver(NodeRef of, int switchOvers, Runnable task) {
            task.run();
        }

        @Override
        public boolean refusesForAway() {
            return false;
        }

        @Override
        public boolean isAway(NodeRef of) {
            return false;
        }

        @Override
        public void whenAnswered(NodeRef of, long position, Runnable task) {
            task.run();
        }

        @Override
        public void whenAnsweredAtLast(NodeRef of, long position, Runnable task) {
            task.run();
        }

        @Override
        public boolean isFull(NodeRef of) {
            return false;
        }

        @Override
        public boolean isRetainedFull(NodeRef of) {
            return false;
        }

        @Override
        public @Nullable NodeRef holdsRetained() {
            return null;
        }

        @Override
        public boolean hasRoom(NodeRef of) {
            return true;
        }

        @Override
        public void whenRoom(NodeRef of, Runnable task) {
            task.run();
        }

        @Override
        public void forgetRoom(NodeRef of, Runnable task) {}
    }

    NodeSender ALONE = new Alone();

    /**
     * Whether the filters of the other nodes are known, also of members that are away: else nothing
     * may be published. They are not at the start, and not after a time in which the node did not
     * run.
     */
    boolean isReady();

    /**
     * Another node goes on with sessions of this one, and says when their publishes are over: then
     * those here are told that remember them. Any thread.
     *
     * @param remembered by their ingress ids; not used afterwards
     */
    default void letGo(Map<IngressId, Takers> remembered) {}

    /** Runs a task once that is so. */
    void whenReady(Runnable task);

    /**
     * Whether every node that was here at the start has told its filters itself. To publish, it is
     * enough to know the durable ones of a member that is away from another node.
     */
    boolean knowsAll();

    /** Runs a task once that is so. */
    void whenAllKnown(Runnable task);

    /**
     * Sends a message to other nodes.
     *
     * @param to those with a session whose filter matches
     * @param groups shared groups that it goes to besides, of these nodes or others
     * @param receipt waits for each of them when the message is QoS 1/2, and at QoS 2 names them as
     *     those who remember it; told so here
     */
    void publish(NodeRef[] to, GroupTargets groups, Message message, @Nullable Receipt receipt);

    /**
     * Sends a message to nodes by the way that earlier ones of its publisher took, though it is
     * routed elsewhere.
     */
    void publishLate(NodeRef[] to, Message message, @Nullable Receipt receipt);

    /**
     * A message that another shard has routed was sent late to a node. If others have taken over
     * slots of the node, it goes to them for these, too.
     */
    void redirectLate(NodeRef to, Message message, @Nullable Receipt receipt);

    /** Sends the same of a message that is for sessions of these nodes alone. */
    void passOn(NodeRef[] to, PassingMessage message, @Nullable Receipt receipt);

    /** Whether a message goes to one node only of those that have a shared group. */
    boolean choosesOneNode();

    /**
     * Sends a message on that came here for a shared group, to the members of another node.
     *
     * @param group whole filter
     * @param receipt counts the node already; told when it has the message
     */
    void passOn(NodeRef to, TopicFilter group, Message message, @Nullable Receipt receipt);

    /**
     * Sends a retained message, or a deletion, to every node, which keeps and routes it. Only on
     * the shard that owns the retained store.
     *
     * @param to those with a session whose filter matches: they are waited for even while they are
     *     away
     * @param groups shared groups of other nodes that it goes to
     * @param not those that are, or were, away, and get it like any other message: these keep it
     *     and route nothing
     * @param stamp by which the later of two is told
     */
    void retained(
            NodeRef[] to,
            GroupTargets groups,
            NodeRef[] not,
            Message message,
            HybridId stamp,
            @Nullable Receipt receipt);

    /**
     * Runs a task once every node that is heard has answered for all retained messages so far:
     * whoever subscribes there meanwhile gets them in order with what follows.
     */
    void whenRetainedAnswered(Runnable task);

    /** The last position given by {@link #publish}. */
    long position(NodeRef of);

    /**
     * Whether the node has answered for all up to this position, or who has taken over its slots.
     */
    boolean isAnswered(NodeRef of, long position);

    /**
     * Counts the switch-overs to nodes that take over slots of a leader which is gone: all shards
     * have the same ones in the same order.
     */
    int switchOvers();

    /**
     * Whether what was sent to the node goes to whoever takes its slots over, and is not answered
     * there: what follows by another way waits, though the node is away.
     */
    boolean isSwitchingOver(NodeRef of);

    /**
     * Runs a task once that is not so.
     *
     * @param switchOvers how many are to have ended here before
     */
    void whenSwitchedOver(NodeRef of, int switchOvers, Runnable task);

    /**
     * Whether a message of QoS 1 or 2 is refused that would wait for a node that is away; else it
     * waits.
     */
    boolean refusesForAway();

    /** Whether nothing was heard of the node for so long that nobody waits for it who need not. */
    boolean isAway(NodeRef of);

    /** Runs a task once it has answered up to this position, or is away. */
    void whenAnswered(NodeRef of, long position, Runnable task);

    /** Runs a task once it has answered up to this position, however long it was away. */
    void whenAnsweredAtLast(NodeRef of, long position, Runnable task);

    /**
     * Whether all that may be kept for the node is: what has to be kept is not added, but waits
     * where it is. Any thread may ask.
     */
    boolean isFull(NodeRef of);

    /** The same of what {@link #retained} keeps for it. */
    boolean isRetainedFull(NodeRef of);

    /**
     * A node that is heard and full of retained messages: all of them go to each node, so the next
     * one waits for it. Any thread may ask.
     *
     * @return null when there is none
     */
    @Nullable NodeRef holdsRetained();

    /**
     * Whether less waits for the node than may: else whoever publishes to it is not read on, and
     * nobody else.
     */
    boolean hasRoom(NodeRef of);

    /** Runs a task once that is so. */
    void whenRoom(NodeRef of, Runnable task);

    /** The task need not run any more. */
    void forgetRoom(NodeRef of, Runnable task);
}

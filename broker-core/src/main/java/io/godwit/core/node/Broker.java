package io.godwit.core.node;

import io.godwit.core.group.HandOverAnswer;
import io.godwit.core.id.IngressId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.session.Goodbye;
import io.godwit.core.shard.ShardLoop;
import io.godwit.core.store.Receiver;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * One node's shards and what they share. The program gives each a thread; the simulator steps them.
 */
public final class Broker {
    private final NodeContext context;
    private final BrokerShard[] shards;
    private final Adoption adoption;
    private final LocalPublisher localPublisher;
    private final RetainedDirectory retained;
    private final SessionsOfGroups sessionsOfGroups;

    /**
     * @param loops one for each shard
     * @param random split for each shard; the same seed gives the same run
     */
    public Broker(
            NodeContext context, ShardLoop[] loops, RandomGenerator.SplittableGenerator random) {
        this(context, BrokerShards.create(context, loops, random));
    }

    Broker(NodeContext context, BrokerShard[] shards) {
        this.context = context;
        this.shards = shards;
        this.adoption = new Adoption(context, shards);
        this.sessionsOfGroups = new SessionsOfGroups(shards, context.cluster());
        this.localPublisher = new LocalPublisher(shards[shards.length - 1]);
        this.retained = new RetainedDirectory(shards[TopicIndex.OWNER]);
    }

    /** Returns what publishes messages of this process. */
    public LocalPublisher localPublisher() {
        return localPublisher;
    }

    /** Returns what reads the retained messages of this node. */
    public RetainedDirectory retained() {
        return retained;
    }

    /**
     * Takes up everything that was kept. Call once, before the shards' loops run; timers go on as
     * if the broker had not been down, and what came due meanwhile happens in the first turns.
     */
    public void recover() {
        Restart.run(context, shards);
    }

    /**
     * Makes sessions of copies that this node has of another one's, which is gone: each waits
     * offline for its client as after a restart, with its subscriptions, its queue and what it had
     * in flight. What was adopted before is left alone, so that it may be called again. Call on the
     * shard that owns the topic index, while the shards run; nothing of these slots is granted yet,
     * and no part of that node's stream is applied any more.
     *
     * @param leader server id of that node
     * @param copySet of the slots
     * @param slots of the sessions
     * @param epoch number of the {@link io.godwit.core.id.Epoch} under which this node leads their
     *     queues, above that of the other node
     * @param whenDone run on that shard when all sessions are here, their subscriptions are in the
     *     index, and the store has committed that this node leads their queues; never when the
     *     store fails
     */
    public void adopt(int leader, int copySet, BitSet slots, long epoch, Runnable whenDone) {
        adoption.adopt(leader, copySet, slots, epoch, whenDone);
    }

    /**
     * Takes up the copies that this node has of queues of shared groups of another node, which is
     * gone: what waits in them goes to members here, or to nodes that have some. What was adopted
     * before is left alone, so that it may be called again. Call on the shard that owns the topic
     * index, while the shards run; no part of that node's stream is applied any more.
     *
     * @param leader server id of that node
     * @param whenDone run on that shard when the store has committed that this node leads the
     *     queues, and their groups are made; never when the store fails
     */
    public void adoptGroups(int leader, Runnable whenDone) {
        new GroupAdoption(context, shards, leader, whenDone).begin();
    }

    /**
     * Gives up the queues of this node's shared groups, of which another one has adopted its
     * copies: they stay on the disk, and are not served. The groups begin anew. Call on the shard
     * that owns the topic index, while the shards run.
     *
     * @param taker server id of that node
     * @param whenKept run on that shard when it is on this node's disk; never when the store fails
     */
    public void giveUpGroups(int taker, Runnable whenKept) {
        BrokerShard owner = shards[TopicIndex.OWNER];
        AtomicInteger left = new AtomicInteger(shards.length);
        Runnable done =
                () -> {
                    if (left.decrementAndGet() == 0) {
                        owner.execute(whenKept);
                    }
                };
        for (BrokerShard each : shards) {
            each.execute(() -> each.groups().giveUpQueues(new NodeRef(taker), done));
        }
    }

    /**
     * Asks a session of this node whether its queue has, or had, an entry that a shared group of
     * another one was handing over to it. Any thread.
     *
     * @param group whole filter
     * @param id of the hand-over
     * @param taker told once, on any thread; perhaps long after, since what is had must be kept
     */
    public void askHandedOver(
            TopicFilter group, Receiver to, IngressId id, Consumer<HandOverAnswer> taker) {
        sessionsOfGroups.askHere(group, to, id, (answer, session) -> taker.accept(answer));
    }

    public NodeContext context() {
        return context;
    }

    /** Only the shard that owns it changes it. */
    public TopicIndex index() {
        return context.index();
    }

    public int shards() {
        return shards.length;
    }

    public BrokerShard shard(int index) {
        return shards[index];
    }

    /**
     * Has all connected clients looked at again, in slices: users were removed, or the rules have
     * changed. Any thread.
     */
    public void reviewClients() {
        for (BrokerShard each : shards) {
            each.execute(each::reviewClients);
        }
    }

    /** What the node counts now. Any thread. */
    public NodeCounts counts() {
        NodeCounts counts = new NodeCounts();
        for (BrokerShard each : shards) {
            counts.add(each.load(), each.counters());
        }
        return counts;
    }

    /** The answers to the admin port's questions about clients. */
    public ClientDirectory clients() {
        return new ClientDirectory(shards);
    }

    /**
     * Begins to publish the {@code $SYS} topics. Any thread.
     *
     * @param intervalMs above 0
     * @param version what {@code $SYS/broker/version} says
     */
    public void startSysTopics(long intervalMs, String version) {
        BrokerShard shard = shards[TopicIndex.OWNER];
        shard.execute(() -> shard.startSysTopics(shards.clone(), intervalMs, version));
    }

    /**
     * Tells every client that the broker stops and publishes the wills of those connected. Call
     * from any thread, once; the listeners are closed already.
     *
     * @param whenDone called on some shard's thread when every shard has told its clients, and no
     *     will is owed; the bytes are then queued for sending
     */
    public void stop(Runnable whenDone) {
        // Those of connections that were lost meanwhile are owed, too.
        Runnable whenDisconnected = () -> onEach(Farewell::awaitLastWills, whenDone);
        onEach(
                Farewell::publishWills,
                // What the wills sent between shards was posted before this round of mail.
                () ->
                        onEach(
                                (farewell, done) -> done.run(),
                                () -> onEach(Farewell::disconnectAll, whenDisconnected)));
    }

    /**
     * Tells every client to go to another node of the cluster; durable sessions stay. Call from any
     * thread, once, before {@link #stop}; the listeners are closed already.
     *
     * @param reference where else to go, for clients that understand it; empty for nothing
     * @param mostMs clients go some at a time; after so long all have gone
     * @param whenDone called on some shard's thread when every shard has told its clients
     */
    public void sendElsewhere(String reference, long mostMs, Runnable whenDone) {
        Goodbye goodbye = Goodbye.useAnother(reference);
        onEach(
                Farewell::publishWills,
                () ->
                        onEach(
                                (farewell, done) -> farewell.sendElsewhere(goodbye, mostMs, done),
                                whenDone));
    }

    /**
     * Closes the connections of all clients, which may connect again at once; sessions stay. Any
     * thread.
     *
     * @param yielded slots whose durable sessions become copies of another node's, and lose their
     *     connections by that; not to be changed
     */
    public void closeClients(BitSet yielded) {
        onEach((farewell, done) -> farewell.closeAll(yielded, done), () -> {});
    }

    private void onEach(BiConsumer<Farewell, Runnable> step, Runnable whenAllDone) {
        AtomicInteger left = new AtomicInteger(shards.length);
        Runnable done =
                () -> {
                    if (left.decrementAndGet() == 0) {
                        whenAllDone.run();
                    }
                };
        for (BrokerShard shard : shards) {
            shard.execute(() -> step.accept(shard.farewell(), done));
        }
    }
}

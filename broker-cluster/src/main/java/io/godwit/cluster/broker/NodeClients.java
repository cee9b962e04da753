package io.godwit.cluster.broker;

import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.leadership.SlotLeaders;
import io.godwit.cluster.leadership.SlotRow;
import io.godwit.cluster.leadership.SlotUse;
import io.godwit.cluster.registration.NodeRegistration;
import io.godwit.cluster.registration.RegistrationTimes;
import io.godwit.cluster.registration.ShardMail;
import io.godwit.cluster.remote.Buffers;
import io.godwit.cluster.remote.ChannelCounters;
import io.godwit.cluster.remote.RemoteNode;
import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.PeerListener;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.Broker;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.packet.ClientId;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.session.Goodbye;
import io.godwit.core.takeover.Registrar;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The clients of a node in a cluster: those of each shard, with the links and with leadership. What
 * leadership asks is answered on the shard that owns the topic index, by mail from all shards.
 */
final class NodeClients implements SlotUse, PeerListener {
    private final Broker broker;
    private final NodeRegistration registrations;
    private final RemoteNode remote;
    private final List<ShardClients> shards = new ArrayList<>();
    private @Nullable TakeOvers takeOvers;

    /**
     * @param buffers that connections of clients at other nodes encode into
     * @param placements of the shards, which are completed
     * @param merge takes rows of other nodes into the table, on the shard that owns the topic index
     * @param observedClock the highest hybrid clock that another node has sent; any thread
     * @param hasEnded knows which nodes have ended, by server id; any thread
     */
    NodeClients(
            Broker broker,
            NodeStart self,
            ClusterTimes times,
            Buffers buffers,
            List<ShardPlacement> placements,
            Consumer<List<SlotRow>> merge,
            LongSupplier observedClock,
            IntPredicate hasEnded) {
        this.broker = broker;
        ShardMail mail =
                new ShardMail() {
                    @Override
                    public int shards() {
                        return broker.shards();
                    }

                    @Override
                    public void execute(int shard, Runnable task) {
                        broker.shard(shard).execute(task);
                    }
                };
        registrations =
                new NodeRegistration(
                        self,
                        new RegistrationTimes(
                                times.peerTimeoutMs(),
                                times.claimWaitMs(),
                                times.failoverTimeoutMs()),
                        broker.context().security().sessionOwner(),
                        mail);
        BrokerShard owner = broker.shard(TopicIndex.OWNER);
        for (int i = 0; i < broker.shards(); i++) {
            ShardClients made =
                    new ShardClients(
                            broker.shard(i),
                            broker.shards(),
                            times,
                            buffers,
                            new ShardLeaders(rows -> owner.execute(() -> merge.accept(rows))),
                            observedClock,
                            hasEnded,
                            registrations);
            placements.get(i).attach(made.placement());
            shards.add(made);
        }
        remote =
                new RemoteNode(
                        shards.stream().map(ShardClients::edge).toList(),
                        shards.stream().map(ShardClients::leader).toList(),
                        mail::execute);
    }

    /**
     * Takes what loads the sessions of slots that are taken over; called once, before it begins.
     */
    void attach(TakeOvers loading) {
        takeOvers = loading;
    }

    /** Has messages about clients come here. */
    Handlers register(Handlers handlers) {
        return remote.register(handlers).with(registrations, NodeRegistration.messages());
    }

    /** Begins to look at what has to be done in time; the shards run. */
    void begin() {
        onEachShard(ShardClients::begin);
    }

    /** Adds up what all shards count of remote connections; any thread. */
    long sum(ToLongFunction<ChannelCounters> count) {
        return remote.sum(count);
    }

    /**
     * Ends the connections of clients here that other nodes serve, and takes no connections of
     * other nodes any more: this node leaves.
     */
    void endRemote(Goodbye goodbye) {
        onEachShard(ShardClients::leave);
        remote.endAll(goodbye);
    }

    /** Takes over who leads which slot now. */
    void onLeaders(SlotLeaders now) {
        onEachShard(each -> each.onLeaders(now));
    }

    /** Notes that a server does not belong to the cluster any more. */
    void forget(int server) {
        registrations.forget(server);
    }

    /**
     * Finds the other node where a client of a slot that is led here is connected, with a transient
     * session; any thread.
     *
     * @param then told once, on some shard; null: none is known
     */
    void findEdge(ClientId clientId, Consumer<@Nullable NodeStart> then) {
        int shard = Registrar.shardOf(clientId, shards.size());
        ShardClients of = shards.get(shard);
        broker.shard(shard).execute(() -> then.accept(of.edge(clientId)));
    }

    private void onEachShard(Consumer<ShardClients> task) {
        for (int i = 0; i < shards.size(); i++) {
            ShardClients each = shards.get(i);
            broker.shard(i).execute(() -> task.accept(each));
        }
    }

    // ---------------------------------------------------------------- links

    @Override
    public void onUp(PeerLink link, Resumed resumed) {
        remote.onUp(link, resumed); // A connection that waits for the node is opened at once.
        registrations.onUp(link, resumed);
    }

    @Override
    public void onSilent(PeerLink link) {
        remote.onSilent(link);
        registrations.onSilent(link);
    }

    @Override
    public void onHeard(PeerLink link) {
        remote.onHeard(link);
        registrations.onHeard(link);
    }

    @Override
    public void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        remote.onDown(link, unconfirmed);
        registrations.onDown(link, unconfirmed);
    }

    @Override
    public void onRoom(PeerLink link, TrafficClass traffic) {
        remote.onRoom(link, traffic);
    }

    // ---------------------------------------------------------------- what leadership asks

    /** Asks each shard, and tells the shard that owns the topic index when all have answered. */
    private <T> void ask(Function<ShardClients, T> question, Consumer<List<T>> then) {
        askSliced((each, answer) -> answer.accept(question.apply(each)), then);
    }

    /** Does so where a shard may take several turns. */
    private <T> void askSliced(
            BiConsumer<ShardClients, Consumer<T>> question, Consumer<List<T>> then) {
        BrokerShard owner = broker.shard(TopicIndex.OWNER);
        List<T> answers = new ArrayList<>(shards.size());
        Consumer<T> answered =
                answer ->
                        owner.execute(() -> {
                            answers.add(answer);
                            if (answers.size() == shards.size()) {
                                then.accept(answers);
                            }
                        });
        for (int i = 0; i < shards.size(); i++) {
            ShardClients each = shards.get(i);
            broker.shard(i).execute(() -> question.accept(each, answered));
        }
    }

    private static BitSet union(List<BitSet> sets) {
        BitSet all = new BitSet();
        sets.forEach(all::or);
        return all;
    }

    @Override
    public void holdings(Consumer<BitSet> then) {
        ask(
                each -> {
                    BitSet found = new BitSet();
                    each.addSlotsInUse(found);
                    return found;
                },
                all -> then.accept(union(all)));
    }

    @Override
    public void giveUp(BitSet wanted, Consumer<BitSet> then) {
        ask(each -> each.giveUp(wanted), all -> then.accept(union(all)));
    }

    @Override
    public void lead(BitSet slots, Epoch epoch) {
        // The shards see it in the leaders that they are told next.
    }

    @Override
    public void takeOver(int from, BitSet slots, Epoch epoch, Runnable whenLoaded) {
        Objects.requireNonNull(takeOvers).takeOver(from, slots, epoch, whenLoaded);
    }

    @Override
    public boolean isLost(int leader, int slot) {
        return Objects.requireNonNull(takeOvers).isLost(leader, slot);
    }

    @Override
    public boolean hasSwitched(int slot, Epoch epoch) {
        return Objects.requireNonNull(takeOvers).hasSwitched(slot, epoch);
    }

    @Override
    public void closeClients(BitSet yielded) {
        broker.closeClients(yielded);
    }

    @Override
    public void yieldTo(BitSet slots, int leader, Epoch epoch, LongConsumer then) {
        this.<Integer>askSliced(
                (each, answer) -> each.yieldTo(slots, leader, epoch.changes(), answer::accept),
                all -> {
                    long sessions = all.stream().mapToLong(Integer::longValue).sum();
                    // Behind the mail that brings it to sessions on other shards.
                    ask(each -> sessions, any -> then.accept(sessions));
                });
    }

    @Override
    public void stepDown(BitSet slots) {
        // The shards see it in the leaders that they are told next.
    }

    @Override
    public void setAside(BitSet slots, Epoch epoch, LongConsumer then) {
        ask(
                each -> each.setAside(slots),
                all -> then.accept(all.stream().mapToLong(Integer::longValue).sum()));
    }

    @Override
    public long sessionsAside() {
        long sum = 0;
        for (int i = 0; i < shards.size(); i++) {
            sum += broker.shard(i).counters().total(Metric.SESSIONS_SET_ASIDE);
        }
        return sum;
    }
}

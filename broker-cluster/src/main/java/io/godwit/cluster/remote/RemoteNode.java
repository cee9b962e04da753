package io.godwit.cluster.remote;

import io.godwit.cluster.transport.Handlers;
import io.godwit.cluster.transport.MessageHandler;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.PeerListener;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.operation.ByteReader;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Joins the shards of a node: brings them what links tell and what comes by them. Links call on
 * their threads; the shards hear it by mail, in the same order.
 */
public final class RemoteNode implements MessageHandler, PeerListener {
    private final List<RemoteChannels> edges;
    private final List<RemoteConnections> leaders;
    private final Mail mail;

    /** Runs tasks on shards. */
    public interface Mail {
        /** Runs a task on a shard's thread, in a turn, behind those of earlier calls. */
        void execute(int shard, Runnable task);
    }

    /** Does something on one shard, in both roles. */
    private interface Task {
        void run(RemoteChannels edge, RemoteConnections leader);
    }

    /**
     * @param edges by shard
     * @param leaders by shard
     */
    public RemoteNode(List<RemoteChannels> edges, List<RemoteConnections> leaders, Mail mail) {
        this.edges = List.copyOf(edges);
        this.leaders = List.copyOf(leaders);
        this.mail = mail;
    }

    /** Has messages of remote connections come here. */
    public Handlers register(Handlers handlers) {
        return handlers.with(this, Records.FROM_EDGE, Records.FROM_LEADER);
    }

    /** The edge's side of a shard. */
    public RemoteChannels edge(int shard) {
        return edges.get(shard);
    }

    /** The leader's side of a shard. */
    public RemoteConnections leader(int shard) {
        return leaders.get(shard);
    }

    /** Adds up what all shards count; any thread asks. */
    public long sum(ToLongFunction<ChannelCounters> count) {
        long sum = 0;
        for (RemoteChannels each : edges) {
            sum += count.applyAsLong(each.counters());
        }
        return sum;
    }

    // ---------------------------------------------------------------- links

    @Override
    public void onUp(PeerLink link, Resumed resumed) {
        onEachShard((edge, leader) -> {
            leader.onUp(link, resumed);
            edge.onUp(link, resumed);
        });
    }

    @Override
    public void onSilent(PeerLink link) {
        onEachShard((edge, leader) -> {
            leader.onSilent(link);
            edge.onSilent(link);
        });
    }

    @Override
    public void onHeard(PeerLink link) {
        onEachShard((edge, leader) -> {
            leader.onHeard(link);
            edge.onHeard(link);
        });
    }

    @Override
    public void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        List<Unconfirmed> ours =
                unconfirmed.stream()
                        .filter(each -> each.traffic() == TrafficClass.CONNECTIONS)
                        .toList();
        onEachShard((edge, leader) -> {
            leader.onDown(link, ours);
            edge.onDown(link, ours);
        });
    }

    @Override
    public void onRoom(PeerLink link, TrafficClass traffic) {
        if (traffic == TrafficClass.CONNECTIONS) {
            onEachShard((edge, leader) -> {
                leader.onRoom(link);
                edge.onRoom(link);
            });
        }
    }

    /** On every shard, in this order of calls. */
    private void onEachShard(Task task) {
        for (int i = 0; i < edges.size(); i++) {
            RemoteChannels edge = edges.get(i);
            RemoteConnections leader = leaders.get(i);
            mail.execute(i, () -> task.run(edge, leader));
        }
    }

    // ---------------------------------------------------------------- messages

    @Override
    public boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length) {
        boolean isFromEdge = type.equals(Records.FROM_EDGE);
        int target = body.smallInt();
        if (target == Records.TO_ALL) {
            byte[] records = body.rest();
            for (int i = 0; i < edges.size(); i++) {
                post(i, from, isFromEdge, records, 0);
            }
            return true; // Credit is not worth counting the shards that are done with it.
        }
        int shard =
                target == Records.TO_SLOT
                        ? body.smallInt() % edges.size()
                        : target - Records.TO_SHARD;
        if (shard >= edges.size()) {
            throw new IndexOutOfBoundsException("no shard " + shard);
        }
        post(shard, from, isFromEdge, body.rest(), length);
        return false;
    }

    /**
     * @param length that is given back to the peer when the shard is done with it
     */
    private void post(int shard, PeerLink from, boolean isFromEdge, byte[] records, int length) {
        RemoteChannels edge = edges.get(shard);
        RemoteConnections leader = leaders.get(shard);
        mail.execute(
                shard,
                () -> {
                    if (isFromEdge) {
                        leader.onMessage(from, records, 0);
                    } else {
                        edge.onMessage(from, records, 0);
                    }
                    if (length > 0) {
                        from.taken(TrafficClass.CONNECTIONS, length);
                    }
                });
    }
}

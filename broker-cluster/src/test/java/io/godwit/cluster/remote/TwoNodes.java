package io.godwit.cluster.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Resumed;
import io.godwit.core.connection.Placement;
import io.godwit.core.packet.ClientId;
import io.godwit.core.simulation.Scheduler;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** An edge and a leader with a link between them, for one thing at a time. */
final class TwoNodes {
    static final long PEER_TIMEOUT_MS = 500;

    final Scheduler scheduler = new Scheduler();
    final SimNode edge;
    SimNode leader;
    final Map<String, TestConnection> connections = new HashMap<>();
    private final SplittableRandom random = new SplittableRandom(1);
    private final int leaderShards;
    private @Nullable SimLink toLeader;
    private @Nullable SimLink toEdge;
    private long links;

    TwoNodes(int edgeShards, int leaderShards) {
        this(edgeShards, leaderShards, PEER_TIMEOUT_MS, PEER_TIMEOUT_MS);
    }

    TwoNodes(int edgeShards, int leaderShards, long edgeTimeoutMs, long leaderTimeoutMs) {
        this.leaderShards = leaderShards;
        edge = node(new NodeStart(1, 1), edgeShards, edgeTimeoutMs);
        leader = node(new NodeStart(2, 1), leaderShards, leaderTimeoutMs);
        scheduler.background(100_000, this::tick);
        up();
        run(10);
    }

    private SimNode node(NodeStart start, int shards, long timeoutMs) {
        return new SimNode(
                scheduler,
                start,
                shards,
                timeoutMs,
                (node, connect, wire) -> {
                    SimShard shard = node.shardOf(connect.clientId().slot());
                    TestConnection made = new TestConnection(connect, wire, shard);
                    connections.put(connect.clientId().toString(), made);
                    return made;
                },
                met -> {});
    }

    private void tick() {
        edge.tick();
        leader.tick();
        scheduler.background(100_000, this::tick);
    }

    /** Lets so many milliseconds pass. */
    void run(long ms) {
        long end = scheduler.micros() + ms * 1000;
        scheduler.background(ms * 1000, () -> {});
        while (scheduler.micros() < end) {
            assertThat(scheduler.step()).isTrue();
        }
    }

    void up() {
        SimLink one = new SimLink(scheduler, random, edge, leader, ++links, 20, 8 << 20);
        SimLink two = new SimLink(scheduler, random, leader, edge, ++links, 20, 8 << 20);
        one.twin(two);
        two.twin(one);
        toLeader = one;
        toEdge = two;
        edge.remote().onUp(one, leader.formers.getOrDefault(edge.start, Resumed.NOTHING));
        leader.remote().onUp(two, edge.formers.getOrDefault(leader.start, Resumed.NOTHING));
    }

    void silent(boolean silent) {
        Objects.requireNonNull(toLeader).silent(silent);
        Objects.requireNonNull(toEdge).silent(silent);
    }

    /** Breaks the link; two messages more arrive, of which nobody knows. */
    void down() {
        SimLink one = Objects.requireNonNull(toLeader);
        SimLink two = Objects.requireNonNull(toEdge);
        one.bring(2);
        two.bring(2);
        one.end();
        two.end();
        one.tellDown();
        two.tellDown();
    }

    /** The leader's process ends, and another one of it begins. */
    void restartLeader() {
        leader.die();
        down();
        leader = node(new NodeStart(2, 2), leaderShards, PEER_TIMEOUT_MS);
        connections.clear();
        up();
    }

    SimShard edgeShard(String clientId) {
        return edge.shardOf(ClientId.of(clientId).slot());
    }

    RemoteChannels channels(String clientId) {
        return edge.remote().edge(edge.shards.indexOf(edgeShard(clientId)));
    }

    /** Asks for a channel; the answer takes some milliseconds. */
    Placement.Question open(String clientId, boolean isV5, TestClient client) {
        Placement.Question[] question = new Placement.Question[1];
        edgeShard(clientId)
                .turn(() ->
                        question[0] =
                                channels(clientId)
                                        .open(
                                                leader.start,
                                                SimNode.connect(ClientId.of(clientId), isV5),
                                                client));
        return question[0];
    }

    /** A client whose connection is open and has sent CONNACK. */
    TestClient client(String clientId, boolean isV5) {
        TestClient client = new TestClient();
        open(clientId, isV5, client);
        run(5);
        connection(clientId).write(TestConnection.CONNACK);
        run(5);
        return client;
    }

    TestConnection connection(String clientId) {
        return Objects.requireNonNull(connections.get(clientId), clientId);
    }

    /** Sends bytes of a client. */
    void send(String clientId, TestClient client, byte[] some) {
        edgeShard(clientId).turn(() -> client.send(some));
    }

    long edgeUnderWay() {
        return edge.remote().sum(ChannelCounters::bytesUnderWay);
    }

    long leaderUnderWay() {
        return leader.remote().sum(ChannelCounters::bytesUnderWay);
    }

    /** Nothing is charged, counted or kept any more. */
    void assertEmpty() {
        for (SimNode node : new SimNode[] {edge, leader}) {
            assertThat(node.buffers.unreleased()).isEmpty();
            for (int i = 0; i < node.shards.size(); i++) {
                assertThat(node.shards.get(i).waiting).isZero();
                assertThat(node.shards.get(i).held).isZero();
                assertThat(node.remote().edge(i).budget().reserved()).isZero();
                assertThat(node.remote().leader(i).budget().reserved()).isZero();
            }
            assertThat(node.remote().sum(ChannelCounters::edgeChannels)).isZero();
            assertThat(node.remote().sum(ChannelCounters::leaderChannels)).isZero();
            assertThat(node.remote().sum(ChannelCounters::bytesUnderWay)).isZero();
        }
    }
}

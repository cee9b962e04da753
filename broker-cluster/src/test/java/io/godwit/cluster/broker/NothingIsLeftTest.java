package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.publish.LeaderAway;
import io.godwit.cluster.remote.ChannelCounters;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.Rules;
import io.netty.buffer.ByteBuf;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/**
 * Whatever way the connection of a client at another node than its leader ends: no buffer, no byte
 * of an account and no count is left at either. The client is connected to node 2, node 1 leads.
 */
class NothingIsLeftTest {
    private static final int PEER_TIMEOUT_MS = 1_000;
    private static final int EXPIRY = 1_000;

    private LoopNodes nodes = new LoopNodes(3, new SplittableRandom(1));

    private TestClient client() {
        nodes.node(1).id("c");
        return nodes.node(2).client("c", EXPIRY);
    }

    private long sum(int server, ToLongFunction<ShardLoad> of) {
        long sum = 0;
        for (int i = 0; i < nodes.node(server).node().broker().shards(); i++) {
            sum += of.applyAsLong(nodes.node(server).node().broker().shard(i).load());
        }
        return sum;
    }

    private void assertNothingIsLeft() {
        nodes.pass(200);
        for (LoopNodes.One each : nodes.nodes) {
            String node = "node " + each.server;
            assertThat(each.buffers().unreleased()).as(node).isEmpty();
            assertThat(sum(each.server, ShardLoad::connections)).as(node).isZero();
            assertThat(sum(each.server, ShardLoad::heldBytes)).as(node).isZero();
            assertThat(sum(each.server, ShardLoad::peerBytes)).as(node).isZero();
            assertThat(sum(each.server, ShardLoad::onlineSessions)).as(node).isZero();
            assertThat(each.part().sumOfChannels(ChannelCounters::edgeChannels)).isZero();
            assertThat(each.part().sumOfChannels(ChannelCounters::leaderChannels)).isZero();
            assertThat(each.part().sumOfChannels(ChannelCounters::bytesUnderWay)).isZero();
        }
    }

    private static int connAck(TestClient client) {
        return ((Packet.ConnAck) client.packets().getFirst()).code();
    }

    private static ByteBuf publish(TestClient client, int bytes) {
        return client.encode(
                new Packet.Publish(
                        Topic.of("t"), 1, false, false, 1, Properties.NONE, new byte[bytes]));
    }

    private void assertIsRefused() {
        TestClient client = client();
        assertThat(connAck(client)).isEqualTo(ReasonCode.QUOTA_EXCEEDED.code());
        assertThat(nodes.node(1).buffers().made()).isPositive();
        assertThat(client.isClosed()).isTrue();
        client.cut();
    }

    @Test
    void connection_that_its_leader_has_no_room_for_leaves_nothing() {
        nodes.node(1).id("c");
        for (int i = 0; i < 2; i++) {
            nodes.node(1).node().broker().shard(i).load().held(1L << 40);
        }
        assertIsRefused();
        for (int i = 0; i < 2; i++) {
            nodes.node(1).node().broker().shard(i).load().held(-(1L << 40));
        }
        assertNothingIsLeft();
    }

    @Test
    void connection_whose_session_is_refused_leaves_nothing() {
        nodes =
                new LoopNodes(
                        3,
                        new SplittableRandom(1),
                        LeaderAway.WAIT,
                        Rules.ALL,
                        Limits.with(limits -> limits.sessionBytes = 500),
                        OverloadSettings.DEFAULTS);
        assertIsRefused();
        assertNothingIsLeft();
    }

    /** It is back later than both sides wait for it. */
    private void linkEnds(TestClient client) {
        nodes.cut(nodes.node(1), nodes.node(2));
        nodes.pass(2 * PEER_TIMEOUT_MS);
        assertThat(sum(1, ShardLoad::connections)).isZero();
        assertThat(client.isClosed()).isTrue();
        client.cut();
        nodes.link(nodes.node(1), nodes.node(2));
        nodes.settle();
    }

    /** Another node has the client id, and does not answer. */
    private TestClient waitsForItsClientId() {
        nodes.node(1).id("c");
        TestClient before = nodes.node(3).client("c", 0);
        assertThat(connAck(before)).isZero();
        nodes.node(3).isPaused = true;
        TestClient client = nodes.node(2).client("c", EXPIRY);
        assertThat(sum(1, ShardLoad::heldBytes)).isPositive();
        assertThat(sum(1, ShardLoad::connections)).isEqualTo(1);
        before.cut();
        return client;
    }

    @Test
    void connection_that_ends_while_it_waits_at_its_leader_leaves_nothing() {
        waitsForItsClientId().cut();
        nodes.settle();
        assertThat(sum(1, ShardLoad::heldBytes)).isZero();
        nodes.node(3).isPaused = false;
        assertNothingIsLeft();
    }

    @Test
    void connection_whose_link_ends_while_it_waits_at_its_leader_leaves_nothing() {
        TestClient client = waitsForItsClientId();
        linkEnds(client);
        nodes.node(3).isPaused = false;
        assertNothingIsLeft();
    }

    @Test
    void half_a_packet_behind_the_connect_is_left_neither_at_the_edge_nor_at_the_leader() {
        nodes.node(1).id("c");
        TestClient client = nodes.node(2).connect("c", false, EXPIRY);
        client.bytes(publish(client, 20_000).slice(0, 10_000));
        assertThat(sum(2, ShardLoad::heldBytes)).isGreaterThan(10_000);
        nodes.settle();
        assertThat(connAck(client)).isZero();
        assertThat(sum(2, ShardLoad::heldBytes)).isZero();
        assertThat(sum(1, ShardLoad::heldBytes)).isGreaterThanOrEqualTo(10_000);
        client.cut();
        assertNothingIsLeft();
    }

    @Test
    void half_a_packet_is_given_back_when_the_link_ends() {
        TestClient client = client();
        client.bytes(publish(client, 20_000).slice(0, 10_000));
        nodes.settle();
        assertThat(sum(1, ShardLoad::heldBytes)).isGreaterThanOrEqualTo(10_000);
        linkEnds(client);
        assertNothingIsLeft();
    }

    @Test
    void what_is_queued_for_a_client_whose_link_ends_is_given_back() {
        TestClient client = client();
        client.subscribe(1, 1, "t");
        nodes.settle();
        TestClient publisher = nodes.node(1).client("p", 0);
        LoopLink link = nodes.node(1).linkTo(2);
        link.isFull = true;
        for (int i = 0; i < 50; i++) {
            publisher.bytes(publish(publisher, 1_000));
            nodes.settle();
        }
        assertThat(link.sent(TrafficClass.CONNECTIONS)).isEmpty();
        assertThat(sum(1, ShardLoad::peerBytes)).isGreaterThan(1_000);
        publisher.cut();
        linkEnds(client);
        assertNothingIsLeft();
    }

    @Test
    void what_is_queued_for_a_client_whose_edge_dies_is_given_back() {
        TestClient client = client();
        client.subscribe(1, 1, "t");
        nodes.settle();
        TestClient publisher = nodes.node(1).client("p", 0);
        publisher.bytes(publish(publisher, 1_000));
        nodes.node(2).crash();
        assertThat(sum(1, ShardLoad::connections)).isEqualTo(2);
        publisher.cut();
        nodes.pass(2 * PEER_TIMEOUT_MS);
        nodes.node(2).restart();
        assertNothingIsLeft();
    }

    @Test
    void what_a_client_has_sent_is_given_back_when_its_leader_dies() {
        TestClient client = client();
        for (int i = 0; i < 5; i++) {
            client.bytes(publish(client, 1_000));
        }
        nodes.node(1).crash();
        nodes.pass(2 * PEER_TIMEOUT_MS);
        assertThat(client.isClosed()).isTrue();
        client.cut();
        nodes.node(1).restart();
        assertNothingIsLeft();
    }
}

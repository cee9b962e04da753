package io.godwit.cluster.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.connection.Placement;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.Goodbye;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RemoteChannelsTest {
    private static final byte[] DISCONNECT = {(byte) 0xE0, 1, (byte) 0x8B};

    private static byte[] lastThree(TestClient client) {
        byte[] all = client.got.toByteArray();
        return Arrays.copyOfRange(all, all.length - 3, all.length);
    }

    @Test
    void connection_runs_on_the_shard_of_its_slot() {
        TwoNodes nodes = new TwoNodes(3, 4);
        for (int i = 0; i < 50; i++) {
            nodes.client("c" + i, i % 2 == 0);
            TestConnection connection = nodes.connection("c" + i);
            int shard = ClientId.of("c" + i).slot() % 4;
            assertThat(connection.shard).isSameAs(nodes.leader.shards.get(shard));
            assertThat(nodes.leader.remote().edge(shard).counters().leaderChannels()).isPositive();
            assertThat(connection.wire.remoteAddress()).isEqualTo("10.0.0.1:5");
            assertThat(connection.wire.tls()).isEqualTo(SimNode.TLS);
            assertThat(connection.wire.listener()).isEqualTo("tcp");
            assertThat(connection.wire.edge()).isEqualTo(1);
        }
        assertThat(nodes.edge.remote().sum(ChannelCounters::edgeChannels)).isEqualTo(50);
    }

    @Test
    void leader_gets_the_time_of_the_connect_by_its_own_clock() {
        TwoNodes nodes = new TwoNodes(1, 1);
        nodes.client("c", true);
        long connectedMs = SimNode.connect(ClientId.of("c"), true).connectedMs();
        assertThat(nodes.connection("c").connect.connectedMs())
                .isEqualTo(connectedMs - SimLink.PEER_AHEAD_MS);
    }

    @Test
    void node_that_does_not_lead_the_slot_answers_with_what_it_knows_of_the_leader() {
        TwoNodes nodes = new TwoNodes(1, 1);
        nodes.leader.notLed.set(ClientId.of("c").slot());
        TestClient client = new TestClient();
        nodes.open("c", true, client);
        nodes.run(5);
        assertThat(client.notLeader).isEqualTo(1);
        assertThat(nodes.connections).isEmpty();
        nodes.assertEmpty();
    }

    @Test
    void channel_that_is_withdrawn_ends_the_connection_at_the_leader() {
        TwoNodes nodes = new TwoNodes(1, 2);
        TestClient client = new TestClient();
        Placement.Question question = nodes.open("c", true, client);
        nodes.edgeShard("c").turn(question::withdraw);
        nodes.run(10);
        assertThat(nodes.connection("c").closed).isEqualTo(1);
        nodes.assertEmpty();
    }

    @Test
    void node_without_a_link_is_unreachable_at_once() {
        TwoNodes nodes = new TwoNodes(1, 1);
        nodes.down();
        nodes.run(1_000);
        TestClient client = new TestClient();
        nodes.open("c", true, client);
        assertThat(client.isUnreachable).isTrue();
        assertThat(client.isLost).isFalse();
    }

    @Test
    void channel_that_the_leader_opens_after_its_edge_held_it_for_lost_ends_at_the_leader() {
        TwoNodes nodes = new TwoNodes(1, 1, 500, 60_000);
        TestClient client = new TestClient();
        nodes.open("c", true, client);
        nodes.down();
        nodes.run(1_000);
        assertThat(client.isLost).isTrue();
        assertThat(client.isUnreachable).isFalse();
        assertThat(nodes.connection("c").closed).as("its leader waits longer").isZero();
        nodes.up();
        nodes.run(300);
        assertThat(nodes.connection("c").closed).isEqualTo(1);
        nodes.assertEmpty();
    }

    @Test
    void channel_that_no_link_has_brought_to_the_leader_is_not_opened_after_its_edge_has_lost_it() {
        TwoNodes nodes = new TwoNodes(1, 1, 500, 60_000);
        nodes.down();
        TestClient client = new TestClient();
        nodes.open("c", true, client);
        nodes.run(1_000);
        assertThat(client.isLost).isTrue();
        nodes.up();
        nodes.run(300);
        assertThat(nodes.connections).isEmpty();
        nodes.assertEmpty();
    }

    @Test
    void what_a_client_sends_last_is_read_before_its_connection_ends() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient client = nodes.client("c", true);
        TestConnection connection = nodes.connection("c");
        connection.shard.turn(() -> connection.wire.read(false));
        nodes.send("c", client, new byte[] {(byte) 0xE0, 0});
        nodes.edgeShard("c").turn(client::close);
        nodes.run(10);
        assertThat(connection.closed).isZero();
        assertThat(connection.wire.isPeerGone()).isTrue();
        connection.shard.turn(() -> connection.wire.read(true));
        nodes.run(10);
        assertThat(connection.got.toByteArray()).containsExactly(0xE0, 0);
        assertThat(connection.closed).isEqualTo(1);
        nodes.assertEmpty();
    }

    @Test
    void client_that_is_overdrawn_at_the_edge_is_so_at_the_leader() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient client = nodes.client("c", true);
        nodes.edgeShard("c")
                .turn(() -> {
                    client.listening().onOverdrawn();
                    client.close();
                });
        nodes.run(10);
        assertThat(nodes.connection("c").overdrawn).isEqualTo(1);
        assertThat(nodes.connection("c").closed).isEqualTo(1);
        nodes.assertEmpty();
    }

    @Test
    void link_that_breaks_in_a_packet_and_comes_back_loses_and_doubles_nothing() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient client = nodes.client("c", true);
        byte[] packet = TestConnection.publish(300_000);
        nodes.connection("c").write(packet);
        nodes.down();
        assertThat(client.got.size()).isLessThan(packet.length);
        nodes.run(300);
        assertThat(client.isClosed).isFalse();
        assertThat(nodes.leaderUnderWay()).isBetween(packet.length * 1L, packet.length + 4L);
        nodes.up();
        nodes.run(300);
        byte[] all = client.got.toByteArray();
        assertThat(Arrays.copyOfRange(all, 4, all.length)).isEqualTo(packet);
        assertThat(nodes.leader.shards.getFirst().waiting).isZero();
    }

    @Test
    void link_that_breaks_in_a_packet_for_too_long_ends_both_sides_without_disconnect() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient client = nodes.client("c", true);
        nodes.connection("c").write(TestConnection.publish(300_000));
        while (client.got.size() < 40_000) {
            nodes.scheduler.step();
        }
        nodes.down();
        nodes.run(100);
        int got = client.got.size();
        assertThat(got).isBetween(40_000, 300_000);
        nodes.run(900);
        assertThat(client.isClosed).isTrue();
        assertThat(client.got.size()).isEqualTo(got);
        assertThat(nodes.connection("c").closed).isEqualTo(1);
        nodes.assertEmpty();
    }

    @Test
    void client_between_two_packets_is_told_that_its_leader_has_ended() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient v5 = nodes.client("five", true);
        TestClient v3 = nodes.client("three", false);
        TestClient waits = new TestClient();
        nodes.open("waits", true, waits);
        nodes.run(5); // It has no CONNACK: DISCONNECT must not come before it.
        nodes.restartLeader();
        nodes.run(10);
        assertThat(lastThree(v5)).isEqualTo(DISCONNECT);
        assertThat(v3.got.toByteArray()).isEqualTo(TestConnection.CONNACK);
        assertThat(waits.got.size()).isZero();
        assertThat(List.of(v5, v3, waits)).allMatch(each -> each.isClosed);
        nodes.assertEmpty();
    }

    @Test
    void clients_of_an_edge_that_stops_are_told_so_and_their_connections_end_at_the_leader() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient v5 = nodes.client("five", true);
        TestClient v3 = nodes.client("three", false);
        nodes.edge.remote().endAll(Goodbye.SHUTTING_DOWN);
        nodes.run(10);
        assertThat(lastThree(v5)).isEqualTo(DISCONNECT);
        assertThat(v3.got.toByteArray()).isEqualTo(TestConnection.CONNACK);
        assertThat(List.of(v5, v3)).allMatch(each -> each.isClosed);
        assertThat(nodes.connection("five").closed).isEqualTo(1);
        assertThat(nodes.connection("three").closed).isEqualTo(1);
        nodes.assertEmpty();
    }

    @Test
    void clients_of_a_leader_that_has_ended_are_closed_some_at_a_time() {
        TwoNodes nodes = new TwoNodes(1, 1);
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            clients.add(new TestClient());
            nodes.open("c" + i, true, clients.get(i));
        }
        nodes.run(100);
        nodes.restartLeader();
        long most = 0;
        long before = 0;
        while (before < 1_000) {
            nodes.scheduler.step();
            long closed = clients.stream().filter(each -> each.isClosed).count();
            most = Math.max(most, closed - before);
            before = closed;
        }
        assertThat(most).isBetween(1L, 20L);
        nodes.assertEmpty();
    }

    @Test
    void slots_that_are_not_led_any_more_end_their_connections_and_no_others() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient goes = nodes.client("goes", true);
        TestClient stays = nodes.client("stays", true);
        BitSet slots = new BitSet();
        slots.set(ClientId.of("goes").slot());
        nodes.leader
                .shards
                .getFirst()
                .turn(() -> nodes.leader.remote().leader(0).closeSlots(slots));
        assertThat(nodes.connection("goes").closed).isEqualTo(1);
        nodes.run(10);
        assertThat(lastThree(goes)).isEqualTo(DISCONNECT);
        assertThat(goes.isClosed).isTrue();
        assertThat(stays.isClosed).isFalse();
        assertThat(nodes.connection("stays").closed).isZero();
    }

    @Test
    void channel_that_the_leader_has_given_up_ends_at_the_edge_when_the_link_is_back() {
        TwoNodes nodes = new TwoNodes(1, 2, 60_000, 300);
        TestClient client = nodes.client("c", true);
        nodes.down();
        nodes.run(1_000);
        assertThat(nodes.connection("c").closed).isEqualTo(1);
        assertThat(client.isClosed).isFalse();
        nodes.up();
        nodes.run(20);
        assertThat(client.isClosed).isTrue();
        nodes.assertEmpty();
    }

    @Test
    void channel_that_the_edge_has_given_up_ends_at_the_leader_when_the_link_is_back() {
        TwoNodes nodes = new TwoNodes(1, 2, 300, 60_000);
        TestClient client = nodes.client("c", true);
        nodes.down();
        nodes.run(1_000);
        assertThat(client.isClosed).isTrue();
        assertThat(nodes.connection("c").closed).isZero();
        nodes.up();
        nodes.run(20);
        assertThat(nodes.connection("c").closed).isEqualTo(1);
        nodes.assertEmpty();
    }

    @Test
    void silent_link_stops_the_reading_of_sockets_and_closes_nothing() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient client = nodes.client("c", true);
        nodes.silent(true);
        nodes.run(5_000);
        nodes.send("c", client, new byte[10]);
        assertThat(client.isReading).isFalse();
        assertThat(client.isClosed).isFalse();
        assertThat(nodes.connection("c").closed).isZero();
        nodes.silent(false);
        nodes.run(10);
        assertThat(client.isReading).isTrue();
        assertThat(nodes.connection("c").got.size()).isEqualTo(10);
    }

    @Test
    void fault_of_one_connection_ends_that_one_alone() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient bad = nodes.client("bad", true);
        TestClient good = nodes.client("good", true);
        nodes.connection("bad").fails = true;
        nodes.send("bad", bad, new byte[10]);
        nodes.send("good", good, new byte[10]);
        nodes.run(10);
        assertThat(bad.isClosed).isTrue();
        assertThat(nodes.connection("bad").closed).isEqualTo(1);
        assertThat(good.isClosed).isFalse();
        assertThat(nodes.connection("good").got.size()).isEqualTo(10);
    }

    @Test
    void buffer_whose_bytes_cannot_be_queued_is_released() {
        TwoNodes nodes = new TwoNodes(1, 1);
        nodes.client("c", true);
        RemoteWire wire = nodes.connection("c").wire;
        ByteBuf buffer = wire.allocate(100).writeZero(100);
        assertThat(nodes.leader.buffers.unreleased()).containsExactly(buffer);
        assertThatThrownBy(() -> wire.write(buffer)).hasMessage("not in a turn");
        assertThat(nodes.leader.buffers.unreleased()).isEmpty();
    }

    @Test
    void faults_of_many_connections_are_counted_and_logged_once_in_a_while() {
        TwoNodes nodes = new TwoNodes(1, 1);
        for (int i = 0; i < 100; i++) {
            fault(nodes, "bad" + i);
        }
        assertThat(nodes.leader.faults).isEqualTo(100);
        assertThat(nodes.leader.errors)
                .containsExactly("Internal error: closing the remote connection of 10.0.0.1:5");
        nodes.run(10_000);
        fault(nodes, "later");
        assertThat(nodes.leader.errors)
                .hasSize(2)
                .last()
                .isEqualTo(
                        "Internal error: closing the remote connection of 10.0.0.1:5, and 99 times"
                                + " since");
        nodes.assertEmpty();
    }

    private static void fault(TwoNodes nodes, String clientId) {
        TestClient client = nodes.client(clientId, true);
        nodes.connection(clientId).fails = true;
        nodes.send(clientId, client, new byte[10]);
        nodes.run(10);
        assertThat(client.isClosed).isTrue();
    }

    @Test
    void payload_that_goes_to_several_clients_of_a_node_counts_as_repeated() {
        TwoNodes nodes = new TwoNodes(1, 1);
        List<String> ids = List.of("one", "two", "three");
        ids.forEach(each -> nodes.client(each, true));
        byte[] payload = new byte[1_000];
        nodes.leader
                .shards
                .getFirst()
                .turn(() ->
                        ids.forEach(each -> nodes.connection(each).wire.write(payload, 0, 1_000)));
        nodes.run(10);
        assertThat(nodes.leader.remote().sum(ChannelCounters::repeatedBytes)).isEqualTo(2_000);
    }

    private static void leads(TwoNodes nodes, String clientId, int server, boolean isTakenOver) {
        int slot = ClientId.of(clientId).slot();
        BitSet takenOver = new BitSet();
        takenOver.set(slot, isTakenOver);
        nodes.edgeShard(clientId)
                .turn(() ->
                        nodes.channels(clientId).onOtherLeaders(Map.of(slot, server), takenOver));
    }

    @Test
    void clients_of_a_former_leader_are_closed_while_its_link_is_silent() {
        TwoNodes nodes = new TwoNodes(1, 2);
        TestClient v5 = nodes.client("c", true);
        TestClient v3 = nodes.client("d", false);
        TestClient other = nodes.client("e", true);
        nodes.silent(true);
        leads(nodes, "c", 3, true);
        leads(nodes, "d", 3, true);
        leads(nodes, "e", 2, false);
        nodes.run(5);
        assertThat(v5.isClosed).isTrue();
        assertThat(lastThree(v5)).containsExactly(DISCONNECT);
        assertThat(v3.isClosed).isTrue();
        assertThat(v3.got.toByteArray()).endsWith(TestConnection.CONNACK);
        assertThat(other.isClosed).isFalse();
        nodes.silent(false);
        nodes.run(300);
        assertThat(nodes.connection("c").closed).isEqualTo(1);
        assertThat(nodes.connection("d").closed).isEqualTo(1);
        assertThat(nodes.connection("e").closed).isZero();
    }

    @Test
    void channel_to_a_former_leader_that_was_not_opened_ends_when_its_slot_is_taken_over() {
        TwoNodes nodes = new TwoNodes(1, 1);
        nodes.silent(true);
        TestClient client = new TestClient();
        nodes.open("c", true, client);
        leads(nodes, "c", 3, false);
        assertThat(client.isLost).as("a node that gives the slot says so").isFalse();
        leads(nodes, "c", 3, true);
        assertThat(client.isLost).isTrue();
        nodes.silent(false);
        nodes.run(300);
        nodes.assertEmpty();
    }
}

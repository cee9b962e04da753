package io.godwit.cluster.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowControlTest {
    private static final int FIRST_TO_CLIENT = 4 << 10;
    private static final int FIRST_TO_LEADER = 8 << 10;

    @Test
    void of_ten_thousand_channels_a_client_that_never_reads_holds_its_own_window_alone() {
        TwoNodes nodes = new TwoNodes(2, 2);
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            TestClient client = new TestClient();
            client.takes = i != 77;
            clients.add(client);
            nodes.open("c" + i, true, client);
        }
        nodes.run(500);
        assertThat(nodes.leader.remote().sum(ChannelCounters::leaderChannels)).isEqualTo(10_000);

        byte[] packet = TestConnection.publish(500);
        int[] written = new int[10_000];
        List<TestConnection> all = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            all.add(nodes.connection("c" + i));
        }
        for (int round = 0; round < 12; round++) {
            for (SimShard shard : nodes.leader.shards) {
                shard.turn(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        TestConnection connection = all.get(i);
                        if (connection.shard == shard && connection.wire.isWritable()) {
                            connection.write(packet);
                            written[i]++;
                        }
                    }
                });
            }
            nodes.run(200);
        }
        for (int i = 0; i < 10_000; i++) {
            assertThat(clients.get(i).got.size()).isEqualTo(500 * written[i]);
            assertThat(written[i]).isEqualTo(i == 77 ? 9 : 12);
        }
        TestConnection stalled = nodes.connection("c77");
        assertThat(stalled.wire.pendingBytes()).isEqualTo(9 * 500);
        assertThat(clients.get(77).pendingBytes()).isBetween(4_096L, 4_096L + 500);
        // Of each other one less than a quarter of the window is taken and not told.
        assertThat(nodes.leaderUnderWay()).isLessThan(9 * 500 + 9_999L * FIRST_TO_CLIENT / 4);
        assertThat(nodes.edge.shards).allMatch(each -> each.waiting == 0);

        clients.get(77).takeAll();
        nodes.run(300);
        assertThat(stalled.wire.isWritable()).isTrue();
        assertThat(stalled.writable).isEqualTo(1);
        for (int i = 0; i < 10_000; i++) {
            TestClient client = clients.get(i);
            nodes.edgeShard("c" + i).turn(client::close);
        }
        nodes.run(500);
        assertThat(nodes.connections.values()).allMatch(each -> each.closed == 1);
        nodes.assertEmpty();
    }

    @Test
    void client_that_sends_faster_than_its_leader_takes_is_not_read_above_its_window() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient client = nodes.client("fast", true);
        TestConnection connection = nodes.connection("fast");
        SimShard leader = nodes.leader.shards.getFirst();
        leader.turn(() -> connection.wire.read(false));
        int sent = 0;
        for (int i = 0; i < 100; i++) {
            if (client.isReading) {
                nodes.send("fast", client, new byte[1000]);
                sent += 1000;
            }
            nodes.run(1);
        }
        assertThat(sent).isEqualTo(9_000);
        assertThat(client.isReading).isFalse();
        assertThat(nodes.edgeUnderWay()).isEqualTo(9_000);
        assertThat(connection.got.size()).isZero();
        assertThat(leader.held).isBetween(9_000L, 20_000L);

        leader.turn(() -> connection.wire.read(true));
        nodes.run(5);
        assertThat(connection.got.size()).isEqualTo(9_000);
        assertThat(leader.held).isZero();
        assertThat(client.isReading).isTrue();

        // Its leader takes all: the window doubles, up to 64 KiB, and no more is under way.
        for (int i = 0; i < 500; i++) {
            while (client.isReading) {
                nodes.send("fast", client, new byte[1000]);
                assertThat(nodes.edgeUnderWay()).isLessThanOrEqualTo((64 << 10) + 1000);
            }
            nodes.run(1);
        }
        assertThat(connection.wire.channel().in.reserved()).isEqualTo(64 << 10);
    }

    @Test
    void window_that_has_grown_shrinks_under_a_memory_alarm() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient client = nodes.client("reader", true);
        TestConnection connection = nodes.connection("reader");
        SimShard edge = nodes.edge.shards.getFirst();
        byte[] packet = TestConnection.publish(1000);
        for (int i = 0; i < 300; i++) {
            while (connection.wire.isWritable()) {
                connection.write(packet);
            }
            nodes.run(1);
        }
        WindowBudget budget = nodes.edge.remote().edge(0).budget();
        assertThat(budget.reserved()).isEqualTo(256 << 10);

        edge.isAlarm = true;
        nodes.run(300);
        assertThat(budget.reserved()).isEqualTo(FIRST_TO_CLIENT);
        client.takes = false;
        for (int i = 0; i < 50; i++) {
            while (connection.wire.isWritable()) {
                connection.write(packet);
            }
            nodes.run(1);
        }
        assertThat(client.pendingBytes()).isBetween(4_000L, FIRST_TO_CLIENT + 1000L);

        client.takeAll();
        for (int i = 0; i < 200; i++) {
            while (connection.wire.isWritable()) {
                connection.write(packet);
            }
            nodes.run(1);
        }
        assertThat(budget.reserved()).isEqualTo(FIRST_TO_CLIENT);
        edge.isAlarm = false;
        for (int i = 0; i < 50; i++) {
            while (connection.wire.isWritable()) {
                connection.write(packet);
            }
            nodes.run(1);
        }
        assertThat(budget.reserved()).isGreaterThan(FIRST_TO_CLIENT);
    }

    @Test
    void window_of_a_client_that_sends_shrinks_under_a_memory_alarm_of_its_leader() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient client = nodes.client("sender", true);
        TestConnection connection = nodes.connection("sender");
        SimShard leader = nodes.leader.shards.getFirst();
        sendWhileRead(nodes, client, 300);
        WindowBudget budget = nodes.leader.remote().leader(0).budget();
        assertThat(budget.reserved()).isEqualTo(64 << 10);

        leader.isAlarm = true;
        sendWhileRead(nodes, client, 300);
        assertThat(budget.reserved()).isEqualTo(FIRST_TO_LEADER);
        leader.turn(() -> connection.wire.read(false));
        sendWhileRead(nodes, client, 50);
        assertThat(client.isReading).isFalse();
        // One write of the client may go beyond the window; the array may be twice that.
        assertThat(nodes.edgeUnderWay())
                .isBetween((long) FIRST_TO_LEADER, FIRST_TO_LEADER + 1_000L);
        assertThat(leader.held).isBetween(1L, 2 * (FIRST_TO_LEADER + 1_000L));

        leader.turn(() -> connection.wire.read(true));
        sendWhileRead(nodes, client, 50);
        assertThat(budget.reserved()).isEqualTo(FIRST_TO_LEADER);
        leader.isAlarm = false;
        sendWhileRead(nodes, client, 50);
        assertThat(budget.reserved()).isGreaterThan(FIRST_TO_LEADER);
        assertThat(leader.held).isZero();
    }

    private static void sendWhileRead(TwoNodes nodes, TestClient client, int rounds) {
        for (int i = 0; i < rounds; i++) {
            while (client.isReading) {
                nodes.send("sender", client, new byte[1_000]);
            }
            nodes.run(1);
        }
    }

    @Test
    void link_that_breaks_in_a_packet_of_a_client_keeps_no_more_than_its_window_and_one_read() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient client = nodes.client("sender", true);
        TestConnection connection = nodes.connection("sender");
        byte[] packet = TestConnection.publish(100_000);
        SimShard edge = nodes.edge.shards.getFirst();
        int sent = 0;
        while (sent < 20_000) {
            sent = sendMore(nodes, client, packet, sent);
            nodes.run(1);
        }
        sent = sendMore(nodes, client, packet, sent);
        nodes.down();
        for (int i = 0; i < 300; i++) {
            sent = sendMore(nodes, client, packet, sent);
            nodes.run(1);
            assertThat(edge.waiting).isLessThanOrEqualTo((64 << 10) + 1_000);
            assertThat(nodes.edgeUnderWay()).isLessThanOrEqualTo((64 << 10) + 1_000);
        }
        assertThat(client.isReading).isFalse();
        assertThat(client.isClosed).isFalse();
        assertThat(edge.waiting).isPositive();
        assertThat(sent).isLessThan(packet.length);

        nodes.up();
        while (sent < packet.length) {
            sent = sendMore(nodes, client, packet, sent);
            nodes.run(1);
        }
        nodes.run(10);
        assertThat(connection.got.toByteArray()).isEqualTo(packet);
        assertThat(edge.waiting).isZero();
        nodes.edgeShard("sender").turn(client::close);
        nodes.run(10);
        nodes.assertEmpty();
    }

    /** Sends what comes next of a packet, if the socket is read. */
    private static int sendMore(TwoNodes nodes, TestClient client, byte[] packet, int from) {
        if (!client.isReading) {
            return from;
        }
        int to = Math.min(packet.length, from + 1_000);
        nodes.send("sender", client, Arrays.copyOfRange(packet, from, to));
        return to;
    }

    @Test
    void window_that_nothing_comes_by_leaves_its_room_to_others() {
        TwoNodes nodes = new TwoNodes(1, 1);
        SimShard edge = nodes.edge.shards.getFirst();
        edge.windowsMax = 40 << 10;
        nodes.client("one", true);
        nodes.client("two", true);
        WindowBudget budget = nodes.edge.remote().edge(0).budget();
        stream(nodes, nodes.connection("one"), 50);
        assertThat(budget.reserved()).isEqualTo(36 << 10); // 32 KiB and 4: 64 would be too many.
        stream(nodes, nodes.connection("two"), 50);
        assertThat(budget.reserved()).isEqualTo(40 << 10);
        nodes.run(2_500);
        assertThat(budget.reserved()).isEqualTo(2 * FIRST_TO_CLIENT);
        stream(nodes, nodes.connection("two"), 50);
        assertThat(budget.reserved()).isEqualTo(36 << 10);
    }

    private static void stream(TwoNodes nodes, TestConnection connection, int rounds) {
        byte[] packet = TestConnection.publish(1000);
        for (int i = 0; i < rounds; i++) {
            while (connection.wire.isWritable()) {
                connection.write(packet);
            }
            nodes.run(1);
        }
    }

    @Test
    void credit_goes_back_with_data_or_when_a_quarter_of_the_first_window_is_taken() {
        TwoNodes nodes = new TwoNodes(1, 1);
        TestClient client = nodes.client("c", true);
        TestConnection connection = nodes.connection("c");
        nodes.send("c", client, new byte[FIRST_TO_LEADER / 4 - 1]);
        nodes.run(5);
        assertThat(connection.got.size()).isEqualTo(FIRST_TO_LEADER / 4 - 1);
        assertThat(nodes.edgeUnderWay()).isEqualTo(FIRST_TO_LEADER / 4 - 1);
        nodes.send("c", client, new byte[1]);
        nodes.run(5);
        assertThat(nodes.edgeUnderWay()).isZero();
        nodes.send("c", client, new byte[10]);
        nodes.run(5);
        assertThat(nodes.edgeUnderWay()).isEqualTo(10);
        connection.write(new byte[] {(byte) 0xD0, 0});
        nodes.run(5);
        assertThat(nodes.edgeUnderWay()).isZero();
    }
}

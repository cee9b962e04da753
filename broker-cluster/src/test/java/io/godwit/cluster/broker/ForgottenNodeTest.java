package io.godwit.cluster.broker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ReasonCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node is dead, and is forgotten; perhaps it is back later, with all that it had. */
class ForgottenNodeTest {
    private static final int CLIENTS = 30;

    private final LoopNodes nodes = new LoopNodes(3, new Random(1));

    /** By client, packets that it has acknowledged. */
    private final Map<TestClient, Integer> taken = new HashMap<>();

    private void dies(int server) {
        nodes.node(server).crash();
        nodes.settle();
        nodes.pass(2_000);
    }

    private void isBack(int server) {
        nodes.node(server).restart();
        nodes.settle();
        nodes.pass(2_000);
    }

    private void forget(int server) {
        nodes.forget(server);
        nodes.settle();
    }

    private static Packet.ConnAck answer(TestClient client) {
        return client.packets().stream()
                .filter(Packet.ConnAck.class::isInstance)
                .map(Packet.ConnAck.class::cast)
                .findFirst()
                .orElseThrow();
    }

    private TestClient durable(int server, String clientId) {
        return nodes.node(server).client(clientId, 3_600);
    }

    private boolean isPresent(int server, String clientId) {
        Packet.ConnAck answer = answer(durable(server, clientId));
        assertThat(answer.code()).as(clientId).isZero();
        return answer.sessionPresent();
    }

    private void leaves(TestClient client) {
        client.cut();
        nodes.settle();
    }

    private static List<Integer> acks(TestClient of, PacketType type) {
        return of.packets().stream()
                .filter(packet -> packet instanceof Packet.Ack ack && ack.type() == type)
                .map(packet -> ((Packet.Ack) packet).packetId())
                .toList();
    }

    private long dropped(int server) {
        long sum = 0;
        for (int shard = 0; shard < 2; shard++) {
            sum +=
                    nodes.node(server)
                            .node()
                            .broker()
                            .shard(shard)
                            .counters()
                            .total(Metric.DROPPED_NODE_FORGOTTEN);
        }
        return sum;
    }

    /** What has come to a client, which acknowledges it. */
    private List<String> take(TestClient client) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            List<Packet> packets = List.copyOf(client.packets());
            int before = taken.getOrDefault(client, 0);
            taken.put(client, packets.size());
            for (Packet each : packets.subList(before, packets.size())) {
                if (each instanceof Packet.Publish publish) {
                    texts.add(new String(publish.payload(), UTF_8));
                    if (publish.qos() > 0) {
                        client.ack(
                                publish.qos() == 1 ? PacketType.PUBACK : PacketType.PUBREC,
                                publish.packetId());
                    }
                } else if (each instanceof Packet.Ack ack && ack.type() == PacketType.PUBREL) {
                    client.ack(PacketType.PUBCOMP, ack.packetId());
                }
            }
            nodes.pass(100);
        }
        return texts;
    }

    @Test
    void its_client_ids_are_granted_anew_also_when_the_others_start_anew() {
        for (int i = 0; i < CLIENTS; i++) {
            leaves(durable(1, "c" + i));
        }
        dies(1);
        TestClient refused = durable(2, "c0");
        nodes.pass(11_000);
        assertThat(answer(refused).code()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE.code());
        forget(1);
        for (int i = 0; i < CLIENTS / 2; i++) {
            assertThat(isPresent(2 + i % 2, "c" + i)).as("c%d", i).isFalse();
        }
        dies(3);
        isBack(3);
        for (int i = CLIENTS / 2; i < CLIENTS; i++) {
            assertThat(isPresent(2 + i % 2, "c" + i)).as("c%d", i).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void publishers_that_wait_for_it_go_on(int qos) {
        durable(1, "subscriber").subscribe(1, 2, "t/#");
        nodes.settle();
        TestClient publisher = nodes.node(2).client("publisher", 0);
        dies(1);
        for (int n = 1; n <= 5; n++) {
            publisher.publish("t/" + n % 2, qos, n, "m" + n);
        }
        nodes.pass(3_000);
        PacketType ack = qos == 1 ? PacketType.PUBACK : PacketType.PUBREC;
        assertThat(acks(publisher, ack)).isEmpty();
        forget(1);
        nodes.pass(500);
        assertThat(acks(publisher, ack)).containsExactly(1, 2, 3, 4, 5);
        assertThat(dropped(2)).isEqualTo(5);
        publisher.publish("t/1", qos, 6, "m6");
        nodes.settle();
        assertThat(acks(publisher, ack)).hasSize(6);
        assertThat(dropped(2)).isEqualTo(5);
        nodes.node(3).subscriber("other", "t/#"); // With its SUBACK.
        publisher.publish("t/1", qos, 7, "m7");
        nodes.settle();
        assertThat(acks(publisher, ack)).hasSize(7);
    }

    @Test
    void when_it_is_back_newer_sessions_stay_and_those_that_nobody_else_has_go_on() {
        for (int i = 0; i < CLIENTS; i++) {
            TestClient client = durable(1, "c" + i);
            client.subscribe(1, 2, "t/" + i);
            nodes.settle();
            leaves(client);
        }
        nodes.pass(8_000);
        TestClient publisher = nodes.node(2).client("publisher", 3_600);
        for (int i = 0; i < CLIENTS; i++) {
            publisher.publish("t/" + i, 2, i + 1, "before " + i);
        }
        nodes.settle();
        assertThat(acks(publisher, PacketType.PUBREC)).hasSize(CLIENTS);
        acks(publisher, PacketType.PUBREC).forEach(id -> publisher.ack(PacketType.PUBREL, id));
        nodes.settle();
        dies(1);
        for (int i = 0; i < CLIENTS; i++) {
            publisher.publish("t/" + i, 2, 1_000 + i, "while it is away " + i);
        }
        nodes.settle();
        forget(1);
        nodes.pass(500);
        assertThat(acks(publisher, PacketType.PUBREC)).hasSize(2 * CLIENTS);
        acks(publisher, PacketType.PUBREC).stream()
                .filter(id -> id >= 1_000)
                .forEach(id -> publisher.ack(PacketType.PUBREL, id));
        Map<Integer, TestClient> newer = new HashMap<>();
        for (int i = 0; i < CLIENTS / 2; i++) {
            TestClient client = durable(2 + i % 2, "c" + i);
            assertThat(answer(client).sessionPresent()).isFalse();
            client.subscribe(1, 2, "t/" + i);
            newer.put(i, client);
        }
        nodes.settle();

        isBack(1);
        for (int i = 0; i < CLIENTS; i++) {
            publisher.publish("t/" + i, 2, 2_000 + i, "after " + i);
        }
        nodes.pass(500);
        assertThat(acks(publisher, PacketType.PUBREC)).hasSize(3 * CLIENTS);
        for (int i = 0; i < CLIENTS / 2; i++) {
            TestClient client = Objects.requireNonNull(newer.get(i));
            assertThat(client.isClosed()).as("c%d", i).isFalse();
            assertThat(take(client)).as("c%d", i).containsExactly("after " + i);
            leaves(client);
            assertThat(isPresent(1, "c" + i)).as("c%d", i).isTrue();
        }
        for (int i = CLIENTS / 2; i < CLIENTS; i++) {
            TestClient client = durable(3, "c" + i);
            assertThat(answer(client).sessionPresent()).as("c%d", i).isTrue();
            assertThat(take(client)).as("c%d", i).containsExactly("before " + i, "after " + i);
        }
    }

    /** They had left for it, and it may have died before they came. */
    @Test
    void what_a_group_was_passing_on_to_it_goes_to_another_member() {
        String group = "$share/g/jobs/+";
        TestClient offline = durable(2, "offline");
        offline.subscribe(1, 1, group);
        nodes.settle();
        leaves(offline);
        TestClient publisher = nodes.node(2).client("publisher", 0);
        for (int n = 1; n <= 5; n++) {
            publisher.publish("jobs/1", 1, n, "job " + n);
        }
        nodes.settle();
        assertThat(acks(publisher, PacketType.PUBACK)).hasSize(5);
        nodes.node(1).slowFrom = 2;
        TestClient first = durable(1, "first");
        first.subscribe(1, 1, group);
        nodes.pass(500);
        assertThat(take(first)).isEmpty();
        dies(1);
        TestClient second = durable(3, "second");
        second.subscribe(1, 1, group);
        nodes.pass(500);
        assertThat(take(second)).isEmpty();
        forget(1);
        assertThat(take(second)).hasSize(5).contains("job 1", "job 5");
        assertThat(dropped(2)).isZero();
    }

    /** A SUBACK must not wait for a node that this start has never had a link with. */
    @Test
    void after_a_start_nobody_waits_for_a_node_that_was_never_there() {
        nodes.node(3).id("mover");
        TestClient first = durable(1, "mover");
        first.subscribe(1, 1, "t/#");
        nodes.settle();
        leaves(first);
        dies(1);
        dies(3);
        isBack(3);
        TestClient third = durable(3, "mover");
        assertThat(answer(third).sessionPresent()).isTrue();
        nodes.pass(1_000);
        third.subscribe(2, 1, "u/#");
        nodes.pass(1_000);
        assertThat(third.packets()).anyMatch(Packet.SubAck.class::isInstance);
    }
}

package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.publish.LeaderAway;
import io.godwit.core.node.TestClient;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a node keeps for one that is away for long is in the account, and has a bound. */
class AwayNodeMemoryTest {
    private static final int PAYLOAD = 64 << 10;

    /** Two streams of publishes and one of what is shared, 8 MiB each, and a message more each. */
    private static final long BOUND = 3 * ((8 << 20) + 2L * PAYLOAD);

    private LoopNodes nodes = new LoopNodes(2, new SplittableRandom(1));
    private final TestClient subscriber = client(leader(), "subscriber", 1_000);
    private final List<String> seen = new ArrayList<>();
    private int taken;

    private LoopNodes.One here() {
        return nodes.node(1);
    }

    private LoopNodes.One leader() {
        return nodes.node(2);
    }

    private TestClient client(LoopNodes.One at, String id, long expirySeconds) {
        TestClient client = at.connect(id, expirySeconds == 0, expirySeconds);
        nodes.settle();
        return client;
    }

    private void subscribe(TestClient client, int qos, String filter) {
        client.subscribe(1, qos, filter);
        nodes.settle();
    }

    /** The leader of the subscriber is cut off, and nobody waits for it who need not. */
    private void away() {
        nodes.cut(here(), leader());
        nodes.pass(2_000);
    }

    private void back() {
        nodes.link(here(), leader());
        for (int i = 0; i < 20; i++) {
            take();
            nodes.pass(100);
        }
    }

    /** The subscriber takes and acknowledges what has come. */
    private void take() {
        for (int before = -1; before != taken; ) {
            before = taken;
            nodes.settle();
            List<Packet> packets = List.copyOf(subscriber.packets());
            for (Packet packet : packets.subList(taken, packets.size())) {
                if (packet instanceof Packet.Publish publish) {
                    seen.add(text(publish));
                    if (publish.qos() == 1) {
                        subscriber.ack(PacketType.PUBACK, publish.packetId());
                    } else if (publish.qos() == 2) {
                        subscriber.ack(PacketType.PUBREC, publish.packetId());
                    }
                } else if (packet instanceof Packet.Ack ack && ack.type() == PacketType.PUBREL) {
                    subscriber.ack(PacketType.PUBCOMP, ack.packetId());
                }
            }
            taken = packets.size();
        }
    }

    private static String text(Packet.Publish publish) {
        return new String(publish.payload(), StandardCharsets.UTF_8).trim();
    }

    private static String large(String text) {
        return text + " ".repeat(PAYLOAD);
    }

    private static List<Integer> acks(TestClient of, PacketType type) {
        return of.packets().stream()
                .filter(packet -> packet instanceof Packet.Ack ack && ack.type() == type)
                .map(packet -> ((Packet.Ack) packet).packetId())
                .toList();
    }

    private static long kept(LoopNodes.One at) {
        long sum = 0;
        for (int shard = 0; shard < 2; shard++) {
            sum += at.node().broker().shard(shard).load().peerBytes();
        }
        return sum;
    }

    /** Clients that lose patience and come back with the same message, until the node is full. */
    private void fill() {
        for (int i = 0; i < 400; i++) {
            TestClient impatient = client(here(), "impatient" + i, 0);
            impatient.publish("t/impatient", 1, 1, large("impatient" + i));
            nodes.settle();
            impatient.cut();
            nodes.settle();
        }
    }

    @Test
    void clients_that_come_back_again_and_again_fill_no_memory() {
        subscribe(subscriber, 1, "t/#");
        away();
        List<TestClient> publishers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            publishers.add(client(here(), "publisher" + i, 0));
            publishers.getLast().publish("t/" + i, 1, 1, large(i + ".1"));
        }
        fill();
        assertThat(kept(here())).isBetween(8L << 20, BOUND);
        for (int i = 0; i < 10; i++) {
            for (int n = 2; n <= 5; n++) {
                publishers.get(i).publish("t/" + i, 1, n, large(i + "." + n));
            }
        }
        nodes.pass(1_000);
        assertThat(kept(here())).isBetween(8L << 20, BOUND);
        publishers.forEach(each -> assertThat(acks(each, PacketType.PUBACK)).isEmpty());

        back();
        nodes.pass(1_000);
        take();
        for (int i = 0; i < 10; i++) {
            String topic = i + ".";
            assertThat(acks(publishers.get(i), PacketType.PUBACK)).containsExactly(1, 2, 3, 4, 5);
            assertThat(seen.stream().filter(text -> text.startsWith(topic)))
                    .containsExactly(i + ".1", i + ".2", i + ".3", i + ".4", i + ".5");
        }
        assertThat(kept(here())).isLessThan(1_000);
    }

    @Test
    void whoever_publishes_to_others_goes_on() {
        subscribe(subscriber, 1, "t/#");
        away();
        fill();
        TestClient there = client(here(), "there", 0);
        subscribe(there, 1, "u/#");
        TestClient publisher = client(here(), "publisher", 0);
        for (int n = 1; n <= 50; n++) {
            publisher.publish("u/" + n, 1, n, "text");
            nodes.settle();
        }
        assertThat(acks(publisher, PacketType.PUBACK)).hasSize(50);
        assertThat(there.payloads()).hasSize(50);
    }

    /** One that waits for room was not acknowledged: its client sends it again. */
    @Test
    void session_is_handed_over_although_what_its_client_has_published_waits_for_room() {
        subscribe(subscriber, 2, "t/#");
        away();
        fill();
        TestClient publisher = client(here(), "publisher", 1_000);
        publisher.publish("t/q", 2, 7, "once");
        nodes.settle();
        for (int i = 0; i < 8; i++) { // To and fro between shards.
            publisher.cut();
            nodes.settle();
            publisher = client(here(), "publisher", 1_000);
            publisher.publish("t/q", 2, 7, "once");
            nodes.settle();
            assertThat(acks(publisher, PacketType.PUBREC)).isEmpty();
        }
        back();
        nodes.pass(1_000);
        assertThat(acks(publisher, PacketType.PUBREC)).containsExactly(7);
        publisher.ack(PacketType.PUBREL, 7);
        nodes.pass(1_000);
        take();
        assertThat(seen.stream().filter("once"::equals)).hasSize(1);
    }

    @Test
    void what_waits_for_room_is_refused_where_nothing_is_to_wait() {
        nodes = new LoopNodes(2, new SplittableRandom(1), LeaderAway.REFUSE);
        subscribe(client(leader(), "there", 1_000), 1, "t/#");
        nodes.cut(here(), leader());
        fill();
        TestClient publisher = client(here(), "publisher", 0);
        publisher.publish("t/1", 1, 1, "first");
        publisher.publish("t/2", 2, 2, "second");
        nodes.settle();
        assertThat(acks(publisher, PacketType.PUBACK)).isEmpty();
        nodes.pass(2_000);
        assertThat(publisher.packets())
                .filteredOn(Packet.Ack.class::isInstance)
                .extracting(packet -> ((Packet.Ack) packet).reason())
                .containsExactly(ReasonCode.QUOTA_EXCEEDED, ReasonCode.QUOTA_EXCEEDED);
    }

    private static void retain(TestClient by, int packetId, int qos, String topic, String text) {
        byte[] payload = large(text).getBytes(StandardCharsets.UTF_8);
        by.send(
                new Packet.Publish(
                        Topic.of(topic), qos, false, true, packetId, Properties.NONE, payload));
    }

    /** Its process is stopped, and its link stays for hours. */
    @Test
    void retained_messages_do_not_pile_up_for_a_node_that_is_silent() {
        leader().isPaused = true;
        nodes.pass(2_000);
        here().silent(leader());
        nodes.settle();
        TestClient publisher = client(here(), "publisher", 0);
        for (int n = 1; n <= 400; n++) {
            retain(publisher, n % 2 * n, n % 2, "r/" + n, "kept" + n);
            nodes.settle();
        }
        assertThat(acks(publisher, PacketType.PUBACK)).hasSize(200);
        assertThat(kept(here())).isLessThan(BOUND);
        leader().isPaused = false;
        here().heard(leader());
        nodes.pass(1_000);
        subscribe(subscriber, 1, "r/#");
        for (int i = 0; i < 20; i++) {
            take();
            nodes.pass(100);
        }
        assertThat(seen).hasSize(400).contains("kept1", "kept400");
    }

    @Test
    void copies_of_retained_messages_go_as_there_is_room_also_to_one_that_falls_silent() {
        away();
        TestClient publisher = client(here(), "publisher", 0);
        for (int n = 1; n <= 600; n++) {
            retain(publisher, n, 1, "r/" + n, "kept" + n);
            nodes.settle();
        }
        nodes.link(here(), leader());
        for (int i = 0; i < 10; i++) {
            step();
            assertThat(kept(here())).isLessThan(BOUND);
        }
        leader().isPaused = true;
        here().silent(leader());
        nodes.settle();
        assertThat(kept(here())).isLessThan(BOUND);
        leader().isPaused = false;
        here().heard(leader());
        for (int i = 0; i < 100; i++) {
            step();
            assertThat(kept(here())).isLessThan(BOUND);
        }
        nodes.pass(1_000); // All of them are there.
        subscribe(subscriber, 1, "r/#");
        for (int i = 0; i < 20; i++) {
            take();
            nodes.pass(100);
        }
        assertThat(seen).hasSize(600);
    }

    private void step() {
        leader().deliver(1);
        leader().settle();
        here().deliver(1);
        here().settle();
    }

    /** Sessions there have to get them in order: whoever publishes them waits. */
    @Test
    void retained_messages_that_somebody_there_gets_wait_for_room() {
        subscribe(subscriber, 1, "r/#");
        away();
        TestClient publisher = client(here(), "publisher", 0);
        for (int n = 1; n <= 400; n++) {
            retain(publisher, n, 1, "r/r", "kept" + n);
            nodes.settle();
        }
        assertThat(kept(here())).isBetween(8L << 20, BOUND);
        assertThat(acks(publisher, PacketType.PUBACK)).isEmpty();
        back();
        nodes.pass(2_000);
        take();
        assertThat(acks(publisher, PacketType.PUBACK)).hasSize(400);
        assertThat(seen).hasSize(400);
        for (int n = 1; n <= 400; n++) {
            assertThat(seen.get(n - 1)).isEqualTo("kept" + n);
        }
    }

    @Test
    void filters_that_come_and_go_do_not_pile_up() {
        TestClient restless = client(here(), "restless", 1_000);
        away();
        for (int n = 0; n < 20_000; n++) {
            String filter = "f/" + n + "/" + "x".repeat(400);
            restless.subscribe(1, 1, filter);
            restless.send(
                    new Packet.Unsubscribe(2, List.of(TopicFilter.of(filter)), Properties.NONE));
            nodes.settle();
        }
        restless.subscribe(1, 1, "f/last");
        nodes.settle();
        assertThat(kept(here())).isLessThan(3 << 20);
        nodes.link(here(), leader());
        nodes.settle();
        TestClient publisher = client(leader(), "publisher", 0);
        publisher.publish("f/last", 1, 1, "text");
        nodes.settle();
        assertThat(restless.payloads()).containsExactly("text");
        assertThat(acks(publisher, PacketType.PUBACK)).containsExactly(1);
    }
}

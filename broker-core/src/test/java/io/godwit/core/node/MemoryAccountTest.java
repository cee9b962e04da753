package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.load.MemoryClass;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.store.KeptStore;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is charged to which class, and what comes back. */
class MemoryAccountTest {
    private static final long SESSION_BYTES = 100_000;
    private static final long MEMORY = 8L << 20;

    private final TestNode node =
            new TestNode(
                    2,
                    limits(SESSION_BYTES),
                    new OverloadSettings(200, 1 << 20, 1 << 18, 50_000, MEMORY, 1 << 20, 1000));

    private static LimitSettings limits(long sessionBytes) {
        return Limits.with(l -> l.sessionBytes = sessionBytes);
    }

    private long account(MemoryClass of) {
        node.tick(100);
        return node.context.load().memory().account(of);
    }

    @Test
    void what_was_kept_counts_as_soon_as_it_is_restored() {
        KeptStore store = new KeptStore(1);
        SettableTime time = new SettableTime();
        TestNode before = TestNode.restarted(store, time);
        TestClient client = before.open(0, ProtocolVersion.MQTT_5);
        client.connect("durable", false, 1_000, 0);
        before.settle();
        client.subscribe(1, 1, "x".repeat(20_000));
        before.settle();
        TestNode after = TestNode.restarted(store, time);
        assertThat(after.context.load().memory().account(MemoryClass.SESSIONS))
                .isGreaterThan(20_000);
    }

    /** Two nodes that wait for each other would wait for ever. */
    @Test
    void what_waits_for_other_nodes_raises_the_alarm_and_does_not_keep_it_up() {
        node.shards[0].load().peers(MEMORY + 1);
        Set<Boolean> alarm = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            alarm.add(node.context.load().memory().isAlarm());
            node.tick(100);
        }
        assertThat(alarm).containsExactlyInAnyOrder(true, false);
        assertThat(account(MemoryClass.PEERS)).isGreaterThan(MEMORY);
    }

    @Test
    void filtersBeyondTheNodesShareAreRefusedAndThoseThatGoMakeRoom() {
        TestClient first = node.client(0, "a");
        String level = "x".repeat(20_000);
        first.subscribe(1, 0, "1" + level, "2" + level, "3" + level, "4" + level);
        node.settle();
        assertThat(account(MemoryClass.SESSIONS)).isBetween(80_000L, SESSION_BYTES);

        TestClient second = node.client(1, "b");
        second.subscribe(1, 0, "5" + level, "short");
        node.settle();
        Packet.SubAck answer = (Packet.SubAck) second.packets().getLast();
        assertThat(answer.codes()[0] & 0xFF).isEqualTo(ReasonCode.QUOTA_EXCEEDED.code());
        assertThat(answer.codes()[1]).isZero();

        first.cut();
        node.settle();
        second.subscribe(2, 0, "5" + level);
        node.settle();
        assertThat(((Packet.SubAck) second.packets().getLast()).codes()[0]).isZero();
        second.cut();
        node.settle();
        assertThat(account(MemoryClass.SESSIONS)).isZero();
    }

    @Test
    void sessionsBeyondTheNodesShareAreRefusedAndThoseThatAreThereStay() {
        int granted = 0;
        int refused = 0;
        TestClient last = null;
        for (int i = 0; i < 300; i++) {
            TestClient client = node.open(i % 2, ProtocolVersion.MQTT_5);
            client.connect("c" + i, true, 0, 0);
            node.settle();
            Packet.ConnAck answer = (Packet.ConnAck) client.packets().getFirst();
            if (answer.code() == 0) {
                granted++;
                last = client;
            } else {
                assertThat(answer.code()).isEqualTo(ReasonCode.QUOTA_EXCEEDED.code());
                refused++;
            }
        }
        assertThat(granted).isBetween(100, 200);
        assertThat(node.count(Metric.REFUSED_SESSIONS)).isEqualTo(refused);
        assertThat(last).isNotNull();
        last.cut();
        node.settle();
        TestClient newcomer = node.client(0, "newcomer");
        assertThat(newcomer.wire.isClosed()).isFalse();
    }

    @Test
    void aWillIsChargedUntilItIsPublishedOrGivenUp() {
        long before = account(MemoryClass.SESSIONS);
        Will will = new Will(Topic.of("w"), 0, false, new byte[10_000], 100, Properties.NONE);
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("c"),
                        true,
                        60,
                        will,
                        null,
                        null,
                        false,
                        Properties.builder().add(Property.SESSION_EXPIRY_INTERVAL, 1_000).build()));
        node.settle();
        assertThat(account(MemoryClass.SESSIONS)).isGreaterThan(before + 10_000);
        client.cut();
        node.settle();
        assertThat(account(MemoryClass.SESSIONS)).isGreaterThan(before + 10_000);
        node.tick(200_000);
        assertThat(account(MemoryClass.SESSIONS)).isBetween(before, before + 1_000);
    }

    @Test
    void routesThatTopicsKeepStayWithinTheirShare() {
        TestClient subscriber = node.client(0, "s");
        subscriber.subscribe(1, 0, "#");
        node.settle();
        TestClient publisher = node.client(1, "p");
        int topics = 20_000;
        nameTopics(publisher, "t/%d", topics);
        assertThat(account(MemoryClass.ROUTES)).isBetween(MEMORY / 64, MEMORY / 16);
        assertThat(subscriber.count(PacketType.PUBLISH)).isEqualTo(topics);
        // One whose route was forgotten is found again.
        publisher.publish("t/0", 0, 0, "y");
        node.settle();
        assertThat(subscriber.payloads()).endsWith("y");
    }

    @Test
    void eachTopicKeepsOneRouteHoweverOftenItIsNamed() {
        TestClient subscriber = node.client(0, "s");
        subscriber.subscribe(1, 0, "#");
        TestClient publisher = node.client(1, "p");
        nameTopics(publisher, "fleet/devices/%d/state", 700);
        long once = account(MemoryClass.ROUTES);
        for (int round = 0; round < 5; round++) {
            nameTopics(publisher, "fleet/devices/%d/state", 700);
        }
        assertThat(account(MemoryClass.ROUTES)).isBetween(MEMORY / 128, once);
        assertThat(subscriber.count(PacketType.PUBLISH)).isEqualTo(4_200);
    }

    private void nameTopics(TestClient publisher, String name, int topics) {
        for (int i = 0; i < topics; i++) {
            publisher.publish(name.formatted(i), 0, 0, "x");
            if (i % 1_000 == 0) {
                node.settle();
            }
        }
        node.settle();
    }

    @Test
    void whatWaitsAndWhatHasNotArrivedIsChargedWhereItBelongs() {
        TestClient slow = node.client(0, "slow");
        slow.subscribe(1, 1, "t");
        node.settle();
        slow.wire.block();
        TestClient publisher = node.client(1, "p");
        for (int i = 0; i < 100; i++) {
            publisher.publish("t", 1, 1 + i, false, new byte[20_000]);
        }
        publisher.bytes(
                publisher
                        .encode(
                                new Packet.Publish(
                                        Topic.of("t"),
                                        0,
                                        false,
                                        false,
                                        0,
                                        Properties.NONE,
                                        new byte[9_000]))
                        .slice(0, 5_000));
        node.settle();
        assertThat(account(MemoryClass.QUEUES)).isGreaterThan(2_000_000);
        assertThat(account(MemoryClass.PARTIAL)).isGreaterThanOrEqualTo(5_000);
        slow.cut();
        publisher.cut();
        node.settle();
        for (MemoryClass each : MemoryClass.values()) {
            if (each != MemoryClass.ROUTES) {
                assertThat(account(each)).as(each.tag()).isZero();
            }
        }
    }
}

package io.godwit.durability;

import static io.godwit.durability.Clients.durable;
import static io.godwit.durability.Clients.publish;
import static io.godwit.durability.Clients.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.conformance.wire.WireClient;
import io.godwit.server.BrokerFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a queue on the disk, and all of a node, may hold, and what happens beyond. */
class QueueLimitsIT {
    @SuppressWarnings("NullAway.Init") // set by start(...)
    private BrokerFixture broker;

    @SuppressWarnings("NullAway.Init") // set by start(...)
    private Clients clients;

    @SuppressWarnings("NullAway.Init") // set by start(...)
    private Admin admin;

    private void start(String... settings) {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "durability.store=rocksdb",
                                "durability.window=100ms",
                                "durability.ballast=0",
                                "durability.disk-free=64MiB"));
        all.addAll(List.of(settings));
        broker = BrokerFixture.start(all.toArray(String[]::new));
        clients = new Clients(broker::port);
        admin = new Admin(broker.adminPort());
    }

    @AfterEach
    void stop() {
        clients.close();
        broker.close();
    }

    private static List<String> names(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "m" + i).toList();
    }

    private long discards(String client, String cause) {
        return admin.client(client).get("discards").get(cause).asLong();
    }

    @Test
    void discard_newest_keeps_what_came_first_and_acknowledges_the_rest() {
        start("queues.messages=10", "queues.policy=discard-newest");
        clients.away("s", "t", 1);
        WireClient publisher = clients.publisher("p");
        for (int i = 0; i < 15; i++) {
            publish(publisher, "t", 1, "m" + i); // 0x00 or 0x10, never an error
        }
        assertThat(discards("s", "queueFull")).isEqualTo(5);
        WireClient back = clients.resume(durable("s"));
        assertThat(texts(back, 10)).isEqualTo(names(0, 10));
        back.quiet();
        publish(publisher, "t", 1, "room again");
        assertThat(texts(back, 1)).containsExactly("room again");
    }

    @Test
    void discard_oldest_keeps_what_came_last_though_the_rest_are_rows() {
        start("queues.messages=10", "queues.policy=discard-oldest");
        clients.away("s", "t", 1);
        WireClient publisher = clients.publisher("p");
        for (int i = 0; i < 10; i++) {
            publish(publisher, "t", 1, "m" + i);
        }
        await().until(() -> admin.client("s").get("queuedOnDisk").asInt() == 10);
        for (int i = 10; i < 25; i++) {
            publish(publisher, "t", 1, "m" + i);
        }
        await().until(() -> discards("s", "queueFull") == 15);
        WireClient back = clients.resume(durable("s"));
        assertThat(texts(back, 10)).isEqualTo(names(15, 25));
        back.quiet();
    }

    @Test
    void reject_tells_5_0_publishers_and_acknowledges_older_ones() {
        start("queues.messages=3", "queues.policy=reject");
        clients.away("s", "t", 2);
        WireClient publisher = clients.publisher("p");
        for (int i = 0; i < 3; i++) {
            publish(publisher, "t", 1, "m" + i);
        }
        publisher.send(PublishBytes.v5("t").qos(1, 10).payload("too many"));
        publisher.pubAck(10, 0x97);
        publisher.send(PublishBytes.v5("t").qos(2, 11).payload("too many"));
        publisher.pubRec(11, 0x97);
        WireClient old = clients.connect(ConnectBytes.v311("old"));
        old.send(PublishBytes.v311("t").qos(1, 12).payload("too many"));
        old.pubAck(12);
        old.send(PublishBytes.v311("t").qos(2, 13).payload("too many"));
        old.pubRec(13);
        old.sendAck(6, 13);
        old.pubComp(13);
        assertThat(discards("s", "queueFull")).isEqualTo(4);
        WireClient back = clients.resume(durable("s"));
        assertThat(texts(back, 3)).isEqualTo(names(0, 3));
        back.quiet();
        publisher.send(PublishBytes.v5("t").qos(1, 10).payload("room"));
        publisher.pubAck(10, 0);
    }

    @Test
    void bytes_are_a_limit_of_their_own() {
        start("mqtt.maximum-packet-size=64KiB", "queues.bytes=64KiB", "queues.policy=reject");
        clients.away("s", "t", 1);
        WireClient publisher = clients.publisher("p");
        for (int i = 0; i < 3; i++) {
            publish(publisher, PublishBytes.v5("t").payload(new byte[20 << 10]), 1);
        }
        publisher.send(PublishBytes.v5("t").qos(1, 1).payload(new byte[20 << 10]));
        publisher.pubAck(1, 0x97);
        JsonNode seen = admin.client("s");
        assertThat(seen.get("queued").asInt()).isEqualTo(3);
        assertThat(seen.get("queuedBytes").asLong()).isBetween(60L << 10, 64L << 10);
        assertThat(discards("s", "queueFull")).isEqualTo(1);
    }

    @Test
    void at_the_nodes_limit_publishers_wait_and_nothing_is_discarded() throws Exception {
        start("queues.messages=50", "queues.node-messages=50");
        clients.away("s1", "t/1", 1);
        clients.away("s2", "t/2", 1);
        WireClient publisher = clients.publisher("p");
        for (int i = 0; i < 25; i++) {
            publish(publisher, "t/1", 1, "m" + i);
            publish(publisher, "t/2", 1, "m" + i);
        }
        await().until(() -> admin.metric("queues_alarm") == 1);
        double paused = admin.metric("reads_paused_total");
        WireClient waits = clients.publisher("waits");
        waits.send(PublishBytes.v5("t/1").qos(1, 1).payload("m25"));
        waits.send(PublishBytes.v5("t/2").qos(1, 2).payload("m25"));
        await().until(() -> admin.metric("reads_paused_total") > paused);

        WireClient first = clients.resume(durable("s1"));
        assertThat(texts(first, 25)).isEqualTo(names(0, 25));
        waits.pubAck(1, 0);
        waits.pubAck(2, 0);
        assertThat(texts(first, 1)).containsExactly("m25");
        WireClient second = clients.resume(durable("s2"));
        assertThat(texts(second, 26)).isEqualTo(names(0, 26));
        await().until(() -> admin.metric("queues_alarm") == 0);
        for (String each : List.of("s1", "s2")) {
            assertThat(discards(each, "queueFull")).isZero();
        }
        publish(publisher, "t/1", 1, "on");
    }

    @Test
    void a_full_queue_of_a_client_that_is_away_delays_nobody_else() throws Exception {
        start("queues.messages=100", "queues.policy=discard-oldest");
        WireClient subscriber = clients.connect(durable("live")).subscribe("live", 1);
        WireClient publisher = clients.publisher("p");
        clients.away("away", "full", 1);
        WireClient other = clients.publisher("filler");
        for (int i = 0; i < 100; i++) {
            publish(other, "full", 1, "m" + i);
        }
        for (int i = 1; i <= 1_000; i++) {
            other.send(PublishBytes.v5("full").qos(1, i).payload("more"));
            publish(publisher, "live", 1, "live " + i);
            subscriber.sendAck(4, subscriber.publish("live " + i).packetId());
            other.pubAck(i);
        }
        assertThat(discards("away", "queueFull")).isGreaterThanOrEqualTo(1_000);
    }

    @Test
    void expired_messages_go_without_anyone_reading_them() {
        start();
        clients.away("s", "t", 1);
        WireClient publisher = clients.publisher("p");
        for (int i = 0; i < 200; i++) {
            publisher.send(
                    PublishBytes.v5("t")
                            .properties(Props.messageExpiry(5))
                            .qos(1, i + 1)
                            .payload("m" + i));
        }
        for (int i = 0; i < 200; i++) {
            publisher.pubAck(i + 1);
        }
        publish(publisher, "t", 1, "stays");
        await().until(() -> admin.metric("store_rows_written_total") == 201);
        await().until(() -> admin.metric("store_queued") == 1);
        JsonNode seen = admin.client("s");
        assertThat(seen.get("connected").asBoolean()).isFalse();
        assertThat(seen.get("queued").asInt()).isEqualTo(1);
        assertThat(seen.get("discards").get("expired").asInt()).isEqualTo(200);
        assertThat(admin.metric("store_rows_read_total")).isZero();
        assertThat(texts(clients.resume(durable("s")), 1)).containsExactly("stays");
    }

    @Test
    void the_admin_port_shows_depth_bytes_age_and_discards_by_cause() {
        start("queues.messages=3");
        WireClient away = clients.connect(durable("s").properties(Props.maximumPacketSize(1_000)));
        away.subscribe("t", 1).disconnect();
        // Before CONNACK: the turn of the broker that takes the PUBLISH begins behind that.
        long beforeMs = System.currentTimeMillis();
        WireClient publisher = clients.publisher("p");
        publish(publisher, PublishBytes.v5("t").payload(new byte[5_000]), 1);
        publish(publisher, PublishBytes.v5("t").properties(Props.messageExpiry(5)), 1);
        for (int i = 0; i < 3; i++) {
            publish(publisher, "t", 1, "m" + i);
        }
        JsonNode seen = admin.client("s");
        assertThat(seen.get("queued").asInt()).isEqualTo(3);
        assertThat(seen.get("queuedBytes").asLong()).isBetween(5_000L, 6_500L);
        assertThat(discards("s", "queueFull")).isEqualTo(2);
        await().until(() -> discards("s", "expired") == 1);
        seen = admin.client("s");
        double upToSeconds = (System.currentTimeMillis() - beforeMs) / 1000.0;
        assertThat(seen.get("queued").asInt()).isEqualTo(2);
        assertThat(seen.get("oldestAgeSeconds").asDouble()).isBetween(1.0, upToSeconds);

        WireClient back = clients.resume(durable("s").properties(Props.maximumPacketSize(1_000)));
        assertThat(texts(back, 1)).containsExactly("m0");
        await().until(() -> discards("s", "tooLarge") == 1);
        await().until(() -> admin.client("s").get("queued").asInt() == 0);
        assertThat(admin.client("s").get("oldestAgeSeconds").asDouble()).isZero();
    }
}

package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.clients.GodwitProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that make the broker keep much: partial packets, subscriptions, retained messages. */
@Tag("alone")
@Timeout(240)
class HoardingIT {
    /** The canary sings at least so often while this goes on. */
    private static final int SONGS = 10;

    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Of the broker, its compilers too, for 100 000 subscriptions. */
    private static final Duration CPU_MOST = Duration.ofSeconds(15);

    private static final int QUOTA_EXCEEDED = 0x97;

    /** JVM and native libraries, beside heap and network buffers. */
    private static final int RUNTIME_MIB = 250;

    @Test
    void two_thousand_last_bytes_held_back_take_no_more_than_the_bound() throws Exception {
        int holders = 2_000;
        int payloadBytes = 10 << 20;
        int heapMib = 256;
        ByteBuffer allButOneByte = ByteBuffer.allocateDirect(payloadBytes - 1);
        try (GodwitProcess broker =
                        new GodwitProcess.Setup()
                                .heapMib(heapMib)
                                .set("limits.partial-bytes=64MiB")
                                .set("limits.connect-timeout=60s")
                                .start();
                Canary canary = new Canary(broker.port());
                Swarm swarm = new Swarm(broker.port())) {
            swarm.open(
                    holders,
                    i ->
                            List.of(
                                    ByteBuffer.wrap(Bytes.connect("holder" + i, 0)),
                                    ByteBuffer.wrap(Bytes.publishHead("held", payloadBytes)),
                                    allButOneByte));
            swarm.await(
                    "all but those within the bound closed, and counted",
                    LIMIT,
                    () ->
                            swarm.open() <= 64 / 10
                                    && swarm.idle()
                                    && broker.counter("refused.partial.bytes")
                                            == swarm.counts().closed);

            assertThat(swarm.open()).as("%s", broker.story()).isPositive();
            assertThat(broker.residentMib()).isLessThan(2 * heapMib + RUNTIME_MIB);
            canary.assertUnharmed(SONGS);
            // Those that stayed may finish: theirs was kept, and is a message like any other.
            // Those that make no progress go until half of the bound is free.
            int survivors = whenNobodyGoesAnyMore(swarm);
            long received = broker.counter("publish.received");
            swarm.sendAll(new byte[1]);
            swarm.sendAll(Bytes.PINGREQ);
            swarm.await("pongs", LIMIT, () -> swarm.counts().pongs == survivors);
            assertThat(broker.counter("publish.received") - received).isEqualTo(survivors);
        }
    }

    /** The broker looks once a second. */
    private static int whenNobodyGoesAnyMore(Swarm swarm) throws IOException {
        int[] before = {-1};
        long[] sinceNs = {0};
        swarm.await(
                "nobody goes any more",
                LIMIT,
                () -> {
                    if (swarm.open() != before[0]) {
                        before[0] = swarm.open();
                        sinceNs[0] = System.nanoTime();
                    }
                    return System.nanoTime() - sinceNs[0] > 3_000_000_000L;
                });
        return before[0];
    }

    @Test
    void a_hundred_thousand_subscriptions_of_one_client_are_beyond_the_default_limit()
            throws Exception {
        try (GodwitProcess broker = new GodwitProcess.Setup().start();
                Canary canary = new Canary(broker.port());
                RawClient client = RawClient.connected(broker.port(), "collector")) {
            assertThat(subscribe(client, 100_000)).isEqualTo(10_000);

            assertThat(broker.counter("subscribes")).isEqualTo(10_001); // one is the canary's
            assertThat(broker.counter("subscribes.refused")).isEqualTo(90_000);
            canary.assertUnharmed(SONGS);
        }
    }

    @Test
    void a_hundred_thousand_subscriptions_of_one_client_work_when_they_are_allowed()
            throws Exception {
        try (GodwitProcess broker =
                        new GodwitProcess.Setup()
                                .set("limits.subscriptions-per-client=100000")
                                .start();
                Canary canary = new Canary(broker.port());
                RawClient client = RawClient.connected(broker.port(), "collector")) {
            Duration before = broker.cpuTime();
            assertThat(subscribe(client, 100_000)).isEqualTo(100_000);
            assertThat(broker.cpuTime().minus(before)).isLessThan(CPU_MOST);

            for (int i : new int[] {0, 50_000, 99_999}) {
                client.send(Bytes.publish(filter(i), new byte[] {7}, 0, 0));
                RawClient.Received message = client.readUntil(Bytes.PUBLISH);
                assertThat(new String(message.body(), 2, message.int16(0), StandardCharsets.UTF_8))
                        .isEqualTo(filter(i));
            }
            assertThat(broker.counter("subscribes.refused")).isZero();
            canary.assertUnharmed(SONGS);
        }
    }

    @Test
    void a_million_retained_topics_are_kept_and_one_more_is_not() throws Exception {
        int topics = 1_000_000;
        int heapMib = 1024;
        try (GodwitProcess broker =
                        new GodwitProcess.Setup()
                                .heapMib(heapMib)
                                .set("limits.retained-bytes=512MiB")
                                .set("sys.interval=0") // its topics are retained too
                                .start();
                Canary canary = new Canary(broker.port());
                RawClient publisher = RawClient.connected(broker.port(), "archivist");
                RawClient reader = RawClient.connected(broker.port(), "researcher")) {
            for (int from = 0; from < topics; from += 1_000) {
                publisher.send(retained(from, from + 1_000));
            }
            publisher.send(Bytes.publish("archive/one/more", new byte[8], 1, 1, true));
            publisher.readUntil(Bytes.PUBACK);
            assertThat(broker.counter("dropped.retained.limit")).isEqualTo(1);

            reader.send(Bytes.subscribe(1, 1, "archive/#"));
            reader.readUntil(Bytes.SUBACK);
            for (int i = 0; i < topics; i++) {
                assertThat(reader.readUntil(Bytes.PUBLISH).firstByte() & 1).isEqualTo(1);
            }
            assertThat(broker.residentMib()).isLessThan(2 * heapMib + RUNTIME_MIB);
            canary.assertUnharmed(SONGS);
        }
    }

    private static byte[] retained(int from, int to) {
        byte[] payload = new byte[16];
        return Bytes.concat(
                IntStream.range(from, to)
                        .mapToObj(i ->
                                Bytes.publish(
                                        "archive/" + i / 1_000 + "/" + i, payload, 0, 0, true))
                        .toArray(byte[][]::new));
    }

    /** Subscribes, a thousand filters per packet; returns how many were granted. */
    private static int subscribe(RawClient client, int count) throws IOException {
        int granted = 0;
        for (int from = 0; from < count; from += 1_000) {
            client.send(
                    Bytes.subscribe(
                            1,
                            0,
                            IntStream.range(from, from + 1_000)
                                    .mapToObj(HoardingIT::filter)
                                    .toList()));
            byte[] codes = client.readUntil(Bytes.SUBACK).body();
            for (int i = codes.length - 1_000; i < codes.length; i++) {
                if (codes[i] == 0) {
                    granted++;
                } else {
                    assertThat(codes[i] & 0xFF).isEqualTo(QUOTA_EXCEEDED);
                }
            }
        }
        return granted;
    }

    private static String filter(int i) {
        return "collection/" + i % 100 + "/" + i;
    }
}

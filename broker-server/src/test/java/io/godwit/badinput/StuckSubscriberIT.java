package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.clients.GodwitProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Subscribers that take messages in and acknowledge none, until memory is short. */
@Tag("alone")
@Timeout(240)
class StuckSubscriberIT {
    /** The canary sings at least so often while this goes on. */
    private static final int SONGS = 10;

    private static final int STUCK = 5;

    /** Publisher, reader, canary. */
    private static final int WELL_BEHAVED = 3;

    private static final int NODE_MIB = 512;
    private static final int WINDOW = 100;
    private static final int MESSAGE_BYTES = 20_000;

    /** Several times the alarm's mark, which is looked at every 100 ms, with five subscribers. */
    private static final int MESSAGES = 6_000;

    @Test
    void five_that_acknowledge_nothing_stop_their_publishers_for_a_moment_and_nobody_else()
            throws Exception {
        try (GodwitProcess broker =
                        new GodwitProcess.Setup()
                                .nodeMib(NODE_MIB)
                                .set("overload.stuck-time=3s")
                                .set("log.level=info")
                                .start();
                RawClient reader = RawClient.connected(broker.port(), "reader");
                RawClient publisher = RawClient.connected(broker.port(), "publisher");
                Canary other = new Canary(broker.port())) { // publishes to nobody who holds much
            List<RawClient> stuck = new ArrayList<>();
            for (int i = 0; i < STUCK; i++) {
                RawClient client = RawClient.connected(broker.port(), "stuck" + i);
                client.subscribe("flood", 1);
                stuck.add(client);
            }
            reader.subscribe("other", 1);
            byte[] payload = new byte[MESSAGE_BYTES];
            for (int sent = 0; sent < MESSAGES; sent += WINDOW) {
                for (int i = 0; i < WINDOW; i++) {
                    publisher.send(Bytes.publish("flood", payload, 1, 1 + i));
                }
                for (int i = 0; i < WINDOW; i++) {
                    publisher.readUntil(Bytes.PUBACK);
                }
            }
            assertPasses(publisher, reader, 1);
            Awaitility.await("the last that is stuck while memory is short is closed")
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertStuckAreClosed(broker));
            // None of those who are no longer connected is one of these three.
            assertPasses(publisher, reader, 2);
            other.assertUnharmed(SONGS);
            assertThat(broker.story()).doesNotContain("Memory alarm: ");
            assertThat(broker.residentMib()).isLessThan(NODE_MIB);
            for (RawClient client : stuck) {
                client.close();
            }
        }
    }

    private static void assertPasses(RawClient publisher, RawClient reader, int packetId)
            throws IOException {
        byte[] payload = {(byte) packetId};
        publisher.send(Bytes.publish("other", payload, 1, packetId));
        assertThat(publisher.readUntil(Bytes.PUBACK).int16(0)).isEqualTo(packetId);
        byte[] received = reader.readUntil(Bytes.PUBLISH).body();
        assertThat(received[received.length - 1]).isEqualTo(payload[0]);
    }

    /**
     * As many as it took, and nobody else: memory is no longer short, which is why the rest may
     * stay.
     */
    private static void assertStuckAreClosed(GodwitProcess broker) {
        long closed = broker.counter("closed.stuck");
        assertThat(closed).as("%s", broker.story()).isBetween(1L, (long) STUCK);
        assertThat(broker.gauge("memory.short")).as("%s", broker.story()).isZero();
        assertThat(broker.counter("connections.closed")).isEqualTo(closed);
        assertThat(broker.gauge("connections")).isEqualTo(STUCK + WELL_BEHAVED - closed);
        assertThat(broker.story()).contains("Memory is short: ", "Memory is no longer short");
    }
}

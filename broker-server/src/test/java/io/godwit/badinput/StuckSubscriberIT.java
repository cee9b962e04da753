package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.clients.GodwitProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Subscribers that take messages in and acknowledge none, until memory is short. */
@Timeout(240)
class StuckSubscriberIT {
    /** The canary sings at least so often while this goes on. */
    private static final int SONGS = 10;

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
                RawClient publisher = RawClient.connected(broker.port(), "publisher")) {
            List<RawClient> stuck = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                RawClient client = RawClient.connected(broker.port(), "stuck" + i);
                client.subscribe("flood", 1);
                stuck.add(client);
            }
            reader.subscribe("other", 1);
            Canary other = new Canary(broker.port()); // publishes to nobody who holds much
            byte[] payload = new byte[MESSAGE_BYTES];
            for (int sent = 0; sent < MESSAGES; sent += WINDOW) {
                for (int i = 0; i < WINDOW; i++) {
                    publisher.send(Bytes.publish("flood", payload, 1, 1 + i));
                }
                for (int i = 0; i < WINDOW; i++) {
                    publisher.readUntil(Bytes.PUBACK);
                }
            }
            publisher.send(Bytes.publish("other", new byte[1], 1, 1));
            publisher.readUntil(Bytes.PUBACK);
            reader.readUntil(Bytes.PUBLISH);

            // As many as it takes: when memory is no longer short the rest may stay.
            assertThat(broker.counter("closed.stuck")).as("%s", broker.story()).isBetween(1L, 5L);
            assertThat(broker.story())
                    .contains("Memory is short: ", "Memory is no longer short")
                    .doesNotContain("Memory alarm: ");
            other.assertUnharmed(SONGS);
            assertThat(broker.residentMib()).isLessThan(NODE_MIB);
            for (RawClient client : stuck) {
                client.close();
            }
        }
    }
}

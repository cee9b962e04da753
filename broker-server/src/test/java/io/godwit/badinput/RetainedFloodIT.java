package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.clients.GodwitProcess;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Retained messages that come faster than a disk takes them. */
@Timeout(180)
class RetainedFloodIT {
    /** The canary sings at least so often while this goes on. */
    private static final int SONGS = 10;

    private static final int NODE_MIB = 512;

    @Test
    void large_ones_from_two_connections_do_not_end_the_broker() throws Exception {
        flood(8 << 20, 25);
    }

    @Test
    void many_of_100_kb_do_not_end_the_broker() throws Exception {
        flood(100_000, 2_000);
    }

    private static void flood(int payloadBytes, int count) throws Exception {
        try (GodwitProcess broker = new GodwitProcess.Setup().nodeMib(NODE_MIB).start();
                Canary canary = new Canary(broker.port())) {
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread[] publishers = new Thread[2];
            for (int p = 0; p < publishers.length; p++) {
                int number = p;
                publishers[p] =
                        Thread.ofPlatform()
                                .start(() -> {
                                    try (RawClient client =
                                            RawClient.connected(broker.port(), "p" + number)) {
                                        byte[] message =
                                                Bytes.publish(
                                                        "retained/" + number,
                                                        new byte[payloadBytes],
                                                        0,
                                                        0,
                                                        true);
                                        for (int i = 0; i < count; i++) {
                                            client.send(message);
                                        }
                                        client.send(Bytes.publish("end", new byte[1], 1, 1));
                                        client.readUntil(Bytes.PUBACK);
                                    } catch (Throwable e) {
                                        failure.set(e);
                                    }
                                });
            }
            for (Thread publisher : publishers) {
                publisher.join();
            }
            assertThat(broker.isAlive()).isTrue();
            assertThat(failure.get()).as("%s", broker.story()).isNull();
            assertThat(broker.residentMib()).isLessThan(NODE_MIB);
            canary.assertUnharmed(SONGS);
        }
    }
}

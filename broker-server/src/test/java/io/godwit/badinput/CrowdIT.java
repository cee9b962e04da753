package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.clients.GodwitProcess;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Fifteen thousand clients that do the same thing in the same moment. */
@Tag("alone")
@Timeout(180)
class CrowdIT {
    /** The canary sings at least so often while this goes on. */
    private static final int SONGS = 10;

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int CROWD = 15_000;

    /** Heap and network buffers of 512 MiB each, and the JVM. */
    private static final int MEMORY_MIB = 2 * 512 + 250;

    /** Two slices of 512, of the mailbox and of a fan-out, each before and after its commit. */
    private static final double TURN_ENDS_MOST = 2_500;

    @Test
    void a_message_for_all_and_a_cut_of_all_keep_no_loop_from_others() throws Exception {
        try (GodwitProcess broker = new GodwitProcess.Setup().heapMib(512).start();
                Canary canary = new Canary(broker.port());
                RawClient publisher = RawClient.connected(broker.port(), "town-crier");
                Swarm swarm = new Swarm(broker.port())) {
            swarm.open(CROWD, CrowdIT::helloAndSubscribe);
            swarm.await("all subscribed", LIMIT, () -> swarm.counts().subscribed == CROWD);

            publisher.send(Bytes.publish("square", new byte[20], 1, 1));
            swarm.await("all heard it", LIMIT, () -> swarm.counts().published == CROWD);
            publisher.readUntil(Bytes.PUBACK);

            swarm.cutAll();
            swarm.open(CROWD, CrowdIT::hello);
            swarm.await("all came back", LIMIT, () -> swarm.counts().connected == 2 * CROWD);
            assertThat(swarm.counts().sessionsPresent).isEqualTo(CROWD);
            assertThat(swarm.counts().closed).isZero();

            publisher.send(Bytes.publish("square", new byte[20], 1, 2));
            swarm.await("all heard it", LIMIT, () -> swarm.counts().published >= 2 * CROWD);

            assertThat(broker.counter("connections.closed")).isGreaterThanOrEqualTo(CROWD);
            assertThat(broker.residentMib()).isLessThan(MEMORY_MIB);
            assertThat(broker.gauge("loop.turn.ends.most"))
                    .as("connections that one turn attended to, which is what takes its time")
                    .isBetween(2.0, TURN_ENDS_MOST);
            canary.assertUnharmed(SONGS);
        }
    }

    private static List<ByteBuffer> helloAndSubscribe(int i) {
        return List.of(
                ByteBuffer.wrap(Bytes.connectToSession("citizen" + i)),
                ByteBuffer.wrap(Bytes.subscribe(1, 1, "square")));
    }

    private static List<ByteBuffer> hello(int i) {
        return List.of(ByteBuffer.wrap(Bytes.connectToSession("citizen" + i)));
    }
}

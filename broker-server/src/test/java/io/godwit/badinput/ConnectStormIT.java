package io.godwit.badinput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.clients.GodwitProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** More connections at once than anyone expected. */
@Tag("alone")
@Timeout(240)
class ConnectStormIT {
    /** The canary sings at least so often while this goes on. */
    private static final int SONGS = 10;

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int STORM = 10_000;

    @Test
    void ten_thousand_connects_in_a_second_are_all_answered() throws Exception {
        try (GodwitProcess broker = new GodwitProcess.Setup().start();
                Canary canary = new Canary(broker.port());
                Swarm swarm = new Swarm(broker.port())) {
            swarm.open(STORM, ConnectStormIT::hello);
            swarm.await("all connected", LIMIT, () -> swarm.counts().connected == STORM);

            assertThat(swarm.counts().closed).isZero();
            assertThat(broker.counter("connects")).isEqualTo(STORM + 1);
            canary.assertUnharmed(SONGS);
        }
    }

    @Test
    void connects_beyond_the_rate_are_refused_with_a_reason() throws Exception {
        int rate = 500;
        try (GodwitProcess broker =
                        new GodwitProcess.Setup().set("limits.connect-rate=" + rate).start();
                Canary canary = new Canary(broker.port());
                Swarm swarm = new Swarm(broker.port())) {
            long start = System.nanoTime();
            swarm.open(STORM, ConnectStormIT::hello);
            swarm.await(
                    "all answered",
                    LIMIT,
                    () -> swarm.counts().connected + swarm.counts().refused == STORM);
            double seconds = (System.nanoTime() - start) / 1e9;

            assertThat((double) swarm.counts().connected)
                    .isBetween(rate * 1.5, rate * (3 + seconds));
            assertThat(broker.counter("refused.connect.rate")).isEqualTo(swarm.counts().refused);
            canary.assertUnharmed(SONGS);
        }
    }

    @Test
    void connections_beyond_the_open_files_are_refused_in_order() throws Exception {
        int openFiles = 500;
        int crowd = 1_000;
        try (GodwitProcess broker = new GodwitProcess.Setup().openFiles(openFiles).start();
                Canary canary = new Canary(broker.port());
                Swarm swarm = new Swarm(broker.port())) {
            swarm.open(crowd, ConnectStormIT::hello);
            swarm.await(
                    "all answered or closed",
                    LIMIT,
                    () -> swarm.counts().connected + swarm.counts().closed == crowd);
            int connected = swarm.counts().connected;
            assertThat(connected).isBetween(openFiles / 4, openFiles - 10);
            assertThat(swarm.counts().refused).as("CONNACKs that say why").isPositive();
            assertThat(broker.counter("refused.connections.limit")).isEqualTo(crowd - connected);

            // More knock at the door all the time; with it full the broker must not spin.
            // It may still be busy compiling: one that spins never comes to rest.
            await().until(() -> cpuOfASecondOfRefusals(broker, swarm).toMillis() < 500);

            // Who leaves makes room for others.
            swarm.cut(100);
            swarm.await(
                    "others to get in",
                    LIMIT,
                    () -> {
                        if (swarm.idle() && swarm.counts().connected == connected) {
                            open(swarm, 1);
                        }
                        return swarm.counts().connected > connected;
                    });
            canary.assertUnharmed(SONGS);
        }
    }

    private static Duration cpuOfASecondOfRefusals(GodwitProcess broker, Swarm swarm)
            throws Exception {
        Duration before = broker.cpuTime();
        long start = System.nanoTime();
        while (System.nanoTime() - start < 1_000_000_000L) {
            int closed = swarm.counts().closed;
            swarm.open(1, ConnectStormIT::hello);
            swarm.await("one refused", LIMIT, () -> swarm.counts().closed == closed + 1);
            Thread.sleep(20);
        }
        return broker.cpuTime().minus(before);
    }

    private static void open(Swarm swarm, int count) {
        try {
            swarm.open(count, ConnectStormIT::hello);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<ByteBuffer> hello(int i) {
        return List.of(ByteBuffer.wrap(Bytes.connect("storm" + i, 0)));
    }
}

package io.godwit.server.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.godwit.server.client.CheckingLoad;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoWatchTest {
    private static final Duration LONGEST = Duration.ofSeconds(30);

    @TempDir Path folder;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @Test
    void operator_reads_that_a_node_has_ended_how_to_start_it_and_that_it_is_back()
            throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        int admin;
        try (ServerSocket free = new ServerSocket(0, 1, loopback)) {
            admin = free.getLocalPort();
        }
        // The third node's admin port is 13 behind the first port.
        DemoPlan plan = new DemoPlan(admin - 13, folder);
        List<Process> nodes = new ArrayList<>();
        for (int i = 0; i < DemoPlan.NODES; i++) {
            nodes.add(new ProcessBuilder("sleep", "300").start());
        }
        PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
        DemoWatch watch = new DemoWatch(plan, "./godwit", nodes, new CheckingLoad(List.of()), out);
        Thread watching =
                Thread.ofPlatform()
                        .daemon()
                        .start(() -> {
                            try {
                                watch.awaitEnd();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
        try {
            Process third = nodes.get(2);
            third.destroyForcibly().waitFor();
            awaitPrinted("n3 (process " + third.pid() + ") has ended, exit code 137.");
            awaitPrinted("    ./godwit run --config " + folder.resolve("n3.yaml") + "\n");
            assertThat(watch.startedByOthers()).isEmpty();

            HttpServer replacement = HttpServer.create(new InetSocketAddress(loopback, admin), 0);
            replacement.createContext(
                    "/health/ready",
                    exchange -> {
                        exchange.sendResponseHeaders(200, -1);
                        exchange.close();
                    });
            replacement.start();
            awaitPrinted("n3 is back");
            assertThat(watch.startedByOthers()).containsExactly("n3");
            awaitPrinted("check: 0 acknowledged, 0 lost\n");
            replacement.stop(0);
            awaitPrinted("n3 has ended.");

            watch.stop();
            int before = printed.size();
            nodes.forEach(Process::destroyForcibly);
            watching.join(LONGEST.toMillis());
            assertThat(watching.isAlive()).isFalse();
            assertThat(printed.size()).isEqualTo(before);
        } finally {
            nodes.forEach(Process::destroyForcibly);
        }
    }

    @Test
    void report_names_what_is_acknowledged_lost_and_waiting() {
        assertThat(
                        DemoWatch.sentence(
                                new CheckingLoad.Counts(1_234, 0, 0, 0), Duration.ofMillis(999)))
                .isEqualTo("check: 1,234 acknowledged, 0 lost");
        assertThat(
                        DemoWatch.sentence(
                                new CheckingLoad.Counts(9, 1, 2, 20), Duration.ofMillis(6_120)))
                .isEqualTo(
                        "check: 9 acknowledged, 1 lost, 2 to be delivered; 20 not acknowledged yet;"
                                + " the longest wait was 6.1 s");
    }

    private void awaitPrinted(String text) {
        await().atMost(LONGEST)
                .until(() -> printed.toString(StandardCharsets.UTF_8).contains(text));
    }
}

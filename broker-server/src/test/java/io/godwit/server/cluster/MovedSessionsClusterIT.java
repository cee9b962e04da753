package io.godwit.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import io.godwit.server.extension.TestExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Extensions hear that another node leads a session from now on. */
@Tag("alone")
class MovedSessionsClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int NODES = 3;
    private static final int CLIENTS = 24;

    private static final String HEARING =
            """
            java.util.function.Consumer<String> note = line -> {
                try {
                    log(line);
                } catch (Exception e) {
                    throw new RuntimeException(e);
                }
            };
            context.registrations().sessionListener(new SessionListener() {
                @Override public void onMovedHere(SessionChange it) {
                    note.accept("here " + it.clientId() + " " + it.expirySeconds()
                            + " " + it.cause());
                }
                @Override public void onMovedAway(SessionChange it) {
                    note.accept("away " + it.clientId() + " " + it.expirySeconds()
                            + " " + it.cause());
                }
            });
            """;

    private @TempDir Path folder;

    private String withExtension(int node) {
        Path extensions = folder.resolve("n" + node);
        TestExtension.starting("hears", HEARING).writeTo(extensions);
        return "extensions.folder=" + extensions;
    }

    private List<String> heard(int node) throws IOException {
        Path log = folder.resolve("n" + node).resolve("hears").resolve(TestExtension.LOG);
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    @Test
    void sessions_of_a_lost_node_are_told_of_by_those_that_lead_them_now() throws Exception {
        try (ClusterProcesses cluster = new ClusterProcesses(NODES, "cluster.nodes=" + NODES)) {
            for (int node = 1; node <= NODES; node++) {
                cluster.launch(node, withExtension(node));
            }
            for (int node = 1; node <= NODES; node++) {
                cluster.node(node).awaitReady();
                cluster.node(node).readyLine();
            }
            cluster.awaitLive(NODES, SOON, 1, 2, 3);
            for (int node = 1; node <= NODES; node++) {
                int at = node;
                cluster.await(
                        "copies are whole",
                        SOON,
                        () -> cluster.status(at).get("copies").get("whole").asBoolean());
            }
            for (int i = 0; i < CLIENTS; i++) {
                Mqtt5BlockingClient client = ClusterClients.client(cluster, 2, "c" + i);
                client.connectWith().cleanStart(false).sessionExpiryInterval(600).send();
                client.disconnect();
            }
            Set<String> moving = cluster.served(1);
            assertThat(moving).isNotEmpty();
            assertThat(heard()).isEmpty();

            cluster.lose(1);
            await().atMost(SOON).until(() -> heard().size() >= moving.size());
            assertThat(heard())
                    .containsExactlyInAnyOrderElementsOf(
                            moving.stream()
                                    .map(each -> "here " + each + " 600 LEADER_CHANGED")
                                    .toList());
        }
    }

    /** Returns what the nodes that go on have heard. */
    private List<String> heard() throws IOException {
        List<String> all = new ArrayList<>(heard(2));
        all.addAll(heard(3));
        return all;
    }
}

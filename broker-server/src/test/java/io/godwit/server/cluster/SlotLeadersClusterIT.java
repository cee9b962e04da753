package io.godwit.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.cluster.membership.Slots;
import io.godwit.server.Main;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which node leads which slot, over real brokers: one is killed, returns, and is forgotten. */
class SlotLeadersClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    private static int count(ClusterProcesses cluster, int at, String state) {
        return cluster.status(at).get("slots").get(state).asInt();
    }

    private static Map<String, Integer> ledBy(ClusterProcesses cluster, int at) {
        Map<String, Integer> led = new TreeMap<>();
        for (JsonNode each : cluster.status(at).get("members")) {
            led.put(each.get("name").asText(), each.get("slots").asInt());
        }
        return led;
    }

    private static boolean isAllLed(ClusterProcesses cluster, int at) {
        return count(cluster, at, "led") + count(cluster, at, "elsewhere") == Slots.COUNT;
    }

    /** The most changes of leaders that a slot of a node has had, as another one knows. */
    private static long changes(ClusterProcesses cluster, int at, String node) {
        JsonNode status = cluster.status(at);
        long most = 0;
        for (JsonNode member : status.get("members")) {
            for (JsonNode row : status.get("slots").get("table")) {
                boolean isOf =
                        member.get("name").asText().equals(node)
                                && member.get("server").equals(row.get("server"));
                most = isOf ? Math.max(most, row.get("changes").asLong()) : most;
            }
        }
        return most;
    }

    @Test
    void slots_are_shared_and_wait_for_a_killed_leader_and_go_to_the_others_when_it_is_forgotten() {
        try (ClusterProcesses cluster = new ClusterProcesses(3, "cluster.nodes=3")) {
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            for (int each = 1; each <= 3; each++) {
                int node = each;
                cluster.await(
                        "n" + node + " knows all leaders", SOON, () -> isAllLed(cluster, node));
                assertThat(ledBy(cluster, node).values())
                        .as(cluster.story())
                        .allMatch(slots -> slots > 1_200 && slots < 1_530);
            }
            assertThat(ledBy(cluster, 1)).isEqualTo(ledBy(cluster, 2)).isEqualTo(ledBy(cluster, 3));
            assertThat(changes(cluster, 1, "n3")).isEqualTo(1);
            int lost = count(cluster, 3, "led");

            cluster.kill(3);
            cluster.awaitLive(2, SOON, 1, 2);
            cluster.await("slots are offline", SOON, () -> count(cluster, 1, "offline") == lost);
            assertThat(cluster.page(1, "/metrics"))
                    .contains("godwit_cluster_slots{state=\"offline\"} " + (double) lost)
                    .contains("godwit_cluster_sessions_aside 0.0");
            cluster.awaitLine(1, SOON, lost + " slots are offline: node n3, which leads them,");

            cluster.start(3);
            cluster.awaitLive(3, SOON, 1, 2, 3);
            cluster.await("all are led again", SOON, () -> isAllLed(cluster, 1));
            cluster.awaitLine(1, SOON, lost + " slots that were offline are led again, by node n3");
            assertThat(ledBy(cluster, 1)).containsEntry("n3", lost);
            assertThat(changes(cluster, 1, "n3")).isEqualTo(2);

            cluster.kill(3);
            cluster.awaitLive(2, SOON, 1, 2);
            cluster.await("slots are offline", SOON, () -> count(cluster, 1, "offline") == lost);
            int exitCode =
                    Main.execute(
                            "cluster",
                            "forget",
                            "n3",
                            "--yes",
                            "--admin",
                            "127.0.0.1:" + cluster.node(1).port("admin"));
            assertThat(exitCode).as(cluster.story()).isZero();
            cluster.await("n1 knows all leaders", SOON, () -> isAllLed(cluster, 1));
            cluster.await("n2 knows all leaders", SOON, () -> isAllLed(cluster, 2));
            assertThat(ledBy(cluster, 2)).containsOnlyKeys("n1", "n2");
            // More than n3 could count in starts alone, since it does not know that it is
            // forgotten.
            assertThat(changes(cluster, 2, "n1")).isEqualTo(2 + (1 << 20));
        }
    }
}

package io.godwit.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import io.godwit.server.extension.ServiceProbe;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** What an extension of one node is shown of the sessions of two. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SessionServicesClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Path EXTENSIONS = folder();
    private static final ClusterProcesses CLUSTER =
            new ClusterProcesses(
                    2, "cluster.nodes=2", "extensions.folder=" + EXTENSIONS, "extensions.watch=0");

    private static Path folder() {
        try {
            return Files.createTempDirectory("godwit-probe");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeAll
    static void start() {
        ServiceProbe.extension().writeTo(EXTENSIONS);
        CLUSTER.startAll();
        CLUSTER.awaitLive(2, SOON, 1, 2);
    }

    @AfterAll
    static void stop() {
        CLUSTER.close();
    }

    private static ServiceProbe probe(String id) {
        return new ServiceProbe(CLUSTER.node(1).port("mqtt"), id);
    }

    private static Mqtt5BlockingClient connect(int node, String id, long expirySeconds) {
        Mqtt5BlockingClient client = ClusterClients.client(CLUSTER, node, id);
        client.connectWith().cleanStart(false).sessionExpiryInterval(expirySeconds).send();
        return client;
    }

    @Test
    @Order(1)
    void sessions_of_both_nodes_are_found_and_ended_wherever_they_are() {
        List<String> expected = new ArrayList<>();
        try (ServiceProbe probe = probe("probe-1")) {
            for (int i = 0; i < 20; i++) {
                connect(1 + i % 2, "durable-" + i, 500);
                connect(1 + i % 2, "transient-" + i, 0);
            }
            int ofSecond = 0;
            for (int i = 0; i < 20; i++) {
                String edge = "at n" + (1 + i % 2) + " ";
                String leader = CLUSTER.served(2).contains("durable-" + i) ? "n2" : "n1";
                ofSecond += leader.equals("n2") ? 1 : 0;
                assertThat(probe.ask("find durable-" + i)).startsWith(leader).contains(edge);
                assertThat(probe.ask("find transient-" + i))
                        .startsWith("n" + (1 + i % 2))
                        .contains(edge);
                expected.add("durable-" + i + "@" + leader);
                expected.add("transient-" + i + "@n" + (1 + i % 2));
            }
            assertThat(ofSecond).isBetween(1, 19);
            assertThat(probe.ask("all").split(",")).contains(expected.toArray(String[]::new));
            for (int i = 0; i < 20; i += 5) {
                assertThat(probe.ask("subscribe durable-" + i + " over/# 1")).isEqualTo("[1]");
                assertThat(probe.ask("subscribe transient-" + i + " over/+ 0")).isEqualTo("[0]");
                assertThat(probe.ask("filters durable-" + i)).contains("over/#");
                assertThat(probe.ask("subscribers over/x"))
                        .contains("durable-" + i + " over/# 1")
                        .contains("transient-" + i + " over/+ 0");
            }
            for (int i = 0; i < 20; i += 3) {
                assertThat(probe.ask("disconnect transient-" + i + " QUOTA_EXCEEDED true"))
                        .isEqualTo("true");
                assertThat(probe.ask("end durable-" + i)).isEqualTo("true");
                assertThat(probe.ask("find durable-" + i)).isEqualTo("none");
                CLUSTER.await("transient-" + i + " is gone", SOON, gone(probe, "transient-" + i));
            }
        }
    }

    @Test
    @Order(2)
    void admin_port_says_which_node_has_a_session_and_disconnects_at_any_node() {
        for (int i = 0; i < 4; i++) {
            String id = "kicked-" + i;
            connect(1, id, 500);
            int leader = CLUSTER.served(2).contains(id) ? 2 : 1;
            assertThat(CLUSTER.ask(3 - leader, "GET", "/clients/" + id))
                    .contains("404")
                    .contains("is at node n" + leader);
            assertThat(CLUSTER.ask(leader, "GET", "/clients/" + id)).contains("200");
            assertThat(CLUSTER.ask(3 - leader, "DELETE", "/clients/" + id)).contains("200");
            assertThat(CLUSTER.ask(3 - leader, "DELETE", "/clients/" + id)).contains("409");
            assertThat(CLUSTER.ask(3 - leader, "DELETE", "/clients/" + id + "?session=true"))
                    .contains("200");
            assertThat(CLUSTER.ask(3 - leader, "DELETE", "/clients/" + id)).contains("404");
        }
    }

    @Test
    @Order(2)
    void messages_are_removed_from_queues_at_either_node() {
        try (ServiceProbe probe = probe("probe-3")) {
            for (int i = 0; i < 8; i++) {
                Mqtt5BlockingClient client = connect(1 + i % 2, "queued-" + i, 500);
                client.subscribeWith().topicFilter("queued/#").qos(MqttQos.EXACTLY_ONCE).send();
                client.disconnect();
            }
            Mqtt5BlockingClient publisher = connect(2, "queue-publisher", 0);
            for (int i = 0; i < 30; i++) {
                publisher
                        .publishWith()
                        .topic("queued/x")
                        .qos(i % 2 == 0 ? MqttQos.AT_LEAST_ONCE : MqttQos.EXACTLY_ONCE)
                        .payload(("" + i).getBytes(StandardCharsets.UTF_8))
                        .send();
            }
            for (int i = 0; i < 8; i++) {
                assertThat(probe.ask("remove queued-" + i + " 4")).isEqualTo("3 0");
                assertThat(probe.ask("queue queued-" + i)).startsWith("27 ");
                assertThat(probe.ask("purge queued-" + i)).isEqualTo("27 0");
                assertThat(probe.ask("queue queued-" + i)).startsWith("0 ");
            }
        }
    }

    private static java.util.concurrent.Callable<Boolean> gone(ServiceProbe probe, String id) {
        return () -> probe.ask("find " + id).equals("none");
    }

    @Test
    @Order(3)
    void a_node_that_is_killed_fails_what_needs_it_with_its_name() {
        try (ServiceProbe probe = probe("probe-2")) {
            connect(1, "lasting", 500);
            String ofSecond =
                    IntStream.range(0, 1_000)
                            .mapToObj(i -> "lost-" + i)
                            .filter(id -> {
                                connect(2, id, 500).disconnect();
                                return CLUSTER.served(2).contains(id);
                            })
                            .findFirst()
                            .orElseThrow();
            assertThat(probe.ask("members")).isEqualTo("n1 self here;n2 here;");
            CLUSTER.node(2).process().destroyForcibly();
            CLUSTER.awaitLive(1, SOON, 1);
            assertThat(probe.ask("members")).isEqualTo("n1 self here;n2 away;");
            CLUSTER.await(
                    "the extension is told",
                    SOON,
                    () -> probe.ask("changes").endsWith("n1 self here;n2 away;"));
            assertThat(probe.ask("all")).contains("NODE_AWAY").contains("n2");
            assertThat(probe.ask("find " + ofSecond)).contains("n2").contains("leads the slot");
        }
    }
}

package io.godwit.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.loopback.FreePorts;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real brokers with new folders begin as one cluster ({@code cluster.nodes}). */
@Tag("alone")
class FormationClusterIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final List<Integer> ports = FreePorts.next(8);
    private final HttpClient http = HttpClient.newHttpClient();
    private ClusterProcesses cluster;

    @BeforeEach
    void nodes() {
        cluster = new ClusterProcesses(4, "cluster.nodes=3", "cluster.drain=false");
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    private int mqttPort(int node) {
        return ports.get(node - 1);
    }

    private int adminPort(int node) {
        return ports.get(node + 3);
    }

    private void launch(int... nodes) {
        for (int node : nodes) {
            cluster.launch(
                    node,
                    "listeners.mqtt.bind=127.0.0.1:" + mqttPort(node),
                    "admin.bind=127.0.0.1:" + adminPort(node));
        }
    }

    private HttpResponse<String> get(int node, String page)
            throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + adminPort(node) + page);
        return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    private boolean isWaiting(int node) throws InterruptedException {
        try {
            HttpResponse<String> ready = get(node, "/health/ready");
            return ready.statusCode() == 503 && ready.body().contains("\"waiting\"");
        } catch (IOException e) {
            return false; // Not there yet.
        }
    }

    private void awaitReady(int... nodes) {
        for (int node : nodes) {
            cluster.node(node).awaitReady();
            cluster.node(node).readyLine();
        }
    }

    @Test
    void nodes_with_new_folders_wait_for_as_many_as_the_cluster_begins_with() throws Exception {
        launch(1, 2);
        cluster.await("both wait", SOON, () -> isWaiting(1) && isWaiting(2));
        cluster.awaitLine(
                1, SOON, "Waiting for other nodes: [12] of 3 are here \\(cluster.nodes\\)");
        for (int node = 1; node <= 2; node++) {
            int port = mqttPort(node);
            assertThat(get(node, "/health/live").statusCode()).isEqualTo(200);
            assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                    .isInstanceOf(ConnectException.class);
        }
        cluster.kill(2);
        launch(2); // It has a list of members now, but nobody has served: it waits again.
        cluster.await("it waits again", SOON, () -> isWaiting(2));
        assertThat(isWaiting(1)).isTrue();
        launch(3);
        awaitReady(1, 2, 3);
        cluster.awaitLive(3, SOON, 1, 2, 3);

        cluster.kill(1);
        cluster.kill(2);
        cluster.kill(3);
        launch(1); // Who has served does not wait for so many again.
        awaitReady(1);
        launch(4); // A new folder, and one that serves is there.
        awaitReady(4);
    }
}

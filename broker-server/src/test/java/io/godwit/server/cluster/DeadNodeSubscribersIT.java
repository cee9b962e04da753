package io.godwit.server.cluster;

import static io.godwit.server.cluster.ClusterClients.client;
import static io.godwit.server.cluster.ClusterClients.connect;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Publishers of QoS 1 do not wait for subscribers whose sessions have ended with their node, or
 * that a cut keeps out of reach; they wait for durable ones, and the log and a metric say so.
 */
@Tag("alone")
class DeadNodeSubscribersIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    /** The peer time-out of these clusters is 3 s. */
    private static final Duration NODE_COUNTS_AS_GONE = Duration.ofSeconds(15);

    /** No wait for the node: it is known that it is gone. */
    private static final Duration AT_ONCE = Duration.ofMillis(2_500);

    private static CompletableFuture<Mqtt5PublishResult> publish(
            Mqtt5BlockingClient by, String topic) {
        return by.toAsync()
                .publishWith()
                .topic(topic)
                .qos(MqttQos.AT_LEAST_ONCE)
                .payload("x".getBytes(UTF_8))
                .send();
    }

    private static void acknowledged(CompletableFuture<Mqtt5PublishResult> publish, Duration limit)
            throws Exception {
        assertThat(publish.get(limit.toMillis(), TimeUnit.MILLISECONDS).getError()).isEmpty();
    }

    /** A session that ends with its connection. */
    private static void subscribeTransient(Mqtt5BlockingClient client, String filter, MqttQos qos) {
        client.connectWith().cleanStart(true).send();
        client.subscribeWith().topicFilter(filter).qos(qos).send();
    }

    /** A client with a durable session whose slot a node leads. */
    private static Mqtt5BlockingClient servedAt(ClusterProcesses cluster, int node) {
        for (int i = 0; ; i++) {
            Mqtt5BlockingClient client = client(cluster, node, "durable" + i);
            connect(client);
            if (cluster.served(node).contains("durable" + i)) {
                return client;
            }
            client.disconnect();
        }
    }

    private static void awaitWaiting(ClusterProcesses cluster, int at, int count) {
        String line = "godwit_cluster_waiting_publishers{node=\"n1\"} " + count + ".0";
        cluster.await(line, SOON, () -> cluster.page(at, "/metrics").contains(line));
    }

    @Test
    void publisher_goes_on_when_a_killed_node_had_only_transient_subscribers() throws Exception {
        try (ClusterProcesses cluster = new ClusterProcesses(3)) {
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            subscribeTransient(client(cluster, 1, "dashboard"), "plant/#", MqttQos.AT_MOST_ONCE);
            subscribeTransient(client(cluster, 1, "viewer"), "plant/#", MqttQos.AT_LEAST_ONCE);
            Mqtt5BlockingClient durable = servedAt(cluster, 1);
            durable.subscribeWith().topicFilter("orders").qos(MqttQos.AT_LEAST_ONCE).send();
            Mqtt5BlockingClient device = client(cluster, 2, "device");
            device.connect();
            Mqtt5BlockingClient shop = client(cluster, 2, "shop");
            shop.connect();
            acknowledged(publish(device, "plant/1"), SOON);

            cluster.kill(1);
            acknowledged(publish(device, "plant/1"), NODE_COUNTS_AS_GONE);
            acknowledged(publish(device, "plant/2"), AT_ONCE);
            acknowledged(publish(device, "elsewhere"), AT_ONCE);
            assertThat(cluster.page(2, "/metrics"))
                    .contains(
                            "godwit_dropped_total{cause=\"node-transient\",protocol=\"none\"} 2.0");

            CompletableFuture<Mqtt5PublishResult> order = publish(shop, "orders");
            cluster.awaitLine(2, SOON, "1 publisher waits for node n1: it is out of reach");
            awaitWaiting(cluster, 2, 1);
            awaitWaiting(cluster, 3, 0);
            acknowledged(publish(device, "plant/3"), AT_ONCE);
            assertThat(order).as("a durable session of n1 is owed it").isNotDone();

            cluster.start(1);
            acknowledged(order, SOON);
            cluster.awaitLine(2, SOON, "No publisher waits for node n1 any more");
            awaitWaiting(cluster, 2, 0);
            device.disconnect();
            shop.disconnect();
        }
    }

    @Test
    void publisher_goes_on_when_a_cut_keeps_transient_subscribers_out_of_reach() throws Exception {
        String problem = NodeNetwork.problem();
        if (problem != null) {
            System.err.println("NOT TESTED: " + problem);
            Assumptions.abort(problem);
        }
        NodeNetwork network = NodeNetwork.of(3);
        try (ClusterProcesses cluster = new ClusterProcesses(network, 3)) {
            cluster.startAll();
            cluster.awaitLive(3, SOON, 1, 2, 3);
            Mqtt5BlockingClient dashboard = at(network, cluster, 1, "dashboard");
            try (var heard = dashboard.publishes(MqttGlobalPublishFilter.ALL)) {
                subscribeTransient(dashboard, "plant/#", MqttQos.AT_MOST_ONCE);
                Mqtt5BlockingClient device = at(network, cluster, 2, "device");
                device.connect();
                acknowledged(publish(device, "plant/before"), SOON);
                for (int other = 2; other <= 3; other++) {
                    network.cut(1, other);
                    network.cut(other, 1);
                }
                acknowledged(publish(device, "plant/cut"), NODE_COUNTS_AS_GONE);
                acknowledged(publish(device, "plant/missed"), AT_ONCE);
                for (int other = 2; other <= 3; other++) {
                    network.heal(1, other);
                    network.heal(other, 1);
                }
                cluster.awaitLive(3, SOON, 1, 2, 3);
                acknowledged(publish(device, "plant/after"), SOON);
                assertThat(dashboard.getState().isConnected()).isTrue();
                assertThat(next(heard)).isEqualTo("plant/before");
                String then = next(heard);
                if (then.equals("plant/cut")) {
                    then = next(heard); // It had left before, by a link that outlived the cut.
                }
                assertThat(then).isEqualTo("plant/after");
                device.disconnect();
            }
            dashboard.disconnect();
        }
    }

    /** The topic of what comes next. */
    private static String next(Mqtt5BlockingClient.Mqtt5Publishes heard) throws Exception {
        return heard.receive(SOON.toMillis(), TimeUnit.MILLISECONDS)
                .map(each -> each.getTopic().toString())
                .orElse("nothing");
    }

    private static Mqtt5BlockingClient at(
            NodeNetwork network, ClusterProcesses cluster, int node, String id) {
        return MqttClient.builder()
                .useMqttVersion5()
                .identifier(id)
                .serverHost(network.address(node))
                .serverPort(cluster.node(node).port("mqtt"))
                .buildBlocking();
    }
}

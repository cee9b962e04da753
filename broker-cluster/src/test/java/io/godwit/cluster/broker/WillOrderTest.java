package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.node.TestClient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.session.SessionRoomProbe;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The wills of a client's connections, and what it publishes in between, reach another node in
 * order, though each connection is on another shard and has streams of its own.
 */
class WillOrderTest {
    private static final String TOPIC = "status/device";

    private LoopNodes nodes;
    private LoopNodes.One here;
    private LoopNodes.One there;
    private TestClient watcher;

    @BeforeEach
    void twoNodes() {
        nodes = new LoopNodes(2, new SplittableRandom(1));
        here = nodes.node(1);
        there = nodes.node(2);
        watcher = there.connect("watcher", false, 1_000);
        nodes.settle();
        watcher.subscribe(1, 2, TOPIC);
        nodes.settle();
    }

    private TestClient device(int shard, String will, int qos, boolean retain) {
        TestClient client = here.node().open(shard, ProtocolVersion.MQTT_5);
        client.send(
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of(here.id("device")),
                        false,
                        60,
                        new Will(
                                Topic.of(TOPIC),
                                qos,
                                retain,
                                will.getBytes(StandardCharsets.UTF_8),
                                0,
                                Properties.NONE),
                        null,
                        null,
                        false,
                        Properties.builder().add(Property.SESSION_EXPIRY_INTERVAL, 1_000).build()));
        nodes.settle();
        return client;
    }

    private void lost(TestClient device) {
        device.cut();
        nodes.settle();
    }

    private List<String> seen() {
        List<String> seen = new ArrayList<>();
        for (String each : watcher.payloads()) {
            if (!seen.contains(each)) {
                seen.add(each);
            }
        }
        return seen;
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 0"})
    void wills_behind_a_link_that_is_down(int first, int second) {
        nodes.cut(here, there);
        List<String> wills = List.of("1", "2", "3", "4");
        for (int i = 0; i < wills.size(); i++) {
            lost(device(i % 2 == 0 ? first : second, wills.get(i), 1, false));
        }
        nodes.link(here, there);
        nodes.settle();
        assertThat(seen()).isEqualTo(wills);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 0"})
    void a_will_and_what_its_client_publishes_when_it_is_back(int first, int second) {
        nodes.cut(here, there);
        lost(device(first, "gone", 1, false));
        TestClient back = device(second, "gone again", 1, false);
        back.publish(TOPIC, 1, 1, "back");
        nodes.settle();
        nodes.link(here, there);
        nodes.settle();
        assertThat(seen()).containsExactly("gone", "back");
        lost(back);
        assertThat(seen()).containsExactly("gone", "back", "gone again");
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 0"})
    void a_retained_will_behind_one_that_is_not(int first, int second) {
        nodes.cut(here, there);
        lost(device(first, "1", 1, false));
        lost(device(second, "2", 1, true));
        nodes.link(here, there);
        nodes.settle();
        assertThat(seen()).containsExactly("1", "2");
    }

    /** While the node catches up after a pause, or has not heard of the others since its start. */
    @Test
    void wills_that_wait_for_the_node_go_with_their_session() {
        here.isPaused = true;
        nodes.pass(2_000);
        there.silent(here);
        here.isPaused = false;
        nodes.cut(here, there);
        List<String> wills = List.of("1", "2", "3", "4");
        for (int i = 0; i < wills.size(); i++) {
            lost(device(1 - i % 2, wills.get(i), 1, false));
        }
        nodes.link(here, there);
        nodes.settle();
        assertThat(seen()).isEqualTo(wills);
    }

    /** It has not heard of the others, and has nothing to wait for; then it hears of them. */
    @Test
    void wills_that_are_owed_when_the_node_has_stopped_wait_for_its_next_start() {
        nodes.cut(here, there);
        lost(device(0, "will", 1, false));
        here.crash();
        here.begin();
        boolean[] hasStopped = new boolean[1];
        here.node().broker().stop(() -> hasStopped[0] = true);
        here.settle();
        assertThat(hasStopped[0]).isTrue();
        nodes.link(here, there);
        Objects.requireNonNull(here.links.get(there.server)).isSlow = true;
        nodes.settle();
        here.slowFrom = there.server;
        Objects.requireNonNull(here.links.get(there.server)).isSlow = false;
        nodes.settle();
        here.slowFrom = 0;
        here.crash();
        here.restart();
        nodes.settle();
        assertThat(watcher.payloads()).containsExactly("will");
    }

    /** At random: shards, QoS, the link, and how much of what is on it has come. */
    @Test
    void whatever_becomes_of_the_link_the_order_of_each_qos_holds() {
        int wills = 0;
        for (int seed = 1; seed <= 100; seed++) {
            twoNodes();
            SplittableRandom random = new SplittableRandom(seed);
            List<String> due = new ArrayList<>();
            boolean isLinked = true;
            for (int i = 0; i < 12; i++) {
                int qos = 1 + random.nextInt(2);
                TestClient device = device(random.nextInt(2), i + "will" + qos, qos, false);
                // It may have to wait for what its last connection has left.
                if (device.packets().stream().anyMatch(Packet.ConnAck.class::isInstance)) {
                    due.add(i + "will" + qos);
                }
                if (random.nextInt(3) == 0) {
                    device.publish(TOPIC, 1, 1, i + "text1");
                }
                device.cut();
                if (random.nextInt(3) == 0) {
                    isLinked = !isLinked;
                    if (isLinked) {
                        nodes.link(here, there);
                    } else {
                        nodes.cut(here, there);
                    }
                }
                if (random.nextBoolean()) {
                    nodes.settle();
                } else {
                    here.node().settle();
                    there.deliver(random.nextInt(3));
                }
            }
            nodes.link(here, there);
            nodes.pass(1_000);
            for (String qos : List.of("1", "2")) {
                List<Integer> order =
                        seen().stream()
                                .filter(each -> each.endsWith(qos))
                                .map(each -> Integer.valueOf(each.replaceAll("\\D.*", "")))
                                .toList();
                assertThat(order).as("seed %d, QoS %s", seed, qos).isSorted();
            }
            assertThat(seen()).as("seed %d", seed).containsAll(due);
            wills += due.size();
        }
        assertThat(wills).isGreaterThan(500);
    }

    @Test
    void nothing_is_remembered_once_the_other_node_has_answered() {
        lost(device(1, "1", 1, false));
        lost(device(0, "2", 1, false));
        lost(device(1, "3", 0, false));
        assertThat(seen()).containsExactly("1", "2", "3");
        assertThat(SessionRoomProbe.remembersPublishes(here.node().session(here.id("device"))))
                .isFalse();
    }
}

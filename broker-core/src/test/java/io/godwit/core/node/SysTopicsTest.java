package io.godwit.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Packet;
import io.godwit.core.store.MemoryStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The {@code $SYS} topics of a node that is alone. */
class SysTopicsTest {
    private static final String NODE = "$SYS/broker/";
    private static final String CLUSTER = "$SYS/cluster/";

    private final TestNode node = new TestNode(2, new MemoryStore());

    private Map<String, String> values() {
        node.broker().startSysTopics(1_000, "godwit version 1");
        node.client(0, "a", 3_600, 0).cut();
        TestClient reader = node.subscriber(1, "reader", 0, "$SYS/#");
        node.client(0, "publisher").publish("t", 0, 0, "x");
        node.settle();
        node.tick(100);
        node.tick(1_000);
        Map<String, String> values = new HashMap<>();
        for (Packet packet : reader.packets()) {
            if (packet instanceof Packet.Publish publish) {
                values.put(
                        Objects.requireNonNull(publish.topic()).toString(),
                        new String(publish.payload(), UTF_8));
            }
        }
        return values;
    }

    @Test
    void tell_what_it_counts() {
        assertThat(values())
                .containsEntry(NODE + "version", "godwit version 1")
                .containsEntry(NODE + "clients/total", "3")
                .containsEntry(NODE + "clients/connected", "2")
                .containsEntry(NODE + "clients/active", "2")
                .containsEntry(NODE + "clients/disconnected", "1")
                .containsEntry(NODE + "clients/inactive", "1")
                .containsEntry(NODE + "clients/maximum", "2")
                .containsEntry(NODE + "subscriptions/count", "1")
                .containsEntry(NODE + "messages/received", "5")
                .containsEntry(NODE + "publish/messages/received", "1")
                .containsEntry(NODE + "publish/messages/dropped", "0");
    }

    /** Their values are read at one moment, though telling them changes some. */
    @Test
    void of_the_cluster_are_the_same_as_its_own() {
        Map<String, String> values = values();
        Map<String, String> own = new HashMap<>();
        Map<String, String> all = new HashMap<>();
        values.forEach((topic, value) -> {
            if (topic.startsWith(NODE)) {
                own.put(topic.substring(NODE.length()), value);
            } else {
                all.put(topic.substring(CLUSTER.length()), value);
            }
        });
        assertThat(all.remove("nodes/count")).isEqualTo("1");
        assertThat(all).hasSizeGreaterThan(15);
        assertThat(own).containsAllEntriesOf(all);
    }
}

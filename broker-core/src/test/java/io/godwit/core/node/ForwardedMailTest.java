package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.MemoryStore;
import io.godwit.core.takeover.Registrar;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Mail that a session's old owner forwards is older than what comes to the new one directly. */
class ForwardedMailTest {
    private static final int SHARDS = 3;

    /** The old owner forwards them in several turns. */
    private static final int FORWARDED = 5_000;

    private static final int DIRECT = 10;

    /** Nothing is dropped, and nobody waits. */
    private static final int MOST = 10_000;

    /** Returns a client id whose registrar is that of shard 2. */
    private static String clientId() {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "s" + i)
                .filter(each -> Registrar.shardOf(ClientId.of(each), SHARDS) == 2)
                .findFirst()
                .orElseThrow();
    }

    /**
     * Has a session go from shard 1 to shard 2 while much that shard 0 has published waits at shard
     * 1, and publishes more before all of that is forwarded.
     *
     * @return what the client gets
     */
    private static List<String> received(Rules rules) {
        TestNode node =
                TestNode.of(
                        Cluster.NONE,
                        1,
                        SHARDS,
                        new MemoryStore(),
                        new SettableTime(),
                        rules,
                        LimitSettings.DEFAULTS,
                        new OverloadSettings(
                                MOST, 1 << 20, 256 << 10, MOST, 512L << 20, 1 << 20, 1_000));
        String clientId = clientId();
        TestClient publisher = node.client(0, "p");
        node.client(1, clientId, 3600, 0).subscribe(1, 0, "t");
        node.settle();

        TestClient newer = node.open(2, ProtocolVersion.MQTT_5);
        newer.connect(clientId, false, 3600, 0);
        node.loops[2].step();
        publish(node, publisher, 0, FORWARDED);
        node.loops[1].step();
        assertThat(node.count(Metric.SESSIONS_HANDED_OVER)).isEqualTo(1);
        publish(node, publisher, FORWARDED, FORWARDED + DIRECT);
        node.settle();
        return newer.payloads();
    }

    /** Publishes in a turn of shard 0, which leaves its own mail. */
    private static void publish(TestNode node, TestClient publisher, int from, int to) {
        for (int i = from; i < to; i++) {
            publisher.publish("t", 0, 0, String.valueOf(i));
        }
        node.loops[0].endTurn();
    }

    private static List<String> published() {
        return IntStream.range(0, FORWARDED + DIRECT).mapToObj(String::valueOf).toList();
    }

    @Test
    void mail_that_the_old_owner_forwards_comes_before_what_was_sent_directly() {
        assertThat(received(Rules.ALL)).isEqualTo(published());
    }

    @Test
    void without_its_rule_forwarded_mail_comes_behind_what_was_sent_directly() {
        assertThat(received(Rules.without(Rule.FORWARDED_FIRST)))
                .containsExactlyInAnyOrderElementsOf(published())
                .isNotEqualTo(published());
    }
}

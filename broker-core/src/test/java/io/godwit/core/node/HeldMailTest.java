package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.takeover.Registrar;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Mail that a hand-over holds back is counted while it waits, and then worked off in slices. */
class HeldMailTest {
    private static final int SHARDS = 3;
    private static final int MESSAGES = 5_000;

    /** Above a slice of held mail and one of the mailbox together. */
    private static final int TURN_MOST = 1_000;

    private static final int HIGH_WATER = MESSAGES + 1_000;

    private final TestNode node =
            new TestNode(
                    SHARDS,
                    LimitSettings.DEFAULTS,
                    new OverloadSettings(
                            200, 1 << 20, 256 << 10, HIGH_WATER, 512L << 20, 1 << 20, 1_000));
    private final TestClient publisher = node.client(0, "p");
    private final String clientId = "s".repeat(length());
    private int published;

    /** So that the registrar of the client id is on shard 1. */
    private static int length() {
        int length = 1;
        while (Registrar.shardOf(ClientId.of("s".repeat(length)), SHARDS) != 1) {
            length++;
        }
        return length;
    }

    /** Publishes in a turn of shard 0, which leaves its own mail. */
    private void publish(int count) {
        for (int i = 0; i < count; i++) {
            publisher.publish("t", 0, 0, String.valueOf(published++));
        }
        node.loops[0].endTurn();
    }

    /** A client of shard 2 that takes its session over from shard 1, while shard 0 is late. */
    private TestClient takeover() {
        node.client(1, clientId, 3600, 0).subscribe(1, 0, "t");
        node.settle();
        TestClient newer = node.open(2, ProtocolVersion.MQTT_5);
        newer.connect(clientId, false, 3600, 0);
        node.loops[2].step();
        node.loops[1].step();
        assertThat(node.count(Metric.SESSIONS_HANDED_OVER)).isEqualTo(1);
        return newer;
    }

    /** The marker that was missing comes to the new owner's mailbox. */
    private void lastMarker() {
        node.loops[0].step();
        node.loops[1].step();
    }

    private static List<String> payloads(int count) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(String.valueOf(i));
        }
        return all;
    }

    @Test
    void it_is_delivered_in_slices_and_what_comes_meanwhile_stays_behind_it() {
        TestClient subscriber = takeover();
        publish(MESSAGES);
        while (node.loops[2].step()) {
            assertThat(subscriber.payloads()).isEmpty();
        }
        assertThat(node.shards[2].mailboxDepth()).isEqualTo(MESSAGES);
        assertThat(node.shards[2].heldMailBytes()).isGreaterThan(MESSAGES);

        lastMarker();
        int before = 0;
        while (node.loops[2].step()) {
            int now = subscriber.payloads().size();
            assertThat(now - before).as("in one turn").isLessThanOrEqualTo(TURN_MOST);
            before = now;
            if (published < MESSAGES + 100) {
                publish(10);
            }
        }
        assertThat(subscriber.payloads()).isEqualTo(payloads(MESSAGES + 100));
        assertThat(node.shards[2].mailboxDepth()).isZero();
        assertThat(node.shards[2].heldMailBytes()).isZero();
    }

    @Test
    void publishers_wait_while_more_than_the_mark_is_held_and_go_on_with_its_end() {
        TestClient subscriber = takeover();
        publish(HIGH_WATER + 1);
        while (node.loops[2].step()) {
            // The mailbox is empty, and still the shard is behind.
        }
        publish(1);
        assertThat(publisher.wire.isRead()).isFalse();
        node.settle();
        assertThat(publisher.wire.isRead()).isTrue();
        assertThat(subscriber.payloads()).isEqualTo(payloads(published));
    }

    @Test
    void a_newer_connection_waits_for_its_end() {
        takeover();
        publish(MESSAGES);
        while (node.loops[2].step()) {
            // All of it is held.
        }
        lastMarker();
        node.loops[2].step();
        TestClient newest = node.open(1, ProtocolVersion.MQTT_5);
        newest.connect(clientId, false, 3600, 0);
        node.settle();
        assertThat(RestartFixture.isPresent(newest)).isTrue();
        assertThat(node.shards[2].mailboxDepth()).isZero();
        publish(1);
        node.settle();
        assertThat(newest.payloads()).containsExactly(String.valueOf(MESSAGES));
    }
}

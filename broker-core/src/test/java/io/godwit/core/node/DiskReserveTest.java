package io.godwit.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What sessions, subscriptions and Wills write during the disk alarm has a bound of bytes. */
class DiskReserveTest {
    private static final int QUOTA_EXCEEDED = 0x97;
    private static final int RESERVE = 10_000;
    private static final int MANY = 100;

    private final RowStore store = new RowStore();
    private final TestNode node = nodeOn(store);

    private static TestNode nodeOn(RowStore store) {
        store.alarmReserveBytes = RESERVE;
        return new TestNode(1, store);
    }

    private void diskAlarm(boolean full) {
        node.context.load().diskAlarm(full);
        node.settle();
    }

    private static Will will(int bytes) {
        String payload = "x".repeat(bytes);
        return new Will(Topic.of("w"), 1, false, payload.getBytes(UTF_8), 0, Properties.NONE);
    }

    /** Connects, and returns the CONNACK's code. */
    private int connect(
            TestClient client, String id, boolean clean, long expirySeconds, @Nullable Will will) {
        client.connect(id, clean, expirySeconds, 0, will);
        node.settle();
        return ((Packet.ConnAck) client.packets().getFirst()).code();
    }

    private int connect(String id, long expirySeconds, @Nullable Will will) {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        return connect(client, id, false, expirySeconds, will);
    }

    /** Connects, is cut off, and returns the CONNACK's code. */
    private int connectOnce(String id, long expirySeconds, @Nullable Will will) {
        TestClient client = node.open(0, ProtocolVersion.MQTT_5);
        int code = connect(client, id, false, expirySeconds, will);
        client.cut();
        node.settle();
        return code;
    }

    private void useUp() {
        int i = 0;
        while (connect("new" + i, 100, null) == 0) {
            assertThat(i++).isLessThan(MANY);
        }
        assertThat(i).as("sessions that the reserve has room for").isPositive();
    }

    @Test
    void connect_of_a_new_durable_session_is_refused_when_the_reserve_is_used_up() {
        diskAlarm(true);
        useUp();
        assertThat(node.count(Metric.REFUSED_DISK_ALARM)).isEqualTo(1);
        assertThat(connect("late", 100, null)).isEqualTo(QUOTA_EXCEEDED);
        TestClient old = node.open(0, ProtocolVersion.MQTT_3_1_1);
        assertThat(connect(old, "late311", false, 0, null)).isEqualTo(3);
        assertThat(node.count(Metric.REFUSED_DISK_ALARM)).isEqualTo(3);

        assertThat(connect("transient", 0, null)).as("it writes nothing").isZero();

        diskAlarm(false);
        assertThat(connect("late", 100, null)).isZero();
    }

    @Test
    void transient_session_that_becomes_durable_counts_as_a_new_one() {
        connect("t", 0, null);
        diskAlarm(true);
        useUp();
        assertThat(connect("t", 100, null)).isEqualTo(QUOTA_EXCEEDED);
        diskAlarm(false);
        assertThat(connect("t", 100, null)).isZero();
    }

    @Test
    void each_disk_alarm_has_a_reserve_of_its_own() {
        diskAlarm(true);
        useUp();
        diskAlarm(true);
        assertThat(connect("late", 100, null)).as("the same alarm").isEqualTo(QUOTA_EXCEEDED);
        diskAlarm(false);
        diskAlarm(true);
        assertThat(connect("late", 100, null)).isZero();
    }

    @Test
    void sessions_that_end_again_do_not_fill_the_reserve_again() {
        diskAlarm(true);
        int granted = 0;
        for (int i = 0; i < MANY; i++) {
            TestClient client = node.open(0, ProtocolVersion.MQTT_5);
            if (connect(client, "same", true, 100, null) == 0) {
                granted++;
            }
            client.cut();
            node.settle();
        }
        assertThat(granted).isBetween(1, MANY / 2);
    }

    @Test
    void session_that_was_there_before_comes_back_and_takes_what_is_queued() {
        TestClient before = node.client(0, "s", 100, 0);
        before.subscribe(1, 1, "t");
        node.settle();
        before.cut();
        node.settle();
        node.client(0, "p").publish("t", 1, 1, "queued");
        node.settle();
        diskAlarm(true);
        useUp();
        TestClient back = node.open(0, ProtocolVersion.MQTT_5);
        assertThat(connect(back, "s", false, 100, will(2_000))).isZero();
        assertThat(back.payloads()).containsExactly("queued");
    }

    @Test
    void will_of_a_new_connection_is_refused_when_the_reserve_is_used_up() {
        diskAlarm(true);
        int stored = 0;
        for (int i = 0; i < MANY; i++) {
            stored += connectOnce("device", 0, will(1_000)) == 0 ? 1 : 0;
        }
        assertThat(stored).isBetween(1, RESERVE / 1_000);
        assertThat(node.count(Metric.REFUSED_DISK_ALARM)).isEqualTo(MANY - stored);
        assertThat(node.count(Metric.WILLS_PUBLISHED)).isEqualTo(stored);
    }

    @Test
    void durable_session_leaves_one_will_beyond_the_reserve_and_no_more() {
        connectOnce("s", 100, null);
        diskAlarm(true);
        int stored = 0;
        for (int i = 0; i < MANY; i++) {
            stored += connectOnce("s", 100, will(1_000)) == 0 ? 1 : 0;
        }
        assertThat(stored).isBetween(2, RESERVE / 1_000 + 1);
        assertThat(connect("s", 100, null)).as("without a Will").isZero();
    }

    @Test
    void new_filter_of_a_durable_session_is_refused_when_the_reserve_is_used_up() {
        TestClient durable = node.client(0, "s", 100, 0);
        durable.subscribe(1, 1, "had");
        TestClient old = node.open(0, ProtocolVersion.MQTT_3_1_1);
        connect(old, "s311", false, 0, null);
        TestClient transientOne = node.client(0, "t");
        node.settle();
        diskAlarm(true);
        useUp();
        int granted = 0;
        for (int i = 0; i < MANY; i++) {
            durable.subscribe(2 + i, 1, "f" + i);
            node.settle();
            if (lastCode(durable) == QUOTA_EXCEEDED) {
                break;
            }
            granted++;
        }
        assertThat(granted).isLessThan(MANY);
        durable.subscribe(500, 0, "had");
        transientOne.subscribe(1, 1, "any");
        old.subscribe(1, 1, "new");
        node.settle();
        assertThat(lastCode(durable)).as("a filter that it had").isZero();
        assertThat(lastCode(transientOne)).as("written nowhere").isEqualTo(1);
        assertThat(lastCode(old)).isEqualTo(0x80);
        diskAlarm(false);
        durable.subscribe(501, 1, "late");
        node.settle();
        assertThat(lastCode(durable)).isEqualTo(1);
    }

    private static int lastCode(TestClient client) {
        int last = -1;
        for (Packet each : client.packets()) {
            if (each instanceof Packet.SubAck ack) {
                last = ack.codes()[0] & 0xFF;
            }
        }
        return last;
    }
}

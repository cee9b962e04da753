package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.connAck;
import static io.godwit.core.node.RestartFixture.disconnect;
import static io.godwit.core.node.RestartFixture.isPresent;
import static io.godwit.core.node.RestartFixture.subscribe;
import static io.godwit.core.node.RestartFixture.will;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.store.SessionRecord;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The wills that a broker finds in its store when it starts again: published once, and not twice.
 */
class WillRestartTest {
    private final RestartFixture f = new RestartFixture();

    @SuppressWarnings("NullAway.Init") // set by watch(...)
    private TestClient witness;

    private void watch(int qos) {
        witness = f.durable(1, "w");
        subscribe(witness, qos, "will");
        f.node.settle();
    }

    private List<String> witnessed() {
        witness = f.durable(1, "w");
        return witness.payloads();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void of_a_transient_session_is_published_after_a_crash_and_forgotten(int qos) {
        watch(qos);
        TestClient client = f.connect(0, "t", true, 0, will(qos, true, 0));
        assertThat(connAck(client).code()).isZero();
        assertThat(Objects.requireNonNull(f.state().session(ClientId.of("t"))).expirySeconds())
                .isZero();
        f.crash(1_000);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
        assertThat(f.isKept("t")).isFalse();
        assertThat(f.registered()).isEqualTo(1);
        assertThat(f.state().retained().get(Topic.of("will"))).isNotNull();
        assertThat(witnessed()).hasSize(qos == 0 ? 0 : 1);
        f.crash(0);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
    }

    @Test
    void is_promised_by_conn_ack_after_the_commit_only() {
        f.store.hold();
        TestClient client = f.connect(0, "t", true, 0, will(1, false, 0));
        assertThat(client.packets()).isEmpty();
        f.store.release();
        f.node.settle();
        assertThat(connAck(client).code()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 3600})
    void is_given_up_by_disconnect(long expirySeconds) {
        TestClient client = f.connect(0, "t", true, expirySeconds, will(1, false, 0));
        disconnect(client, ReasonCode.SUCCESS);
        f.node.settle();
        f.crash(0);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
        assertThat(f.isKept("t")).isEqualTo(expirySeconds > 0);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 3600})
    void is_given_up_for_good_when_the_socket_closes(long expirySeconds) {
        TestClient client = f.connect(0, "t", true, expirySeconds, will(1, false, 0));
        TestClient without = f.connect(0, "u", true, expirySeconds, null);
        f.store.hold();
        disconnect(client, ReasonCode.SUCCESS);
        disconnect(without, ReasonCode.SUCCESS);
        f.node.settle();
        assertThat(without.wire.isClosed()).isTrue();
        assertThat(client.wire.isClosed()).as("a crash would publish the will").isFalse();
        f.store.release();
        f.node.settle();
        assertThat(client.wire.isClosed()).isTrue();
        f.crash(0);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
    }

    @Test
    void stays_in_the_record_until_everyone_has_it() {
        watch(1);
        TestClient client = f.connect(0, "t", true, 0, will(1, false, 0));
        f.store.hold();
        client.cut();
        f.node.settle();
        f.store.end(1);
        f.node.settle();
        assertThat(f.isKept("t")).isTrue();
        f.store.release();
        f.node.settle();
        assertThat(f.isKept("t")).isFalse();
        assertThat(f.registered()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void that_was_being_published_at_the_crash_reaches_each_once(int qos) {
        watch(qos);
        // The slots of these two are odd and even: a start puts them on different shards.
        TestClient other = f.durable(0, "y");
        subscribe(other, qos, "will");
        f.node.settle();
        f.connect(0, "t", true, 0, will(qos, false, 0));
        f.crash(0); // The witness is offline from here on.
        assertThat(f.rows("w")).containsExactly("gone");
        long queue = f.queueId("w");
        TestClient client = f.connect(0, "u", true, 0, will(qos, false, 0));
        f.store.hold();
        client.cut();
        f.node.settle();
        f.store.end(1); // The first of two shards.
        int both = f.rows("w").size() + f.rows("y").size();
        assertThat(both).isEqualTo(3);
        f.crash(0);
        assertThat(f.rows(queue)).containsExactly("gone", "gone");
        assertThat(f.rows("y")).containsExactly("gone", "gone");
        assertThat(f.isKept("u")).isFalse();
    }

    @Test
    void waits_for_its_delay_across_a_crash() {
        watch(1);
        TestClient client = f.connect(0, "d", false, 3600, will(1, false, 60));
        client.cut();
        f.node.settle();
        f.crash(50_000);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
        f.node.tick(10_100);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
        assertThat(witnessed()).containsExactly("gone");
        f.crash(0);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
    }

    @Test
    void of_a_session_that_expired_while_down_is_published_first() {
        TestClient client = f.connect(0, "d", false, 100, will(1, true, 3000));
        client.cut();
        f.node.settle();
        f.crash(100_000);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
        assertThat(f.sessions()).isZero();
        assertThat(f.state().sessions()).isZero();
    }

    @Test
    void of_a_durable_session_waits_at_a_stop_and_is_dropped_when_the_client_is_back() {
        f.connect(0, "d", false, 3600, will(1, true, 60));
        f.connect(1, "t", true, 0, will(1, true, 0));
        f.stop();
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
        assertThat(f.isKept("t")).isFalse();
        SessionRecord record = Objects.requireNonNull(f.state().session(ClientId.of("d")));
        assertThat(record.disconnectedAtMs()).isEqualTo(f.time.wallMs());
        assertThat(record.will()).isNotNull();
        f.crash(59_000);
        TestClient back = f.connect(0, "d", false, 3600, null);
        assertThat(isPresent(back)).isTrue();
        f.node.tick(10_000);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
        f.crash(10_000);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
    }

    /** Clients stay connected while the wills of others are waited for. */
    @Test
    void that_waits_at_a_stop_does_so_from_the_end_of_its_connection() {
        watch(1);
        TestClient client = f.connect(0, "d", false, 3600, will(1, false, 60));
        f.connect(1, "t", true, 0, will(1, false, 0));
        f.store.hold();
        boolean[] stopped = {false};
        f.node.broker.stop(() -> stopped[0] = true);
        f.node.settle();
        assertThat(client.wire.isClosed()).isFalse();
        f.time.advance(30_000);
        f.store.release();
        f.node.settle();
        assertThat(client.wire.isClosed()).isTrue();
        assertThat(stopped[0]).isTrue();
        f.crash(59_000);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
        f.node.tick(1_100);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void of_a_transient_session_that_was_published_at_a_stop_is_not_published_again(int qos) {
        f.connect(1, "t", true, 0, will(qos, false, 0));
        f.stop();
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
        assertThat(f.isKept("t")).isFalse();
        f.crash(1_000);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
    }

    @Test
    void that_is_due_in_the_middle_of_a_stop_is_waited_for() {
        watch(1);
        TestClient client = f.connect(0, "d", false, 3600, will(1, false, 0));
        f.connect(1, "t", true, 0, will(1, false, 0));
        f.store.hold();
        boolean[] stopped = {false};
        f.node.broker.stop(() -> stopped[0] = true);
        f.node.settle();
        int before = f.store.outstanding();
        assertThat(before).isPositive();
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).as("that of t").isEqualTo(1);
        client.cut();
        f.node.settle();
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(2);
        f.store.end(before);
        f.node.settle();
        assertThat(stopped[0]).isFalse();
        f.store.release();
        f.node.settle();
        assertThat(stopped[0]).isTrue();
        f.crash(1_000);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
        assertThat(witnessed()).containsExactly("gone", "gone");
    }

    @Test
    void that_waited_at_a_stop_is_published_when_the_client_stays_away() {
        f.connect(0, "d", false, 3600, will(1, true, 60));
        f.stop();
        f.crash(60_000);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);
        assertThat(f.sessions()).isEqualTo(1);
    }
}

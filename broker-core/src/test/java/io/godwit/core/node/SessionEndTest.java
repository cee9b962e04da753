package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Will;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A durable session that has ended comes back when the broker dies before its end was kept. What
 * was acknowledged to a publisher meanwhile is not missing there then.
 */
class SessionEndTest {
    private final RestartFixture broker = new RestartFixture();
    private @Nullable TestClient subscriber;

    /** What ends the session. */
    private enum End {
        CLEAN_START,
        CLEAN_START_WITH_A_WILL_OWED,
        DISCONNECT_WITH_EXPIRY_0,
        EXPIRY
    }

    /** Makes a session on the second shard; from here on no commit ends. */
    private void subscribed(End by) {
        boolean owes = by == End.CLEAN_START_WITH_A_WILL_OWED;
        if (owes) {
            TestClient heir = broker.durable(0, "heir");
            RestartFixture.subscribe(heir, 1, "will");
            broker.node.settle();
        }
        Will will = owes ? RestartFixture.will(1, false, 0) : null;
        TestClient made = broker.connect(1, "d", false, 3600, will);
        RestartFixture.subscribe(made, 2, "a");
        broker.node.settle();
        if (by == End.EXPIRY) {
            made.cut();
            broker.node.settle();
            broker.time.advance(3_600_000);
        }
        subscriber = made;
        broker.store.hold();
    }

    private void end(End by) {
        switch (by) {
            case CLEAN_START, CLEAN_START_WITH_A_WILL_OWED ->
                    broker.connect(1, "d", true, 3600, null);
            case DISCONNECT_WITH_EXPIRY_0 ->
                    Objects.requireNonNull(subscriber)
                            .send(
                                    new Packet.Disconnect(
                                            ReasonCode.SUCCESS,
                                            Properties.builder()
                                                    .add(Property.SESSION_EXPIRY_INTERVAL, 0)
                                                    .build()));
            case EXPIRY -> broker.node.tick(1_000);
        }
        broker.node.settle();
        assertThat(broker.store.outstanding()).isPositive();
    }

    private TestClient publishes() {
        TestClient publisher = broker.node.client(0, "p");
        publisher.publish("a", 2, 7, "x");
        broker.node.settle();
        return publisher;
    }

    private static boolean isAcknowledged(TestClient publisher) {
        return publisher.count(PacketType.PUBREC) == 1;
    }

    @ParameterizedTest
    @EnumSource
    void what_is_published_after_it_is_acknowledged_when_it_is_kept(End by) {
        subscribed(by);
        end(by);
        TestClient publisher = publishes();
        assertThat(isAcknowledged(publisher)).isFalse();
        broker.store.release();
        broker.node.settle();
        assertThat(isAcknowledged(publisher)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void what_is_published_after_it_is_never_acknowledged_when_the_store_has_failed(End by) {
        subscribed(by);
        end(by);
        broker.store.fail();
        broker.store.hold();
        broker.node.settle();
        TestClient publisher = publishes();
        broker.store.fail(); // Whatever was told to it since.
        broker.node.settle();
        assertThat(publisher.count(PacketType.PUBREC)).isZero();
        assertThat(publisher.wire.isClosed()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void what_was_published_before_it_is_there_until_it_is_kept(End by) {
        subscribed(by);
        long queueId = broker.queueId("d");
        TestClient publisher = publishes();
        int before = broker.store.outstanding();
        assertThat(before).isPositive();
        end(by);
        assertThat(isAcknowledged(publisher)).isFalse();
        broker.store.end(before);
        broker.node.settle();
        assertThat(isAcknowledged(publisher)).isTrue();
        assertThat(broker.rows(queueId)).containsExactly("x");
        broker.crash(1);
        assertThat(broker.rows(queueId)).isEqualTo(by == End.EXPIRY ? List.of() : List.of("x"));
    }

    /** CONNACK promises that the old session is gone, or it would be back after a crash. */
    @ParameterizedTest
    @EnumSource
    void the_next_session_of_the_client_id_waits_for_it_though_transient_itself(End by) {
        subscribed(by);
        end(by);
        TestClient next = broker.connect(0, "d", true, 0, null);
        assertThat(next.packets()).isEmpty();
        broker.store.release();
        broker.node.settle();
        assertThat(RestartFixture.connAck(next).code()).isZero();
        assertThat(RestartFixture.isPresent(next)).isFalse();
        broker.crash(1);
        assertThat(broker.isKept("d")).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void nothing_of_it_is_left(End by) {
        subscribed(by);
        long queueId = broker.queueId("d");
        publishes();
        end(by);
        broker.store.release();
        broker.node.settle();
        assertThat(broker.rows(queueId)).isEmpty();
        assertThat(broker.state().subscriptions(queueId)).isEmpty();
        broker.node.client(0, "q").publish("a", 1, 7, "y");
        assertThat(broker.node.count(Metric.NO_MATCH)).isEqualTo(1);
    }
}

package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.isPresent;
import static io.godwit.core.node.RestartFixture.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.load.MemoryClass;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.session.Session;
import io.godwit.core.store.SessionRecord;
import org.junit.jupiter.api.Test;

/** A session that is set aside stays in the store, and is nobody's. */
class SetAsideTest {
    private final RestartFixture f = new RestartFixture();

    private void setAside(String clientId) {
        Session session = f.node.session(clientId);
        f.node.shards[0].execute(() -> f.node.shards[0].takeover().setAside(session));
        f.node.settle();
    }

    /** Publishes at QoS 1, and expects to be answered. */
    private void publish(String payload) {
        TestClient publisher = f.node.client(0, "publisher");
        publisher.publish("t", 1, 1, payload);
        f.node.settle();
        assertThat(publisher.acks(PacketType.PUBACK)).containsExactly(1);
        publisher.cut();
        f.node.settle();
    }

    private long offlineWithOne() {
        TestClient client = f.durable(1, "s");
        subscribe(client, 1, "t");
        f.node.settle();
        client.cut();
        f.node.settle();
        publish("kept");
        return f.queueId("s");
    }

    @Test
    void a_session_that_is_set_aside_keeps_its_record_and_queue_in_the_store() {
        long queueId = offlineWithOne();
        setAside("s");
        SessionRecord record = f.state().session(ClientId.of("s"));
        assertThat(record).isNotNull();
        if (record != null) {
            assertThat(record.isAside()).isTrue();
            assertThat(record.expirySeconds()).isEqualTo(3600);
        }
        assertThat(f.rows(queueId)).containsExactly("kept");
        assertThat(f.node.count(Metric.SESSIONS_SET_ASIDE)).isEqualTo(1);
        assertThat(f.node.count(Metric.SESSIONS_EXPIRED)).isZero();
    }

    @Test
    void a_session_that_is_set_aside_leaves_memory_and_the_topic_index() {
        long queueId = offlineWithOne();
        setAside("s");
        assertThat(f.sessions()).isZero();
        assertThat(f.registered()).isZero();
        publish("later");
        assertThat(f.rows(queueId)).containsExactly("kept");
        for (BrokerShard shard : f.node.shards) {
            assertThat(shard.load().subscriptions()).isZero();
        }
    }

    @Test
    void a_client_whose_session_is_set_aside_is_told_and_gets_a_new_session() {
        TestClient client = f.durable(1, "s");
        subscribe(client, 1, "t");
        f.node.settle();
        setAside("s");
        assertThat(client.packets())
                .filteredOn(Packet.Disconnect.class::isInstance)
                .extracting(each -> ((Packet.Disconnect) each).reason())
                .containsExactly(ReasonCode.SESSION_TAKEN_OVER);
        TestClient again = f.durable(0, "s");
        assertThat(isPresent(again)).isFalse();
        publish("for nobody");
        assertThat(again.payloads()).isEmpty();
    }

    @Test
    void a_session_that_was_set_aside_is_not_taken_up_at_the_next_start() {
        long queueId = offlineWithOne();
        setAside("s");
        f.crash(1_000);
        assertThat(f.sessions()).isZero();
        assertThat(f.registered()).isZero();
        assertThat(f.node.count(Metric.SESSIONS_SET_ASIDE)).isEqualTo(1);
        assertThat(isPresent(f.durable(0, "s"))).isFalse();
        publish("for nobody");
        assertThat(f.rows(queueId)).containsExactly("kept");
    }

    @Test
    void the_expiry_of_a_session_that_was_set_aside_removes_nothing() {
        long queueId = offlineWithOne();
        setAside("s");
        f.node.tick(7_200_000);
        assertThat(f.rows(queueId)).containsExactly("kept");
        f.crash(7_200_000);
        assertThat(f.rows(queueId)).containsExactly("kept");
    }

    @Test
    void a_transient_session_that_is_to_be_set_aside_ends() {
        TestClient client = f.node.client(1, "s");
        setAside("s");
        assertThat(client.wire.isClosed()).isTrue();
        assertThat(f.sessions()).isZero();
        assertThat(f.registered()).isZero();
        assertThat(f.node.count(Metric.SESSIONS_SET_ASIDE)).isZero();
    }

    @Test
    void a_will_with_a_delay_of_a_session_that_is_set_aside_stays_in_its_record() {
        TestClient client = f.connect(1, "s", false, 3600, RestartFixture.will(1, false, 60));
        client.cut();
        f.node.settle();
        f.node.tick(100);
        assertThat(sessionBytes()).isPositive();
        setAside("s");
        f.node.tick(120_000);
        assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
        SessionRecord record = f.state().session(ClientId.of("s"));
        assertThat(record).isNotNull();
        if (record != null) {
            assertThat(record.will()).isNotNull();
        }
        assertThat(sessionBytes()).isZero();
    }

    private long sessionBytes() {
        return f.node.context.load().memory().account(MemoryClass.SESSIONS);
    }
}

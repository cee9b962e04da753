package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.session.Session;
import io.godwit.core.settings.QueuePolicy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What waits in a frozen predecessor goes before all that waits in the queue itself. */
class QueuePredecessorTest extends PredecessorFixture {
    @Test
    void it_goes_first_while_live_messages_come_in() {
        waiting(1, 9);
        preceded(3);
        assertThat(store.operations)
                .contains("putPredecessor " + node.session("s").queueId() + " " + BEFORE);
        assertThat(info().queued()).isEqualTo(12);
        assertThat(node.keptMessages()).isEqualTo(12);
        TestClient back = connect(0, 2);
        assertThat(back.payloads()).containsExactly("p1", "p2");
        publish(2);
        acknowledgeAll(back);
        assertThat(back.payloads()).isEqualTo(inOrder(9, 5));
        assertGivenUp();
        publish(1);
        assertThat(back.payloads()).isEqualTo(inOrder(9, 6));
    }

    @Test
    void a_live_message_does_not_overtake_an_unread_page() {
        waiting(1, 6);
        preceded(0);
        store.holdReads();
        TestClient back = connect(0, 0);
        publish(1);
        assertThat(back.payloads()).isEmpty();
        store.answerAll();
        node.settle();
        assertThat(back.payloads()).isEqualTo(inOrder(6, 1));
        acknowledgeAll(back);
        assertGivenUp();
    }

    @Test
    void live_messages_go_on_while_its_last_is_not_acknowledged() {
        waiting(1, 1);
        preceded(0);
        TestClient back = connect(0, 0);
        publish(2);
        assertThat(back.payloads()).isEqualTo(inOrder(1, 2));
        assertThat(store.forgotten).isEmpty();
        acknowledgeAll(back);
        assertGivenUp();
    }

    @Test
    void the_session_s_end_takes_both() {
        waiting(1, 6);
        Session session = preceded(3);
        TestClient back = connect(1, 2);
        back.cut();
        node.settle();
        assertThat(info().inFlight()).isEqualTo(2);
        TestClient other = node.open(0, ProtocolVersion.MQTT_5);
        other.connect("s", true, 0, 0);
        node.settle();
        assertThat(node.count(Metric.DROPPED_SESSION_GONE)).isEqualTo(7);
        assertThat(store.forgotten).containsExactlyInAnyOrder(BEFORE, session.queueId());
        assertThat(node.keptMessages()).isZero();
        assertThat(node.keptBytes()).isZero();
        assertThat(node.queuedMessages()).isZero();
        assertThat(node.queuedBytes()).isZero();
        rows();
        assertThat(store.queue(BEFORE)).isEmpty();
        assertThat(session.queue().isEmpty()).isTrue();
    }

    @Test
    void it_goes_along_to_another_shard() {
        waiting(1, 9);
        preceded(2);
        TestClient first = connect(1, 2);
        first.ack(PacketType.PUBACK, publishes(first).getFirst().packetId());
        node.settle();
        assertThat(first.payloads()).containsExactly("p1", "p2", "p3");
        store.holdReads();
        TestClient second = connect(0, 2);
        publish(1);
        store.answerAll();
        node.settle();
        assertThat(second.payloads()).containsExactly("p2", "p3");
        acknowledgeAll(second);
        assertThat(second.payloads()).isEqualTo(inOrder(9, 3).subList(1, 12));
        assertGivenUp();
    }

    @Test
    void its_rows_expire() {
        waiting(1, 9);
        preceded(2);
        store.expire(BEFORE, ID_BASE + 2, ID_BASE + 9);
        node.settle();
        assertThat(info().queued()).isEqualTo(9);
        assertThat(info().drops().expired()).isEqualTo(2);
        TestClient back = connect(0, 0);
        acknowledgeAll(back);
        List<String> left = inOrder(9, 2);
        left.removeAll(List.of("p2", "p9"));
        assertThat(back.payloads()).isEqualTo(left);
        assertGivenUp();
    }

    @Test
    void it_is_given_up_when_all_of_it_has_expired() {
        waiting(1, 2);
        preceded(1);
        store.expire(BEFORE, ID_BASE + 1, ID_BASE + 2);
        node.settle();
        rows();
        TestClient back = connect(0, 0);
        assertThat(back.payloads()).isEqualTo(messages(1, 1));
        acknowledgeAll(back);
        assertGivenUp();
    }

    @Test
    void it_counts_for_the_limit_of_the_queue() {
        node(queues(5, QueuePolicy.DISCARD_NEWEST));
        waiting(1, 4);
        preceded(1);
        publish(1);
        assertThat(info().queued()).isEqualTo(5);
        assertThat(info().drops().queueFull()).isEqualTo(1);
        TestClient back = connect(0, 0);
        acknowledgeAll(back);
        assertThat(back.payloads()).isEqualTo(inOrder(4, 1));
        assertGivenUp();
    }

    @Test
    void its_oldest_are_discarded_first() {
        node(queues(5, QueuePolicy.DISCARD_OLDEST));
        waiting(1, 3);
        preceded(2);
        publish(2);
        assertThat(info().queued()).isEqualTo(5);
        assertThat(info().drops().queueFull()).isEqualTo(2);
        assertThat(store.operations)
                .filteredOn(operation -> operation.startsWith("removeRow"))
                .containsExactly("removeRow " + (ID_BASE + 1), "removeRow " + (ID_BASE + 2));
        TestClient back = connect(0, 0);
        acknowledgeAll(back);
        assertThat(back.payloads()).containsExactly("p3", "m1", "m2", "m3", "m4");
        assertGivenUp();
    }

    @Test
    void a_page_of_it_that_cannot_be_read_closes_the_client() {
        waiting(1, 3);
        preceded(1);
        store.holdReads();
        TestClient first = connect(1, 0);
        store.fail();
        node.settle();
        assertThat(first.wire.isClosed()).isTrue();
        store.answerAll();
        TestClient second = connect(1, 0);
        acknowledgeAll(second);
        assertThat(second.payloads()).isEqualTo(inOrder(3, 1));
        assertGivenUp();
    }

    @Test
    void the_age_is_that_of_the_oldest_of_both() {
        waiting(1, 1);
        preceded(1);
        node.time.advance(5_000);
        publish(1);
        assertThat(info().oldestAgeMs()).isEqualTo(5_000);
    }
}

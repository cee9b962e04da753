package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.takeover.Forwarded;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that a former home has sent after a session, and that come before it. */
class EarlyMessagesTest {
    private static final ClientId ID = ClientId.of("s");

    private final List<Receipt> receipts = new ArrayList<>();
    private SomeNodes nodes;
    private SomeNodes.Side second;
    private TestClient client;
    private int ingress;

    @BeforeEach
    void itsHeaderIsUnderWay() {
        nodes = new SomeNodes(2);
        second = nodes.side(2);
        TestClient before = nodes.side(1).connect(1, "s", null);
        before.subscribe(1, 2, "t");
        nodes.settle();
        nodes.isHeld = true;
        client = second.node.open(0, ProtocolVersion.MQTT_5);
        client.connect("s", false, 3600, 0);
        nodes.step(1);
        assertThat(client.packets()).isEmpty();
    }

    private static Message message(String payload, int ingress) {
        byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
        return new Message(
                Topic.of("t"), bytes, new byte[0], 1, false, Message.NEVER, null, 3, ingress);
    }

    private void comes(Message message, @Nullable Receipt receipt) {
        Forwarded what = new Forwarded(ID, message, 1, false, new int[0]);
        second.now(ID, at -> at.forwarded(nodes.changes(), what, receipt));
    }

    private void comes(int count, boolean isAwaited) {
        for (int i = 0; i < count; i++) {
            ingress++;
            Receipt receipt = isAwaited ? new Receipt(null, 0, 1) : null;
            if (receipt != null) {
                receipts.add(receipt);
            }
            comes(message("m" + ingress, ingress), receipt);
        }
    }

    private void arrives() {
        nodes.isHeld = false;
        nodes.settle();
        for (int i = 0; i < client.packets().size(); i++) {
            if (client.packets().get(i) instanceof Packet.Publish publish) {
                client.ack(PacketType.PUBACK, publish.packetId());
                nodes.settle();
            }
        }
    }

    /** What was taken is remembered a little longer: it may be sent again over a link. */
    private void assertNothingIsHeld() {
        assertThat(second.node.queuedMessages()).isZero();
        second.node.tick(5_100);
        nodes.settle();
        assertThat(second.node.queuedBytes()).isZero();
    }

    @Test
    void they_count_as_queued_until_the_session_has_them() {
        comes(3, true);
        assertThat(second.node.queuedMessages()).isEqualTo(3);
        assertThat(second.node.queuedBytes()).isEqualTo(3L * message("m1", 1).accountedBytes());
        assertThat(receipts).noneMatch(Receipt::isDone);
        arrives();
        assertThat(client.payloads()).containsExactly("m1", "m2", "m3");
        assertThat(receipts).allMatch(Receipt::isDone);
        assertNothingIsHeld();
    }

    @Test
    void one_that_is_sent_again_over_another_link_takes_the_place_of_the_first() {
        comes(2, true);
        Receipt again = new Receipt(null, 0, 1);
        comes(message("m1", 1), again);
        assertThat(second.node.queuedMessages()).isEqualTo(2);
        arrives();
        assertThat(client.payloads()).containsExactly("m1", "m2");
        assertThat(again.isDone()).isTrue();
    }

    /** A session that goes on soon after it has come leaves two former homes which both send. */
    @Test
    void one_that_comes_from_two_former_homes_is_delivered_once_and_answered_to_both() {
        comes(2, true);
        Receipt ofTheOther = new Receipt(null, 0, 1);
        comes(message("m1", 1), ofTheOther);
        arrives();
        assertThat(client.payloads()).containsExactly("m1", "m2");
        assertThat(ofTheOther.isDone()).isTrue();
        assertThat(receipts).allMatch(Receipt::isDone);
        assertNothingIsHeld();
    }

    @Test
    void what_comes_again_and_nobody_waits_for_leaves_the_one_who_does_his_answer() {
        comes(1, true);
        comes(message("m1", 1), null);
        arrives();
        assertThat(client.payloads()).containsExactly("m1");
        assertThat(receipts).allMatch(Receipt::isDone);
    }

    @Test
    void those_that_nobody_waits_for_are_dropped_beyond_a_bound_and_the_others_have_room() {
        comes(Forwarded.UNANSWERED_MAX + 10, false);
        assertThat(second.node.queuedMessages()).isEqualTo(Forwarded.UNANSWERED_MAX);
        assertThat(second.node.count(Metric.DROPPED_QUEUE_FULL)).isEqualTo(10);
        comes(Forwarded.UNANSWERED_MAX, true);
        assertThat(second.node.queuedMessages()).isEqualTo(2L * Forwarded.UNANSWERED_MAX);
        arrives();
        assertThat(client.payloads()).hasSize(2 * Forwarded.UNANSWERED_MAX);
        assertThat(receipts).allMatch(Receipt::isDone);
        assertNothingIsHeld();
    }

    @Test
    void bytes_are_bounded_too_and_beyond_that_nothing_is_answered() {
        String large = "x".repeat(100_000);
        for (int i = 1; i <= 10; i++) {
            Receipt receipt = new Receipt(null, 0, 1);
            receipts.add(receipt);
            comes(message(large, i), receipt);
        }
        assertThat(second.node.queuedMessages()).isEqualTo(6);
        assertThat(second.node.queuedBytes()).isLessThan(700_000);
        arrives();
        assertThat(client.payloads()).hasSize(6);
        assertThat(receipts).filteredOn(Receipt::isDone).hasSize(6);
    }

    @Test
    void they_end_some_time_after_the_claim_that_they_are_for() {
        comes(3, true);
        second.node.tick(60_000);
        assertThat(second.node.queuedMessages()).isEqualTo(3);
        nodes.refuse("s");
        second.node.tick(10_000);
        assertNothingIsHeld();
        assertThat(receipts).noneMatch(Receipt::isDone);
        assertThat(second.node.count(Metric.FORWARDS_GIVEN_UP)).isEqualTo(3);
    }

    @Test
    void what_no_claim_waits_for_is_not_kept() {
        nodes.refuse("s");
        comes(2, true);
        assertNothingIsHeld();
        assertThat(receipts).noneMatch(Receipt::isDone);
        assertThat(second.node.count(Metric.FORWARDS_GIVEN_UP)).isEqualTo(2);
    }
}

package io.godwit.core.ack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Message;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AckPointsTest {
    private static final AckTarget SESSION =
            new AckTarget.OfSession(new SessionKey(1, new HybridId(5, 7)));
    private static final AckTarget PART = new AckTarget.OfQueue(2);

    private final AckPoints points = new AckPoints();
    private final List<String> done = new ArrayList<>();
    private final List<String> again = new ArrayList<>();

    private static Message message(int number) {
        return new Message(
                Topic.of("t"),
                new byte[] {(byte) number},
                PublishFrame.NO_PROPERTIES,
                1,
                false,
                Message.NEVER,
                null,
                7,
                number);
    }

    private static IngressId id(int number) {
        return new IngressId(7, number);
    }

    private Receipt receipt(int number) {
        return new Receipt(() -> done.add("receipt " + number), number, 1);
    }

    private void resend(AckTarget target, int home) {
        points.moved(
                target,
                home,
                (message, to, at) -> again.add(message.payload[0] + " to " + to + " at " + at));
    }

    @Test
    void a_receipt_waits_for_every_target_that_it_was_sent_to() {
        Receipt receipt = receipt(1);
        points.sent(message(1), SESSION, 8, receipt);
        points.sent(message(1), PART, 9, receipt);
        assertThat(receipt.routed()).isFalse();

        assertThat(points.answered(id(1), SESSION, true, ReasonCode.SUCCESS)).isTrue();
        assertThat(done).isEmpty();
        assertThat(points.answered(id(1), PART, true, ReasonCode.SUCCESS)).isTrue();

        assertThat(done).containsExactly("receipt 1");
        assertThat(points.bytes()).isZero();
        assertThat(points.at(8)).isEmpty();
    }

    @Test
    void what_was_not_answered_for_goes_to_the_new_home_in_order() {
        for (int i = 1; i <= 4; i++) {
            points.sent(message(i), SESSION, 8, receipt(i));
            points.sent(message(i), PART, 8, null);
        }
        points.answered(id(2), SESSION, true, ReasonCode.SUCCESS);

        assertThat(points.at(8)).containsExactlyInAnyOrder(SESSION, PART);
        resend(SESSION, 9);

        assertThat(again)
                .containsExactly(
                        "1 to " + SESSION + " at 9",
                        "3 to " + SESSION + " at 9",
                        "4 to " + SESSION + " at 9");
        assertThat(points.at(8)).containsExactly(PART);
        assertThat(points.at(9)).containsExactly(SESSION);
        // A second word of the same change sends nothing.
        resend(SESSION, 9);
        assertThat(again).hasSize(3);
    }

    @Test
    void both_homes_may_answer_and_the_receipt_counts_one() {
        Receipt receipt = receipt(1);
        points.sent(message(1), SESSION, 8, receipt);
        points.sent(message(1), PART, 8, receipt);
        receipt.routed();
        resend(SESSION, 9);

        assertThat(points.answered(id(1), SESSION, true, ReasonCode.SUCCESS)).isTrue();
        assertThat(points.answered(id(1), SESSION, true, ReasonCode.SUCCESS)).isFalse();
        assertThat(done).isEmpty();
        points.answered(id(1), PART, true, ReasonCode.SUCCESS);
        assertThat(done).containsExactly("receipt 1");
    }

    @Test
    void nothing_newer_overtakes_what_waits_for_the_home_before() {
        points.sent(message(1), SESSION, 8, null);
        assertThat(points.waitsFor(SESSION)).isTrue();
        assertThatThrownBy(() -> points.sent(message(2), SESSION, 9, null))
                .isInstanceOf(IllegalStateException.class);
        resend(SESSION, 9);
        points.sent(message(2), SESSION, 9, null);
        points.answered(id(1), SESSION, true, ReasonCode.SUCCESS);
        points.answered(id(2), SESSION, true, ReasonCode.SUCCESS);
        assertThat(points.waitsFor(SESSION)).isFalse();
    }

    @Test
    void a_target_that_could_not_take_it_fails_the_receipt() {
        Receipt receipt = receipt(1);
        points.sent(message(1), SESSION, 8, receipt);
        receipt.routed();
        points.answered(id(1), SESSION, false, ReasonCode.QUOTA_EXCEEDED);
        assertThat(receipt.hasFailed()).isTrue();
        assertThat(receipt.reason).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
    }

    @Test
    void nobody_waits_for_a_session_that_ended() {
        for (int i = 1; i <= 2; i++) {
            Receipt receipt = receipt(i);
            points.sent(message(i), SESSION, 8, receipt);
            receipt.routed();
        }
        assertThat(points.gone(SESSION)).isEqualTo(2);
        assertThat(done).containsExactly("receipt 1", "receipt 2");
        assertThat(points.bytes()).isZero();
        assertThat(points.gone(SESSION)).isZero();
    }
}

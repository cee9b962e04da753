package io.godwit.server.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.client.CheckingLoad.Counts;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CheckedStreamTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final CheckedStream stream = new CheckedStream();

    @Test
    void message_that_is_delivered_before_or_after_its_acknowledgement_is_not_lost() {
        stream.onSubscriberConnected(0);
        assertThat(stream.take(0)).isEqualTo(1);
        assertThat(stream.take(0)).isEqualTo(2);
        stream.onDelivered(1);
        stream.onAcknowledged(1, SECOND);
        stream.onAcknowledged(2, SECOND);
        assertThat(stream.counts()).isEqualTo(new Counts(2, 0, 1, 0));
        stream.onDelivered(2);
        stream.onDelivered(2);
        stream.judge(60 * SECOND);
        assertThat(stream.counts()).isEqualTo(new Counts(2, 0, 0, 0));
    }

    @Test
    void acknowledged_message_that_does_not_come_to_a_connected_subscriber_is_lost() {
        stream.onSubscriberConnected(0);
        stream.take(0);
        stream.onAcknowledged(1, SECOND);
        stream.judge(11 * SECOND);
        assertThat(stream.counts()).isEqualTo(new Counts(1, 0, 1, 0));
        stream.judge(11 * SECOND + 1);
        assertThat(stream.counts()).isEqualTo(new Counts(1, 1, 0, 0));
        stream.onSubscriberGone();
        assertThat(stream.counts().lost()).isEqualTo(1);
        stream.onDelivered(1);
        assertThat(stream.counts()).isEqualTo(new Counts(1, 0, 0, 0));
    }

    @Test
    void acknowledged_message_waits_for_a_subscriber_that_is_away_and_ten_seconds_longer() {
        stream.take(0);
        stream.onAcknowledged(1, 0);
        stream.judge(100 * SECOND);
        stream.onSubscriberConnected(100 * SECOND);
        stream.judge(110 * SECOND);
        assertThat(stream.counts()).isEqualTo(new Counts(1, 0, 1, 0));
        stream.judge(110 * SECOND + 1);
        assertThat(stream.counts()).isEqualTo(new Counts(1, 1, 0, 0));
    }

    @Test
    void message_that_is_refused_is_neither_acknowledged_nor_lost() {
        stream.onSubscriberConnected(0);
        stream.take(0);
        stream.onRefused(1);
        stream.judge(100 * SECOND);
        assertThat(stream.counts()).isEqualTo(new Counts(0, 0, 0, 0));
    }

    @Test
    void publisher_sends_no_more_while_ten_messages_are_not_acknowledged() {
        for (int i = 1; i <= CheckedStream.IN_FLIGHT_MAX; i++) {
            assertThat(stream.take(0)).isEqualTo(i);
        }
        assertThat(stream.take(0)).isZero();
        assertThat(stream.counts().unacknowledged()).isEqualTo(CheckedStream.IN_FLIGHT_MAX);
        stream.onAcknowledged(1, 0);
        assertThat(stream.take(0)).isEqualTo(CheckedStream.IN_FLIGHT_MAX + 1);
        assertThat(stream.unacknowledged()).startsWith(2L).endsWith(11L);
    }

    @Test
    void longest_wait_is_that_of_a_message_that_was_acknowledged_or_still_waits() {
        stream.take(SECOND);
        stream.take(3 * SECOND);
        stream.onAcknowledged(1, 8 * SECOND);
        assertThat(stream.takeLongestWait(9 * SECOND)).isEqualTo(7 * SECOND);
        assertThat(stream.takeLongestWait(10 * SECOND)).isEqualTo(7 * SECOND);
        stream.onAcknowledged(2, 11 * SECOND);
        assertThat(stream.takeLongestWait(11 * SECOND)).isEqualTo(8 * SECOND);
        assertThat(stream.takeLongestWait(12 * SECOND)).isZero();
    }

    @Test
    void packet_identifier_of_a_message_is_legal_and_repeats_late() {
        assertThat(CheckedStream.packetId(1)).isEqualTo(1);
        assertThat(CheckedStream.packetId(65_535)).isEqualTo(65_535);
        assertThat(CheckedStream.packetId(65_536)).isEqualTo(1);
    }
}

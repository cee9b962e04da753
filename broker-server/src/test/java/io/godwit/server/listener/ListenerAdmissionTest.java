package io.godwit.server.listener;

import static io.godwit.server.listener.Admission.Verdict.ADMITTED;
import static io.godwit.server.listener.Admission.Verdict.DROPPED;
import static io.godwit.server.listener.Admission.Verdict.REFUSED;
import static io.godwit.server.listener.Admission.Verdict.TOO_MANY_AT_ONCE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ListenerAdmissionTest {
    private final Admission node = new Admission(5, 2);
    private long now = 77;

    private ListenerAdmission listener(int connections, int rate) {
        return new ListenerAdmission(node, connections, rate, () -> now);
    }

    @Test
    void listener_that_is_full_refuses_and_leaves_room_for_others() {
        ListenerAdmission full = listener(2, 0);
        assertThat(full.admit()).isEqualTo(ADMITTED);
        assertThat(full.admit()).isEqualTo(ADMITTED);
        assertThat(full.admit()).isEqualTo(REFUSED);
        assertThat(full.admit()).isEqualTo(REFUSED);
        assertThat(full.admit()).isEqualTo(DROPPED);
        assertThat(listener(0, 0).admit()).isEqualTo(ADMITTED);
        full.release(ADMITTED);
        assertThat(full.admit()).isEqualTo(ADMITTED);
        assertThat(node.connections()).isEqualTo(3);
    }

    @Test
    void connection_that_the_node_refuses_does_not_count_for_its_listener() {
        ListenerAdmission other = listener(0, 0);
        for (int i = 0; i < 5; i++) {
            assertThat(other.admit()).isEqualTo(ADMITTED);
        }
        ListenerAdmission one = listener(1, 0);
        assertThat(one.admit()).isEqualTo(REFUSED);
        other.release(ADMITTED);
        assertThat(one.admit()).isEqualTo(ADMITTED);
    }

    @Test
    void two_seconds_worth_comes_at_once_and_then_as_many_as_the_rate_allows() {
        ListenerAdmission slow = listener(0, 2);
        for (int i = 0; i < 4; i++) {
            assertThat(slow.admit()).isEqualTo(ADMITTED);
            slow.release(ADMITTED);
        }
        assertThat(slow.admit()).isEqualTo(TOO_MANY_AT_ONCE);
        slow.release(TOO_MANY_AT_ONCE);
        now += TimeUnit.MILLISECONDS.toNanos(499);
        assertThat(slow.admit()).isEqualTo(TOO_MANY_AT_ONCE);
        slow.release(TOO_MANY_AT_ONCE);
        now += TimeUnit.MILLISECONDS.toNanos(1);
        assertThat(slow.admit()).isEqualTo(ADMITTED);
        slow.release(ADMITTED);
        assertThat(slow.admit()).isEqualTo(TOO_MANY_AT_ONCE);
        slow.release(TOO_MANY_AT_ONCE);
        now += TimeUnit.SECONDS.toNanos(100);
        for (int i = 0; i < 4; i++) {
            assertThat(slow.admit()).isEqualTo(ADMITTED);
            slow.release(ADMITTED);
        }
        assertThat(slow.admit()).isEqualTo(TOO_MANY_AT_ONCE);
    }

    @Test
    void connection_that_is_too_fast_stays_so_when_it_gets_no_answer() {
        ListenerAdmission slow = listener(0, 1);
        for (int i = 0; i < 2; i++) {
            assertThat(slow.admit()).isEqualTo(ADMITTED);
        }
        for (int i = 0; i < 2; i++) {
            assertThat(slow.admit()).isEqualTo(TOO_MANY_AT_ONCE);
        }
        Admission.Verdict unanswered = slow.admit();
        assertThat(unanswered.isDropped()).isTrue();
        assertThat(unanswered.isTooFast()).isTrue();
        assertThat(DROPPED.isTooFast()).isFalse();
    }
}

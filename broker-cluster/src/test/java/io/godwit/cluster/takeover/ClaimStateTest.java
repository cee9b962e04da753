package io.godwit.cluster.takeover;

import static io.godwit.cluster.takeover.ClaimState.ARRIVING;
import static io.godwit.cluster.takeover.ClaimState.ASKING;
import static io.godwit.cluster.takeover.ClaimState.MAKING;
import static io.godwit.cluster.takeover.ClaimState.REFUSED;
import static io.godwit.cluster.takeover.ClaimState.SETTLED;
import static io.godwit.cluster.takeover.ClaimState.TAKING;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.takeover.ClaimState.Trigger;
import org.junit.jupiter.api.Test;

class ClaimStateTest {
    @Test
    void a_session_that_is_elsewhere_is_taken_and_arrives() {
        assertThat(ASKING.on(Trigger.GRANTED_HOME)).isEqualTo(TAKING);
        assertThat(TAKING.on(Trigger.HEADER)).isEqualTo(ARRIVING);
        assertThat(ARRIVING.on(Trigger.HERE)).isEqualTo(SETTLED);
    }

    @Test
    void one_that_has_ended_there_is_made_anew() {
        assertThat(TAKING.on(Trigger.ENDED)).isEqualTo(MAKING);
        assertThat(MAKING.on(Trigger.HERE)).isEqualTo(SETTLED);
    }

    @Test
    void one_that_is_not_there_is_asked_for_again() {
        assertThat(TAKING.on(Trigger.NOT_HERE)).isEqualTo(ASKING);
    }

    @Test
    void what_arrives_is_not_refused_any_more() {
        for (ClaimState arriving : new ClaimState[] {MAKING, ARRIVING}) {
            assertThat(arriving.takes(Trigger.OUT_OF_REACH)).isFalse();
            assertThat(arriving.takes(Trigger.GRANTED_NOBODY)).isFalse();
            assertThat(arriving.takes(Trigger.GRANTED_HOME)).isFalse();
        }
    }

    @Test
    void a_header_for_a_claim_that_was_refused_changes_nothing() {
        for (Trigger each : Trigger.values()) {
            assertThat(REFUSED.takes(each)).isFalse();
            assertThat(SETTLED.takes(each)).isFalse();
        }
        assertThat(ASKING.takes(Trigger.HEADER)).isFalse();
    }

    @Test
    void a_claim_that_is_granted_anew_takes_the_session_under_the_new_number() {
        assertThat(TAKING.takes(Trigger.GRANTED_HOME)).isTrue();
        assertThat(TAKING.on(Trigger.GRANTED_NOBODY)).isEqualTo(MAKING);
    }
}

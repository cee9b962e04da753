package io.godwit.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.ClusterRules;
import io.godwit.cluster.transport.NodeStart;
import org.junit.jupiter.api.Test;

class DoorkeeperTest {
    private static final long WALL_MS = 1_700_000_000_000L;
    private static final long PROCESS = 77;
    private static final Doorkeeper.Known NOBODY =
            new Doorkeeper.Known(null, Doorkeeper.Known.NO_PROCESS, false);

    private final Doorkeeper doorkeeper =
            new Doorkeeper(
                    new Self(new NodeStart(1, 5), 11, "here", "", ""),
                    new MembershipSettings("prod", 5_000, 2_000, 0, 2, 3),
                    ClusterRules.ALL);

    private static NodeCard card(String cluster, int min, int max, long wallMs) {
        return new NodeCard(min, max, cluster, PROCESS, 1_000, wallMs, "there", "", "");
    }

    private static final NodeCard GOOD = card("prod", 1, 2, WALL_MS);

    private Doorkeeper.Answer ask(NodeStart claimed, NodeCard card, Doorkeeper.Known known) {
        return doorkeeper.onCard(claimed, card, known, 1_000, WALL_MS);
    }

    private static Refusal refusal(Doorkeeper.Answer answer) {
        return ((Doorkeeper.Answer.No) answer).why();
    }

    @Test
    void who_fits_is_let_in_with_the_highest_version_that_both_speak() {
        assertThat(ask(new NodeStart(2, 1), GOOD, NOBODY)).isEqualTo(new Doorkeeper.Answer.Yes(2));
    }

    @Test
    void who_does_not_fit_is_told_why() {
        NodeStart other = new NodeStart(2, 1);
        assertThat(refusal(ask(other, card("test", 1, 2, WALL_MS), NOBODY)))
                .isEqualTo(Refusal.CLUSTER_NAME);
        assertThat(refusal(ask(other, card("prod", 4, 9, WALL_MS), NOBODY)))
                .isEqualTo(Refusal.PROTOCOL);
        assertThat(refusal(ask(other, card("prod", 1, 2, WALL_MS + 5_001), NOBODY)))
                .isEqualTo(Refusal.CLOCK);
        assertThat(ask(other, card("prod", 1, 2, WALL_MS - 60_000), NOBODY))
                .isInstanceOf(Doorkeeper.Answer.Yes.class);
        assertThat(refusal(ask(new NodeStart(1, 6), GOOD, NOBODY))).isEqualTo(Refusal.SERVER_ID);
    }

    @Test
    void a_start_that_is_not_above_the_last_one_is_an_old_or_copied_folder() {
        Member seen = new Member(new NodeStart(2, 4), 55, "there", "");
        Doorkeeper.Known gone = new Doorkeeper.Known(seen, Doorkeeper.Known.NO_PROCESS, false);
        assertThat(refusal(ask(new NodeStart(2, 3), GOOD, gone))).isEqualTo(Refusal.OLD_START);
        assertThat(refusal(ask(new NodeStart(2, 4), GOOD, gone))).isEqualTo(Refusal.OLD_START);
        assertThat(ask(new NodeStart(2, 5), GOOD, gone)).isInstanceOf(Doorkeeper.Answer.Yes.class);
    }

    @Test
    void a_newer_start_waits_for_the_one_before_and_is_refused_when_that_one_lives() {
        Member seen = new Member(new NodeStart(2, 4), 55, "there", "");
        NodeStart newer = new NodeStart(2, 5);
        Doorkeeper.Known heard = new Doorkeeper.Known(seen, 55, true);
        assertThat(doorkeeper.onCard(newer, GOOD, heard, 1_000, WALL_MS))
                .isInstanceOf(Doorkeeper.Answer.Wait.class);
        assertThat(doorkeeper.onCard(newer, GOOD, heard, 3_400, WALL_MS))
                .isInstanceOf(Doorkeeper.Answer.Wait.class);
        assertThat(refusal(doorkeeper.onCard(newer, GOOD, heard, 3_500, WALL_MS)))
                .isEqualTo(Refusal.SERVER_ID);

        Doorkeeper.Known silent = new Doorkeeper.Known(seen, 55, false);
        assertThat(doorkeeper.onCard(newer, GOOD, silent, 3_600, WALL_MS))
                .isInstanceOf(Doorkeeper.Answer.Yes.class);
    }
}

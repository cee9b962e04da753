package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GivingPauseTest {
    private final List<Runnable> commits = new ArrayList<>();
    private final List<Runnable> later = new ArrayList<>();
    private long written = 7;
    private long confirmed;
    private int changes;

    private final GivingPause pause =
            new GivingPause(
                    new GivingPause.Node() {
                        @Override
                        public void onChange() {
                            changes++;
                        }

                        @Override
                        public void afterCommits(Runnable then) {
                            commits.add(then);
                        }

                        @Override
                        public void after(long ms, Runnable task) {
                            later.add(task);
                        }
                    },
                    () -> written,
                    position -> confirmed >= position);

    private void commit() {
        commits.removeFirst().run();
    }

    @Test
    void sets_may_be_given_when_three_rounds_of_commits_are_confirmed() {
        pause.begin();
        assertThat(pause.isOn()).isTrue();
        assertThat(changes).isEqualTo(1);
        commit();
        assertThat(pause.isQuiet()).isFalse();
        confirmed = 7;
        later.removeFirst().run();
        written = 9; // The second commit of a publish.
        commit();
        assertThat(pause.isQuiet()).isFalse();
        confirmed = 9;
        later.removeFirst().run();
        commit();
        assertThat(pause.isQuiet()).isTrue();
        pause.passed(200, true);
        assertThat(pause.isOn()).isTrue();
        pause.passed(200, false);
        assertThat(pause.isOn()).isFalse();
        assertThat(changes).isEqualTo(2);
    }

    @Test
    void publishers_go_on_when_a_set_is_not_taken_over_for_ten_seconds() {
        confirmed = 7;
        pause.begin();
        for (int i = 0; i < 3; i++) {
            commit();
        }
        pause.passed(9_900, true);
        assertThat(pause.isOn()).isTrue();
        pause.passed(200, true);
        assertThat(pause.isOn()).isFalse();
    }

    @Test
    void publishers_go_on_when_followers_confirm_nothing_for_five_seconds() {
        pause.begin();
        commit();
        int looks = 0;
        while (!later.isEmpty()) {
            later.removeFirst().run();
            looks++;
        }
        assertThat(looks).isEqualTo(499);
        assertThat(pause.isOn()).isFalse();

        pause.begin();
        assertThat(pause.isOn()).as("publishers go on for a while").isFalse();
        pause.passed(10_000, false);
        pause.begin();
        assertThat(pause.isOn()).isTrue();
        assertThat(commits).hasSize(1);
    }
}

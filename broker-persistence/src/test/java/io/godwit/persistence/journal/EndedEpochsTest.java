package io.godwit.persistence.journal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EndedEpochsTest {
    private final EndedEpochs epochs = new EndedEpochs();

    @Test
    void queue_that_was_never_adopted_has_none() {
        assertThat(epochs.of(7)).isZero();
        epochs.put(8, 3);
        assertThat(epochs.of(7)).isZero();
        assertThat(epochs.of(8)).isEqualTo(3);
    }

    @Test
    void those_that_ended_first_go_when_there_are_too_many() {
        epochs.put(-1, 5);
        epochs.put(-2, 6);
        for (int i = 0; i < EndedEpochs.MAX - 2; i++) {
            epochs.put(i, 1);
        }
        epochs.put(-1, 9); // It has ended once more.
        epochs.put(EndedEpochs.MAX, 1);
        assertThat(epochs.of(-1)).isEqualTo(9);
        assertThat(epochs.of(-2)).isZero();
        assertThat(epochs.of(EndedEpochs.MAX)).isEqualTo(1);
    }
}

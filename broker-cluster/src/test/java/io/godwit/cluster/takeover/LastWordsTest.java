package io.godwit.cluster.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.takeover.TakeoverMessage.Dropped;
import io.godwit.cluster.takeover.TakeoverMessage.Whole;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LastWordsTest {
    private static final ClientId ID = ClientId.of("c");
    private static final Whole WHOLE = new Whole(ID, 3);

    /** What was asked, in order. */
    private final List<Runnable> asked = new ArrayList<>();

    private final List<String> said = new ArrayList<>();

    private final LastWord ways =
            new LastWord() {
                @Override
                public void whenClear(int server, Object what, Runnable task) {
                    asked.add(task);
                }

                @Override
                public void whenAnswered(int server, Object what, Runnable task) {
                    throw new AssertionError("not needed");
                }
            };

    private final LastWords words = new LastWords(ways, Rules.ALL);

    private void says(LastWords of, String what) {
        of.whenClear(2, WHOLE, () -> said.add(what));
    }

    @Test
    void it_is_asked_for_when_the_session_comes_and_said_when_all_of_it_has() {
        words.linked(new NodeStart(2, 1));
        words.arrived(ID, List.of(new Former(2, 3)));
        assertThat(asked).hasSize(1);
        asked.getFirst().run();
        says(words, "at once");
        assertThat(said).containsExactly("at once");
        words.dropped(2, new Dropped(ID, 3));
        says(words, "later");
        assertThat(asked).hasSize(2);
        asked.getLast().run();
        assertThat(said).containsExactly("at once", "later");
    }

    @Test
    void what_an_earlier_start_of_the_former_home_has_handled_does_not_count() {
        words.linked(new NodeStart(2, 1));
        words.arrived(ID, List.of(new Former(2, 3)));
        asked.getFirst().run();
        words.linked(new NodeStart(2, 2));
        says(words, "to the new start");
        assertThat(said).isEmpty();
        asked.getLast().run();
        assertThat(said).containsExactly("to the new start");
    }

    @Test
    void what_was_asked_of_an_earlier_start_is_asked_anew() {
        says(words, "last word");
        words.linked(new NodeStart(2, 1));
        words.linked(new NodeStart(2, 2));
        words.linked(new NodeStart(2, 2));
        assertThat(asked).hasSize(3);
        asked.get(0).run();
        asked.get(1).run();
        assertThat(said).isEmpty();
        asked.get(2).run();
        assertThat(said).containsExactly("last word");
        asked.get(1).run();
        assertThat(said).hasSize(1);
    }

    @Test
    void without_the_rule_a_start_is_told_what_was_meant_for_the_one_before() {
        LastWords without = new LastWords(ways, Rules.without(Rule.LAST_WORD_TO_THIS_START));
        without.linked(new NodeStart(2, 1));
        says(without, "last word");
        without.linked(new NodeStart(2, 2));
        asked.getFirst().run();
        assertThat(said).containsExactly("last word");
    }
}

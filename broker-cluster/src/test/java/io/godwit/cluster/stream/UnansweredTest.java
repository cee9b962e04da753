package io.godwit.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.shard.LoneShard;
import io.godwit.core.store.MemoryStore;
import org.junit.jupiter.api.Test;

class UnansweredTest {
    private static final TopicFilter GROUP = TopicFilter.of("$share/g/a");
    private static final int TAKER = 5;

    private int answersAsked;

    private final Unanswered unanswered =
            new Unanswered(
                    new NodeStart(2, 1),
                    1,
                    (slot, work) -> {},
                    new FullTargets(new LoneShard(new MemoryStore()), target -> false, () -> {}),
                    () -> answersAsked++);

    private Answers told() {
        return unanswered.answers(2);
    }

    @Test
    void what_a_group_gives_back_is_told_by_each_link_until_the_sender_has_heard() {
        unanswered.open(0, 0);
        Unanswered.Slot other = unanswered.add(1, 2);
        Unanswered.Slot slot = unanswered.add(2, 2);
        slot.giveBack(GROUP, TAKER);
        assertThat(answersAsked).isEqualTo(1);
        Answers.GivenBack back = new Answers.GivenBack(2, TAKER, GROUP);
        assertThat(told().givenBack).containsExactly(back);
        assertThat(told().givenBack).isEmpty();
        unanswered.open(0, 2);
        assertThat(told().givenBack).as("the former link may have lost it").containsExactly(back);
        unanswered.handled(other);
        unanswered.handled(slot);
        unanswered.forgetTold(2);
        unanswered.open(2, 2);
        assertThat(told().givenBack).isEmpty();
    }
}

package io.godwit.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.store.MemoryStore;
import io.godwit.core.store.Store;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** In which order a turn's work leaves its shard. */
class TurnOrderTest {
    private final Store store = new MemoryStore();
    private final LoneShard shard = new LoneShard(0, store);
    private final LoneShard other = new LoneShard(1, store);
    private final List<Long> underWay = new ArrayList<>();

    @BeforeEach
    void connect() {
        LoopShard[] both = {shard, other};
        shard.connect(both);
        other.connect(both);
    }

    private static Mail mail() {
        return new Mail() {
            @Override
            protected boolean handle(Shard at, int from) {
                return true;
            }
        };
    }

    private void notesWhatIsUnderWay() {
        underWay.add(other.mailboxDepth());
    }

    /**
     * Otherwise who reads a SUBACK may publish by way of a third shard before the group hears that
     * its member is online.
     */
    @Test
    void mail_is_posted_before_bytes_are_flushed() {
        shard.enter();
        shard.atTurnEnd(this::notesWhatIsUnderWay);
        shard.send(1, mail());
        shard.onTurnEnd();
        assertThat(underWay).containsExactly(1L);
    }

    /** Who is answered sends more, and what it has sent before should be with the others first. */
    @Test
    void who_gets_answers_alone_is_flushed_last() {
        List<String> flushed = new ArrayList<>();
        shard.enter();
        shard.answerAtTurnEnd(() -> flushed.add("publisher"));
        shard.atTurnEnd(() -> {
            flushed.add("subscriber");
            shard.atTurnEnd(() -> flushed.add("what a flush has brought"));
        });
        shard.answerAtTurnEnd(() -> flushed.add("another publisher"));
        shard.onTurnEnd();
        assertThat(flushed)
                .containsExactly(
                        "subscriber", "what a flush has brought", "publisher", "another publisher");
        assertThat(shard.turns().endsMost()).isEqualTo(4);
    }

    @Test
    void mail_of_a_flush_is_posted_in_the_same_turn() {
        shard.enter();
        shard.atTurnEnd(() -> shard.send(1, mail()));
        shard.onTurnEnd();
        assertThat(other.mailboxDepth()).isEqualTo(1);
    }

    @Test
    void mail_is_posted_before_what_was_gathered_is_flushed() {
        shard.enter();
        shard.flushGathered(this::notesWhatIsUnderWay);
        shard.send(1, mail());
        shard.onTurnEnd();
        assertThat(underWay).containsExactly(1L);
    }
}

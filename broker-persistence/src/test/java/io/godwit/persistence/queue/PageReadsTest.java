package io.godwit.persistence.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.RowRead;
import io.godwit.persistence.disk.SimulatedDisk;
import io.godwit.persistence.health.StoreCounts;
import io.godwit.persistence.health.StoreDamage;
import io.godwit.persistence.reading.LargePayloads;
import io.godwit.persistence.reading.PageReader;
import io.godwit.persistence.reading.PageReads;
import io.godwit.persistence.work.Worker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PageReadsTest {
    private static final class Steps extends ArrayDeque<Runnable> implements Worker {
        private static final long serialVersionUID = 1L;

        @Override
        public void execute(Runnable task) {
            add(task);
        }

        @Override
        public void schedule(Runnable task, long delayNanos) {
            throw new UnsupportedOperationException();
        }

        void step() {
            remove().run();
        }
    }

    private static final class Page extends RowRead {
        final String name;

        Page(long queueId, String name) {
            super(queueId, Section.IDLE, HybridId.NONE, HybridId.MAX, 10, 1000);
            this.name = name;
        }

        @Override
        public void row(
                long messageId,
                int qos,
                boolean retain,
                int[] ids,
                @Nullable Message message,
                int packetId,
                @Nullable Object note) {}

        @Override
        public void marker(long messageId, int packetId) {}

        @Override
        public void onRead(@Nullable Throwable failure) {}
    }

    private final Steps first = new Steps();
    private final Steps second = new Steps();
    private final PageReads reads = new PageReads();
    private final List<String> told = new ArrayList<>();

    /** While a page is read, before it is handed on. */
    private Runnable during = () -> {};

    private final CommitOutcome outcome =
            new CommitOutcome() {
                @Override
                public void onCommitted(long commit) {}

                @Override
                public void onFailed(long commit, Throwable cause) {}

                @Override
                public void onRows(QueuedMessage[] entries) {}

                @Override
                public void onRead(RowRead read, @Nullable Throwable failure) {
                    assertThat(failure).isNull();
                    during.run();
                    told.add(((Page) read).name);
                }
            };

    PageReadsTest() {
        SimulatedDisk disk = new SimulatedDisk();
        StoreCounts counts = new StoreCounts();
        StoreDamage damage = new StoreDamage();
        Depths depths = new Depths(disk, counts, damage, new QueueLeaders());
        DeferredRows deferred = new DeferredRows();
        RowRemovals removals =
                new RowRemovals(new RowLookup(disk, depths, damage), deferred, reads::after);
        reads.start(
                List.of(first, second),
                () ->
                        new PageReader(
                                disk,
                                depths,
                                removals,
                                deferred,
                                counts,
                                damage,
                                new LargePayloads(disk)));
    }

    private void ask(long queue, String name) {
        reads.read(outcome, new Page(queue, name));
    }

    @Test
    void queues_take_turns_and_one_with_many_pages_does_not_go_first() {
        for (int i = 0; i < 3; i++) {
            ask(1, "1-" + i);
        }
        ask(2, "2");
        ask(3, "3");
        assertThat(reads.isAsked()).isTrue();
        while (!first.isEmpty()) {
            first.step();
        }
        assertThat(told).containsExactly("1-0", "2", "3", "1-1", "1-2");
        second.step(); // was asked for and finds nothing left
        assertThat(reads.isAsked()).isFalse();
        ask(4, "4");
        first.step();
        assertThat(told).endsWith("4");
        assertThat(first).isEmpty();
        assertThat(second).isEmpty();
    }

    @Test
    void a_page_that_takes_long_leaves_others_their_turn_but_not_those_of_its_queue() {
        ask(1, "slow");
        ask(1, "behind it");
        ask(2, "other");
        during =
                () -> {
                    during = () -> {};
                    while (!second.isEmpty()) {
                        second.step();
                    }
                    assertThat(told).containsExactly("other");
                };
        first.step();
        while (!first.isEmpty()) {
            first.step();
        }
        assertThat(told).containsExactly("other", "slow", "behind it");
    }

    @Test
    void what_waits_for_pages_under_way_waits_for_no_others() {
        reads.after(() -> told.add("nobody reads"));
        ask(1, "1");
        ask(2, "2");
        during =
                () -> {
                    during = () -> {};
                    reads.after(() -> told.add("after 1"));
                    second.step();
                };
        first.step();
        assertThat(told).containsExactly("nobody reads", "2", "1", "after 1");
    }
}

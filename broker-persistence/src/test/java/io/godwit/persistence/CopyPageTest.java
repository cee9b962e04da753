package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.message.Remembered;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.RowRead;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.StoreFixture.Page;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages for another node's copy: rows, and what the window says of them. */
class CopyPageTest {
    private static final long MUCH = Long.MAX_VALUE;

    private final StoreFixture store = new StoreFixture();

    private static class Told implements CopyPage.Reader {
        private final boolean wantsRemembered;
        @Nullable CopyPage page;
        @Nullable Throwable failure;

        Told() {
            this(true);
        }

        Told(boolean wantsRemembered) {
            this.wantsRemembered = wantsRemembered;
        }

        @Override
        public boolean wantsRemembered() {
            return wantsRemembered;
        }

        @Override
        public void onPage(CopyPage told) {
            page = told;
        }

        @Override
        public void onFailed(Throwable cause) {
            failure = cause;
        }
    }

    private CopyPage page(HybridId above, int messages, long bytes) {
        return page(above, messages, bytes, new Told());
    }

    private CopyPage page(HybridId above, int messages, long bytes, Told told) {
        store.store.readCopy(queue(1), above, messages, bytes, told);
        while (told.page == null && told.failure == null && store.time.step()) {}
        if (told.page == null) {
            throw new AssertionError("no page", told.failure);
        }
        return told.page;
    }

    private static HybridId id(Entry entry) {
        return new HybridId(entry.messageId, 7);
    }

    private static String text(CopyPage.Entry entry) {
        Message message = entry.message();
        String text = message == null ? "-" : new String(message.payload, StandardCharsets.UTF_8);
        return text + " " + entry.status() + " " + entry.packetId();
    }

    @Test
    void rows_that_the_window_has_removed_are_gone_and_covered() {
        Entry a = store.append(0, queue(1), store.message("a"));
        Entry b = store.append(0, queue(1), store.message("b", 2, Message.NEVER));
        Entry c = store.append(0, queue(1), store.message("c", 2, Message.NEVER));
        store.commit();
        store.materialise();
        store.shard(0).remove(a);
        b.packetId = 5;
        store.shard(0).inFlight(b);
        c.packetId = 6;
        store.shard(0).inFlight(c);
        c.message = null;
        store.shard(0).released(c);
        Entry d = store.append(0, queue(1), store.message("d"));
        store.commit();

        CopyPage page = page(HybridId.NONE, 100, MUCH);

        assertThat(page.entries())
                .extracting(CopyPageTest::text)
                .containsExactly("b IN_FLIGHT 5", "- RELEASED 6", "d IDLE 0");
        assertThat(page.entries().get(1).ingressCounter()).isEqualTo(c.ingressCounter());
        assertThat(page.upTo()).isEqualTo(id(d));
        assertThat(page.isLast()).isTrue();
        assertThat(page.coverage().covers(a.messageId, 7)).isTrue();
        // Rows alone still show it.
        Page rows = store.read(queue(1), RowRead.Section.IDLE);
        assertThat(rows.entries).extracting(Entry::text).contains("a");
    }

    @Test
    void a_page_is_as_long_as_was_asked_and_says_nothing_of_what_is_behind() {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            entries.add(store.append(0, queue(1), store.message("m" + i)));
            if (i == 4) {
                store.commit();
                store.materialise();
            }
        }
        store.commit();

        CopyPage first = page(HybridId.NONE, 4, MUCH);
        CopyPage second = page(first.upTo(), 100, entries.get(0).bytes * 3L);
        CopyPage third = page(second.upTo(), 100, MUCH);

        assertThat(first.entries()).hasSize(4);
        assertThat(first.isLast()).isFalse();
        assertThat(first.upTo()).isEqualTo(id(entries.get(3)));
        assertThat(first.coverage().covers(entries.get(3).messageId, 7)).isTrue();
        assertThat(first.coverage().covers(entries.get(4).messageId, 7)).isFalse();
        assertThat(second.entries()).hasSize(3);
        assertThat(second.above()).isEqualTo(first.upTo());
        assertThat(second.coverage().covers(entries.get(3).messageId, 7)).isFalse();
        assertThat(third.entries()).hasSize(3);
        assertThat(third.isLast()).isTrue();
    }

    /** A session that moves has told it before: else its client waits until all of it has come. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_the_queue_remembers_takes_no_page_where_nobody_wants_it(boolean areRows) {
        for (int i = 0; i < 20; i++) {
            Entry each = store.append(0, queue(1), store.message("m" + i, 2, Message.NEVER));
            store.remember(0, each);
            store.shard(0).remove(each);
        }
        Entry last = store.append(0, queue(1), store.message("last"));
        store.commit();
        if (areRows) {
            store.materialise();
        }
        assertThat(page(HybridId.NONE, 5, MUCH).entries()).isEmpty();

        CopyPage page = page(HybridId.NONE, 5, MUCH, new Told(false));

        assertThat(page.entries()).extracting(CopyPageTest::text).containsExactly("last IDLE 0");
        assertThat(page.remembered()).isEmpty();
        assertThat(page.upTo()).isEqualTo(id(last));
        assertThat(page.isLast()).isTrue();
    }

    /** A change of rows that could not be read waits behind the window until they can be. */
    @Test
    void has_what_is_to_become_of_rows_that_could_not_be_read() {
        store.connect(0, 1);
        Entry gone = store.append(0, queue(1), store.message("gone"));
        store.append(0, queue(1), store.message("stays"));
        store.shard(0).putMarker(queue(1), 5, 9, 3, 7, 12);
        store.shard(0).putMarker(queue(1), 6, 9, 4, 7, 13);
        store.commit();
        store.materialise();
        store.disk.unreadable.add(queue(1));
        store.shard(0).removeRow(queue(1), gone.messageId, gone.server);
        store.shard(0).removeMarker(queue(1), 5, 9);
        store.shard(0).putMarker(queue(1), 6, 9, 8, 7, 13);
        store.commit();
        store.materialise();
        store.disk.unreadable.clear();

        CopyPage page = page(HybridId.NONE, 100, MUCH);

        assertThat(page.entries())
                .extracting(CopyPageTest::text)
                .containsExactly("- GOT 8", "stays IDLE 0");
    }

    @Test
    void has_what_the_queue_remembers_and_what_its_session_has_got_of_groups() {
        Entry a = store.append(0, queue(1), store.message("a", 2, Message.NEVER));
        Remembered ofA = store.remember(0, a);
        Entry b = store.append(0, queue(1), store.message("b", 2, Message.NEVER));
        store.remember(0, b);
        store.shard(0).putMarker(queue(1), 5, 9, 3, 7, 12);
        store.commit();
        store.materialise();
        store.shard(0).remove(b);
        Entry c = store.append(0, queue(1), store.message("c", 2, Message.NEVER));
        store.remember(0, c);
        store.shard(0).forget(ofA);
        store.shard(0).putMarker(queue(1), 6, 9, 4, 7, 13);
        store.commit();

        CopyPage page = page(HybridId.NONE, 100, MUCH);

        assertThat(page.entries())
                .extracting(CopyPageTest::text)
                .containsExactly("- GOT 3", "- GOT 4", "a IDLE 0", "c IDLE 0");
        assertThat(page.entries().getFirst().ingressCounter()).isEqualTo(12);
        assertThat(page.remembered())
                .extracting(each -> each.id(), each -> each.ingress().counter())
                .containsExactly(
                        tuple(id(b), b.ingressCounter()), tuple(id(c), c.ingressCounter()));
        store.shard(0).removeMarker(queue(1), 5, 9);
        store.shard(0).removeMarker(queue(1), 6, 9);
        store.commit();
        assertThat(page(HybridId.NONE, 100, MUCH).entries()).hasSize(2);
        store.materialise();
        assertThat(page(HybridId.NONE, 100, MUCH).entries()).hasSize(2);
    }

    @Test
    void a_page_ends_where_it_has_enough_of_what_is_remembered() {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Entry entry = store.append(0, queue(1), store.message("m" + i, 2, Message.NEVER));
            store.remember(0, entry);
            entries.add(entry);
            if (i == 4) {
                store.commit();
                store.materialise();
            }
        }
        store.commit();
        for (int i = 0; i < 9; i++) {
            store.shard(0).remove(entries.get(i));
        }
        store.commit();

        List<Long> counters = new ArrayList<>();
        int messages = 0;
        HybridId above = HybridId.NONE;
        CopyPage page;
        do {
            page = page(above, 3, MUCH);
            assertThat(page.remembered()).hasSizeLessThanOrEqualTo(3);
            page.remembered().forEach(each -> counters.add(each.ingress().counter()));
            messages += page.entries().size();
            assertThat(page.above()).isEqualTo(above);
            above = page.upTo();
        } while (!page.isLast());
        assertThat(counters)
                .isEqualTo(entries.stream().map(each -> each.ingressCounter()).toList());
        assertThat(messages).isEqualTo(1);
        assertThat(above).isEqualTo(id(entries.getLast()));
    }

    @Test
    void pages_that_shards_wait_for_go_first() {
        store.append(0, queue(1), store.message("a"));
        store.commit();
        store.materialise();
        List<String> order = new ArrayList<>();
        Told told =
                new Told() {
                    @Override
                    public void onPage(CopyPage page) {
                        order.add("copy");
                        super.onPage(page);
                    }
                };
        store.store.readCopy(queue(1), HybridId.NONE, 10, MUCH, told);
        Page[] pages = new Page[3];
        for (int i = 0; i < pages.length; i++) {
            pages[i] =
                    new Page(queue(1), RowRead.Section.IDLE, HybridId.NONE, 10) {
                        @Override
                        public void onRead(@Nullable Throwable cause) {
                            order.add("shard");
                            super.onRead(cause);
                        }
                    };
        }
        // The copy's page stands first with the read worker.
        store.time.worker.execute(
                () -> store.time.worker.execute(() -> store.shard(0).read(pages[0])));
        store.shard(0).read(pages[1]);
        store.shard(0).read(pages[2]);
        while (order.size() < 4 && store.time.step()) {}

        assertThat(order).containsExactly("shard", "shard", "shard", "copy");
    }

    @Test
    void whoever_asks_when_the_store_closes_hears_of_it() {
        Told waits = new Told();
        Told late = new Told();
        store.append(0, queue(1), store.message("a"));
        store.commit();
        store.store.readCopy(queue(1), HybridId.NONE, 10, MUCH, waits);
        store.store.close();
        store.store.readCopy(queue(1), HybridId.NONE, 10, MUCH, late);
        store.time.pass(100);

        assertThat(waits.failure).isNotNull();
        assertThat(late.failure).isNotNull();
    }

    @Test
    void a_page_that_nobody_has_read_yet_keeps_no_real_store_open(@TempDir Path folder)
            throws Exception {
        Told read = new Told();
        Told opened = new Told();
        try (SmallStore real = new SmallStore(folder)) {
            real.session(1);
            for (int i = 0; i < 10; i++) {
                real.append(1, real.message("m" + i));
            }
            real.materialise();
            real.append(1, real.message("in the window"));
            real.commit();
            real.store.readCopy(SmallStore.queue(1), HybridId.NONE, 100, MUCH, read);
            while (read.page == null && real.time.step()) {}
            real.store.readCopy(SmallStore.queue(1), HybridId.NONE, 100, MUCH, opened);
            // The commit worker, then the row worker, which opens it.
            real.time.step();
            real.time.step();
        }
        assertThat(read.page).isNotNull();
        assertThat(read.page.entries()).hasSize(11);
        assertThat(opened.page).isNull();
        assertThat(opened.failure).hasMessage("closed");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void pages_hold_what_the_queue_holds_and_cover_what_is_gone(long seed) {
        Random random = new Random(seed);
        TreeMap<HybridId, Entry> alive = new TreeMap<>();
        TreeMap<HybridId, Boolean> ever = new TreeMap<>();
        HybridId above = HybridId.NONE;
        for (int step = 0; step < 400; step++) {
            work(random, alive, ever);
            if (random.nextInt(3) == 0) {
                store.commit();
            }
            if (random.nextInt(15) == 0) {
                store.time.pass(random.nextInt(3_000));
            }
            if (random.nextInt(10) == 0) {
                store.commit();
                CopyPage page = page(above, 1 + random.nextInt(20), MUCH);
                check(page, alive, ever);
                above = page.isLast() ? HybridId.NONE : page.upTo();
            }
        }
    }

    private void work(
            Random random, TreeMap<HybridId, Entry> alive, TreeMap<HybridId, Boolean> ever) {
        int what = random.nextInt(10);
        if (what < 5 || alive.isEmpty()) {
            String text = "m".repeat(1 + random.nextInt(5_000));
            Entry entry = store.append(0, queue(1), store.message(text, 2, Message.NEVER));
            alive.put(id(entry), entry);
            // One that is removed before it is written is never known.
            store.commit();
            ever.put(id(entry), true);
            return;
        }
        List<Entry> all = List.copyOf(alive.values());
        Entry entry = all.get(random.nextInt(all.size()));
        if (what < 7 && entry.message != null) {
            entry.packetId = 1 + random.nextInt(100);
            store.shard(0).inFlight(entry);
        } else if (what < 8 && entry.packetId != 0) {
            entry.message = null;
            store.shard(0).released(entry);
        } else if (what < 10) {
            store.shard(0).remove(entry);
            alive.remove(id(entry));
        }
    }

    private static void check(
            CopyPage page, TreeMap<HybridId, Entry> alive, TreeMap<HybridId, Boolean> ever) {
        List<String> expected = new ArrayList<>();
        alive.subMap(page.above(), false, page.upTo(), true)
                .forEach((id, entry) -> {
                    CopyPage.Status status =
                            entry.packetId == 0
                                    ? CopyPage.Status.IDLE
                                    : entry.message == null
                                            ? CopyPage.Status.RELEASED
                                            : CopyPage.Status.IN_FLIGHT;
                    expected.add(id + " " + entry.text() + " " + status + " " + entry.packetId);
                });
        assertThat(page.entries())
                .extracting(each -> each.id() + " " + text(each))
                .isEqualTo(expected);
        ever.forEach((id, any) -> {
            boolean within = page.above().compareTo(id) < 0 && id.compareTo(page.upTo()) <= 0;
            assertThat(page.coverage().covers(id.clock(), id.server())).isEqualTo(within);
        });
        if (page.isLast() && !alive.isEmpty()) {
            assertThat(page.upTo()).isGreaterThanOrEqualTo(alive.lastKey());
        }
    }
}

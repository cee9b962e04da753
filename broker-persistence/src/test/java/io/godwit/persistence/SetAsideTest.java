package io.godwit.persistence;

import static io.godwit.persistence.LookedAt.LARGE;
import static io.godwit.persistence.LookedAt.contents;
import static io.godwit.persistence.LookedAt.files;
import static io.godwit.persistence.LookedAt.flip;
import static io.godwit.persistence.LookedAt.killed;
import static io.godwit.persistence.LookedAt.texts;
import static io.godwit.persistence.LookedAt.verify;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.files.FileJournal;
import io.godwit.persistence.inspect.SetAside;
import io.godwit.persistence.inspect.StoreView;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SetAsideTest {
    @TempDir Path temp;

    @Test
    void of_a_damaged_journal_everything_that_can_be_read_is_kept() throws Exception {
        Path store = journalOnly();
        List<Path> segments = files(store.resolve(FileJournal.FOLDER), ".segment");
        assertThat(segments).hasSizeGreaterThan(4);
        flip(segments.get(2), 30_000);
        assertThatThrownBy(() -> new SmallStore(store))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("set-aside");
        assertThat(verify(store)).anyMatch(each -> each.contains("the journal is damaged"));
        // One record can't be read: those behind it can.
        int readable = texts(store, 1).size();
        assertThat(readable).isEqualTo(99);

        Path aside = temp.resolve("aside");
        TreeMap<String, Integer> before = contents(store);
        SetAside.Outcome outcome = SetAside.run(store, aside, 5);

        assertThat(contents(aside)).isEqualTo(before);
        assertThat(outcome.floorsAreLost()).isFalse();
        assertThat(outcome.givenUp())
                .singleElement()
                .asString()
                .contains("the journal is damaged", "where the record of position");
        assertThat(verify(store)).isEmpty();
        assertThat(texts(store, 1)).hasSize(readable);
        try (SmallStore started = new SmallStore(store)) {
            assertThat(started.texts(1)).hasSize(readable).first().isEqualTo("0" + LARGE);
            started.append(1, started.message("new"));
            started.materialise();
            assertThat(started.texts(1)).hasSize(readable + 1).last().isEqualTo("new");
        }
        assertThat(verify(store)).isEmpty();
    }

    @Test
    void of_a_damaged_table_what_lies_around_the_damage_is_kept() throws Exception {
        Path live = temp.resolve("live");
        Path store;
        try (SmallStore made = new SmallStore(live)) {
            for (int queue = 1; queue <= 20; queue++) {
                made.session(queue);
                for (int i = 0; i < 20; i++) {
                    byte[] noise = new byte[200];
                    new Random(queue * 100 + i).nextBytes(noise);
                    made.append(queue, made.message(i + Arrays.toString(noise)));
                }
            }
            made.materialise();
            made.append(20, made.message("journal only"));
            made.commit();
            store = made.killed(temp.resolve("killed"));
        }
        Path table = null;
        for (Path each : files(store, ".sst")) {
            table = table == null || Files.size(each) > Files.size(table) ? each : table;
        }
        assertThat(table).isNotNull();
        flip(table, Files.size(table) / 2);
        assertThat(verify(store)).isNotEmpty();

        SetAside.Outcome outcome = SetAside.run(store, temp.resolve("aside"), 5);

        assertThat(outcome.givenUp())
                .anyMatch(each -> each.contains("entries of the queues 00000700000000"));
        assertThat(verify(store)).isEmpty();
        int kept = 0;
        try (SmallStore started = new SmallStore(store)) {
            assertThat(started.recovered.sessions).hasSize(20);
            for (int queue = 1; queue <= 20; queue++) {
                kept += started.texts(queue).size();
            }
            assertThat(started.texts(1)).hasSize(20);
            assertThat(started.texts(20)).hasSize(21).last().isEqualTo("journal only");
        }
        assertThat(kept).isBetween(300, 400);
    }

    @Test
    void a_damaged_first_block_leaves_what_other_tables_have() throws Exception {
        Path store;
        try (SmallStore made = new SmallStore(temp.resolve("live"))) {
            made.session(1);
            made.session(2);
            made.append(1, made.message("one"));
            made.materialise();
            made.append(2, made.message("two and more"));
            made.materialise();
            store = made.killed(temp.resolve("killed"));
        }
        // The newest table of queues holds one block: queue 2.
        Path damaged = null;
        try (StoreView view = StoreView.open(store)) {
            for (var each : view.rocks().tables()) {
                if (each.family() == Family.QUEUES
                        && Keys.rowQueue(each.smallest()) == SmallStore.queue(2)) {
                    damaged = store.resolve(each.name());
                }
            }
        }
        assertThat(damaged).isNotNull();
        flip(damaged, 10);

        SetAside.Outcome outcome = SetAside.run(store, temp.resolve("aside"), 5);

        assertThat(outcome.givenUp()).hasSize(1);
        assertThat(verify(store)).isEmpty();
        assertThat(texts(store, 1)).containsExactly("idle 0 one");
        assertThat(texts(store, 2)).isEmpty();
    }

    @Test
    void of_a_table_that_nobody_can_open_the_other_families_are_kept() throws Exception {
        Path store = killed(temp);
        Path damaged = null;
        try (StoreView view = StoreView.open(store)) {
            for (var each : view.rocks().tables()) {
                damaged = each.family() == Family.PAYLOADS ? store.resolve(each.name()) : damaged;
            }
        }
        assertThat(damaged).isNotNull();
        flip(damaged, Files.size(damaged) - 30);

        SetAside.Outcome outcome = SetAside.run(store, temp.resolve("aside"), 5);

        assertThat(outcome.givenUp())
                .anyMatch(each -> each.contains("can't be read at all"))
                .contains("queue 0000070000000001: 1 messages whose payload can't be read")
                .contains("queue 0000070000000002: 1 messages whose payload can't be read");
        assertThat(verify(store)).isEmpty();
        assertThat(texts(store, 2)).containsExactly("idle 0 journal only");
        assertThat(texts(store, 1))
                .containsExactly("in-flight 4 two", "released 6 -", "idle 0 expires");
    }

    @Test
    void of_a_store_without_its_list_of_files_nothing_is_moved() throws Exception {
        Path store = killed(temp);
        Files.delete(store.resolve("CURRENT"));
        TreeMap<String, Integer> before = contents(store);

        assertThatThrownBy(() -> SetAside.run(store, temp.resolve("aside"), 5))
                .isInstanceOf(StoreUnusable.class);

        assertThat(contents(store)).isEqualTo(before);
        assertThat(temp.resolve("aside")).doesNotExist();
    }

    @Test
    void an_attempt_that_was_cut_between_its_moves_is_known_and_ended() throws Exception {
        Path store = killed(temp);
        Files.move(store, temp.resolve("killed.readable"));
        assertThat(SetAside.isCut(store)).isTrue();

        SetAside.finish(store);

        assertThat(SetAside.isCut(store)).isFalse();
        assertThat(verify(store)).isEmpty();
    }

    @Test
    void what_the_journal_alone_proves_of_messages_that_are_gone_is_kept() throws Exception {
        Path store;
        StoreFixture.Entry gone;
        try (SmallStore made = new SmallStore(temp.resolve("live"))) {
            made.session(1);
            gone = made.append(1, made.message("gone"));
            made.commit();
            made.ops().remove(gone);
            made.append(1, made.message("kept"));
            made.materialise();
            store = made.killed(temp.resolve("killed"));
        }

        SetAside.Outcome outcome = SetAside.run(store, temp.resolve("aside"), 5);

        assertThat(outcome.givenUp()).isEmpty();
        try (SmallStore started = new SmallStore(store)) {
            assertThat(started.texts(1)).containsExactly("kept");
            assertThat(started.store.coverage(SmallStore.queue(1)).covers(gone.messageId, 7))
                    .isTrue();
        }
    }

    /** 40 commits in several segments, all of them in the journal alone. */
    private Path journalOnly() throws Exception {
        try (SmallStore store = new SmallStore(temp.resolve("live"))) {
            store.session(1);
            for (int i = 0; i < 100; i++) {
                store.append(1, store.message(i + LARGE));
                store.commit();
            }
            return store.killed(temp.resolve("killed"));
        }
    }
}

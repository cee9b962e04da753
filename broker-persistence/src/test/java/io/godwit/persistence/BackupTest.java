package io.godwit.persistence;

import static io.godwit.persistence.LookedAt.LARGE;
import static io.godwit.persistence.LookedAt.verify;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.files.FileJournal;
import io.godwit.persistence.inspect.StoreBackup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupTest {
    @TempDir Path temp;

    @Test
    void a_copy_of_an_open_store_is_a_store() throws Exception {
        try (SmallStore store = new SmallStore(temp.resolve("live"))) {
            store.session(1);
            for (int i = 0; i < 50; i++) {
                store.append(1, store.message(i + LARGE));
                if (i == 20) {
                    store.materialise();
                }
                store.commit();
            }
            Path copy = temp.resolve("copy");
            assertThat(StoreBackup.take(open(store), copy)).isPositive();
            assertThatThrownBy(() -> StoreBackup.take(open(store), copy))
                    .hasMessageContaining("is there already");
            store.append(1, store.message("later"));
            store.materialise();

            assertThat(verify(copy)).isEmpty();
            Path restored = temp.resolve("restored");
            StoreBackup.restore(copy, restored);
            try (SmallStore started = new SmallStore(restored)) {
                assertThat(started.texts(1)).hasSize(50).last().isEqualTo("49" + LARGE);
            }
            assertThat(verify(restored)).isEmpty();
            assertThat(store.texts(1)).hasSize(51);
        }
    }

    private static StoreBackup.Source open(SmallStore store) {
        return StoreBackup.of(store.disk, store.journal);
    }

    @Test
    void a_copy_has_everything_though_rows_come_and_records_go_between_its_steps()
            throws Exception {
        Path copy = temp.resolve("copy");
        List<String> before = new ArrayList<>();
        List<String> all = new ArrayList<>();
        try (SmallStore store = new SmallStore(temp.resolve("live"))) {
            store.session(1);
            load(store, all);
            before.addAll(all);
            StoreBackup.Source open = open(store);
            StoreBackup.take(
                    new StoreBackup.Source() {
                        @Override
                        public long copyJournal(Path folder) throws DiskFailure {
                            load(store, all);
                            long last = open.copyJournal(folder);
                            load(store, all);
                            return last;
                        }

                        @Override
                        public void copyRows(Path folder) throws DiskFailure {
                            load(store, all);
                            open.copyRows(folder);
                            load(store, all);
                        }
                    },
                    copy);
        }
        assertThat(verify(copy)).isEmpty();
        try (SmallStore started = new SmallStore(copy)) {
            List<String> texts = started.texts(1);
            assertThat(texts).startsWith(before.toArray(String[]::new));
            assertThat(all).startsWith(texts.toArray(String[]::new));
        }
    }

    /** Acknowledged: as rows that the journal was released of, and in the journal alone. */
    private static void load(SmallStore store, List<String> written) {
        for (int i = 0; i < 2; i++) {
            String text = "message " + written.size();
            store.append(1, store.message(text));
            written.add(text);
            store.commit();
            if (i == 0) {
                store.store.endWindow();
                store.time.pass(12_000); // nobody writes: it is flushed, and the journal released
            }
        }
    }

    /** Rows are newer than the copied journal, and coverage is older than the rows. */
    @Test
    void a_copy_whose_rows_are_newer_than_their_coverage_starts() throws Exception {
        Path copy = temp.resolve("copy");
        StoreFixture.Entry removed;
        try (SmallStore store = new SmallStore(temp.resolve("live"))) {
            store.session(1);
            load(store, new ArrayList<>());
            removed = store.append(1, store.message("removed"));
            store.commit();
            store.ops().remove(removed);
            store.materialise();
            StoreBackup.Source open = open(store);
            StoreBackup.take(
                    new StoreBackup.Source() {
                        @Override
                        public long copyJournal(Path folder) throws DiskFailure {
                            return open.copyJournal(folder);
                        }

                        @Override
                        public void copyRows(Path folder) throws DiskFailure {
                            store.append(1, store.message("later"));
                            store.commit();
                            store.store.endWindow();
                            store.time.pass(2);
                            open.copyRows(folder);
                        }
                    },
                    copy);
        }
        assertThat(verify(copy)).isEmpty();
        try (SmallStore started = new SmallStore(copy)) {
            assertThat(started.texts(1)).containsExactly("message 0", "message 1", "later");
            assertThat(started.store.coverage(SmallStore.queue(1)).covers(removed.messageId, 7))
                    .isTrue();
        }
    }

    @Test
    void verify_names_commits_that_are_missing_between_rows_and_journal() throws Exception {
        Path copy = temp.resolve("rows first");
        try (SmallStore store = new SmallStore(temp.resolve("live"))) {
            store.session(1);
            load(store, new ArrayList<>());
            open(store).copyRows(copy);
            load(store, new ArrayList<>());
            load(store, new ArrayList<>());
            open(store).copyJournal(copy.resolve(FileJournal.FOLDER));
        }
        assertThat(verify(copy))
                .singleElement()
                .asString()
                .matches("the journal begins at position \\d+, but rows .* only up to \\d+");
    }

    @Test
    void copies_that_are_made_while_others_write_are_whole() throws Exception {
        List<String> written = new ArrayList<>();
        AtomicBoolean over = new AtomicBoolean();
        try (SmallStore store = new SmallStore(temp.resolve("live"))) {
            store.session(1);
            load(store, written);
            CompletableFuture<Void> writer =
                    CompletableFuture.runAsync(() -> {
                        while (!over.get() && written.size() < 900) {
                            load(store, written);
                        }
                    });
            try {
                for (int i = 0; i < 3; i++) {
                    StoreBackup.take(open(store), temp.resolve("copy" + i));
                }
            } finally {
                over.set(true);
                writer.join();
            }
        }
        for (int i = 0; i < 3; i++) {
            Path copy = temp.resolve("copy" + i);
            assertThat(verify(copy)).isEmpty();
            try (SmallStore started = new SmallStore(copy)) {
                List<String> texts = started.texts(1);
                assertThat(texts).startsWith("message 0", "message 1");
                assertThat(written).startsWith(texts.toArray(String[]::new));
            }
        }
    }

    @Test
    void a_copy_whose_rows_are_newer_than_any_record_starts() throws Exception {
        try (SmallStore store = new SmallStore(temp.resolve("live"))) {
            StoreBackup.take(open(store), temp.resolve("empty"));
            store.session(1);
            store.append(1, store.message("one"));
            store.materialise();
            StoreBackup.take(open(store), temp.resolve("copy"));
        }
        try (SmallStore started = new SmallStore(temp.resolve("empty"))) {
            assertThat(started.recovered.sessions).isEmpty();
        }
        try (SmallStore started = new SmallStore(temp.resolve("copy"))) {
            assertThat(started.texts(1)).containsExactly("one");
        }
    }
}

package io.godwit.persistence;

import static io.godwit.persistence.LookedAt.LARGE;
import static io.godwit.persistence.LookedAt.verify;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.inspect.StoreBackup;
import java.nio.file.Path;
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
            assertThat(StoreBackup.take(store.disk, store.journal, copy)).isPositive();
            assertThatThrownBy(() -> StoreBackup.take(store.disk, store.journal, copy))
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

    @Test
    void a_copy_whose_rows_are_newer_than_any_record_starts() throws Exception {
        try (SmallStore store = new SmallStore(temp.resolve("live"))) {
            StoreBackup.take(store.disk, store.journal, temp.resolve("empty"));
            store.session(1);
            store.append(1, store.message("one"));
            store.materialise();
            StoreBackup.take(store.disk, store.journal, temp.resolve("copy"));
        }
        try (SmallStore started = new SmallStore(temp.resolve("empty"))) {
            assertThat(started.recovered.sessions).isEmpty();
        }
        try (SmallStore started = new SmallStore(temp.resolve("copy"))) {
            assertThat(started.texts(1)).containsExactly("one");
        }
    }
}

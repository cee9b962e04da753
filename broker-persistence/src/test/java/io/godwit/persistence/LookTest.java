package io.godwit.persistence;

import static io.godwit.persistence.LookedAt.LARGE;
import static io.godwit.persistence.LookedAt.contents;
import static io.godwit.persistence.LookedAt.killed;
import static io.godwit.persistence.LookedAt.texts;
import static io.godwit.persistence.LookedAt.verify;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.ClientId;
import io.godwit.persistence.inspect.OpenedStore;
import io.godwit.persistence.inspect.QueuePurge;
import io.godwit.persistence.inspect.StoreSummary;
import io.godwit.persistence.inspect.StoreView;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LookTest {
    @TempDir Path temp;

    @Test
    void looking_shows_the_journal_too_and_changes_no_file() throws Exception {
        Path store = killed(temp);
        TreeMap<String, Integer> before = contents(store);

        assertThat(verify(store)).isEmpty();
        assertThat(texts(store, 2)).containsExactly("idle 0 " + LARGE, "idle 0 journal only");
        assertThat(texts(store, 1))
                .containsExactly(
                        "in-flight 4 two", "released 6 -", "idle 0 " + LARGE, "idle 0 expires");
        try (StoreView view = StoreView.open(store)) {
            List<StoreSummary.SessionLine> lines = new ArrayList<>();
            new StoreSummary(view.disk()).sessions(ClientId.of("c1"), lines::add);
            assertThat(lines).hasSize(1);
            assertThat(lines.getFirst().subscriptions()).isEqualTo(2);
            assertThat(lines.getFirst().inbound()).isEqualTo(1);
            assertThat(lines.getFirst().waiting().messages()).isEqualTo(4);
            assertThat(lines.getFirst().waiting().inFlight()).isEqualTo(2);
            assertThat(lines.getFirst().waiting().oldestMs())
                    .isBetween(StepWorkers.START_MS, StepWorkers.START_MS + 60_000);
            assertThat(new StoreSummary(view.disk()).groups().getFirst().waiting().messages())
                    .isEqualTo(1);
        }
        assertThat(contents(store)).isEqualTo(before);
    }

    @Test
    void a_purge_empties_one_queue_and_leaves_everything_else() throws Exception {
        Path store = killed(temp);
        try (OpenedStore opened = OpenedStore.open(store, StepWorkers.START_MS, 1)) {
            assertThat(new QueuePurge(opened.disk(), SmallStore.queue(1)).run()).isEqualTo(4);
            assertThat(new QueuePurge(opened.disk(), SmallStore.queue(9)).run()).isZero();
        }
        assertThat(verify(store)).isEmpty();
        assertThat(texts(store, 1)).isEmpty();
        assertThat(texts(store, 2)).containsExactly("idle 0 " + LARGE, "idle 0 journal only");
        assertThat(texts(store, 3)).containsExactly("in-flight 5 lent");
        try (SmallStore started = new SmallStore(store)) {
            assertThat(started.recovered.session(SmallStore.queue(1)).subscriptions()).hasSize(2);
        }
    }
}

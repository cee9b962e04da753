package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Recovery.KeptPredecessor;
import io.godwit.persistence.inspect.StoreVerify;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real store keeps of a queue besides its rows. */
class QueueRecordsTest {
    @TempDir Path folder;

    private static int setOf(SmallStore store, int number) {
        return Objects.requireNonNull(store.ops().handle(SmallStore.queue(number))).replicaSet;
    }

    @Test
    void a_queue_is_of_its_replica_set_after_a_start_from_rows_and_from_the_journal()
            throws Exception {
        Path killed = folder.resolve("killed");
        try (SmallStore store = new SmallStore(folder.resolve("a"))) {
            QueueHandle one = store.ops().handle(SmallStore.queue(1), 3);
            assertThat(Objects.requireNonNull(one).replicaSet).isEqualTo(3);
            store.session(1);
            store.session(2);
            store.materialise();
            store.ops().handle(SmallStore.queue(4), 7);
            store.session(4);
            store.commit();
            store.killed(killed);
        }
        try (SmallStore again = new SmallStore(killed)) {
            assertThat(setOf(again, 1)).as("in rows").isEqualTo(3);
            assertThat(setOf(again, 4)).as("in the journal").isEqualTo(7);
            assertThat(setOf(again, 2)).isZero();
            again.ops().removeSession(ClientId.of("c1"), SmallStore.queue(1), again.stamp());
            again.materialise();
            again.time.pass(1_000);
        }
        try (SmallStore again = new SmallStore(killed)) {
            assertThat(setOf(again, 1)).as("its session is gone").isZero();
            assertThat(setOf(again, 4)).isEqualTo(7);
        }
    }

    @Test
    void a_predecessor_is_told_with_its_rows_until_it_is_given_up() throws Exception {
        Path killed = folder.resolve("killed");
        Path later = folder.resolve("later");
        Message two;
        try (SmallStore store = new SmallStore(folder.resolve("a"))) {
            store.session(1);
            store.append(9, store.message("one"));
            two = store.message("two", 2, Message.NEVER);
            StoreFixture.Entry entry = store.append(9, two);
            store.ops()
                    .remember(
                            new Remembered(
                                    entry.queueId,
                                    entry.messageId,
                                    7,
                                    two.ingressServer,
                                    two.ingressCounter));
            store.append(1, store.message("its own"));
            store.ops().putPredecessor(SmallStore.queue(1), SmallStore.queue(9));
            store.commit();
            store.killed(killed);
        }
        try (SmallStore again = new SmallStore(killed)) {
            assertThat(again.recovered.sessions.keySet()).containsExactly(SmallStore.queue(1));
            KeptPredecessor before =
                    Objects.requireNonNull(
                            again.recovered.session(SmallStore.queue(1)).predecessor());
            assertThat(before.queue().queueId()).isEqualTo(SmallStore.queue(9));
            assertThat(before.queue().idle()).isEqualTo(2);
            assertThat(before.remembered())
                    .extracting(KeptIngress::ingress)
                    .extracting(each -> each.counter())
                    .containsExactly(two.ingressCounter);
            assertThat(again.texts(9)).containsExactly("one", "two");
            List<String> problems = new ArrayList<>();
            StoreVerify verify = new StoreVerify(again.disk, problems::add);
            verify.run();
            assertThat(problems).isEmpty();
            assertThat(verify.copies()).as("it has an owner").isZero();
            // Drained, and given up.
            again.ops().removeSession(ClientId.of("c1"), SmallStore.queue(9), again.stamp());
            again.commit();
            again.killed(later);
        }
        for (int start = 0; start < 2; start++) {
            try (SmallStore again = new SmallStore(later)) {
                assertThat(again.recovered.session(SmallStore.queue(1)).predecessor()).isNull();
                assertThat(again.texts(1)).containsExactly("its own");
                again.time.pass(1_000);
                assertThat(again.texts(9)).isEmpty();
            }
        }
    }
}

package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.CopySets;
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
        return Objects.requireNonNull(store.ops().handle(SmallStore.queue(number))).copySet;
    }

    @Test
    void a_queue_is_of_the_copy_set_of_its_client_id_also_after_a_start() throws Exception {
        Path killed = folder.resolve("killed");
        int ofFirst = CopySets.of(ClientId.of("c1"));
        int ofFourth = CopySets.of(ClientId.of("c4"));
        assertThat(ofFirst).isNotEqualTo(ofFourth).isPositive();
        try (SmallStore store = new SmallStore(folder.resolve("a"))) {
            store.session(1);
            store.materialise();
            assertThat(setOf(store, 1)).as("without copies").isZero();
            store.session(4);
            store.commit();
            store.killed(killed);
        }
        try (SmallStore again = SmallStore.divided(killed)) {
            assertThat(setOf(again, 1)).as("in rows").isEqualTo(ofFirst);
            assertThat(setOf(again, 4)).as("in the journal").isEqualTo(ofFourth);
            again.session(2);
            assertThat(setOf(again, 2)).as("new").isEqualTo(CopySets.of(ClientId.of("c2")));
        }
        try (SmallStore again = new SmallStore(killed)) {
            assertThat(setOf(again, 1)).as("without copies again").isZero();
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

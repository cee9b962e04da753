package io.godwit.persistence;

import static io.godwit.persistence.LookedAt.files;
import static io.godwit.persistence.LookedAt.flip;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.Inbound;
import io.godwit.persistence.files.StoreOwner;
import io.godwit.persistence.inspect.QueueAside;
import io.godwit.persistence.inspect.StoreVerify;
import io.godwit.persistence.inspect.StoreView;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One queue is looked at and taken away from its damage, at a cost that goes by this queue. */
class QueueAsideTest {
    private static final int QUEUES = 6;
    private static final int ROWS = 60;
    private static final int DAMAGED = 3;
    private static final long LATER = StepWorkers.START_MS + 1_000_000_000L;

    @TempDir Path temp;

    /** Rows of 400 bytes: some ten blocks a queue, and one of queue 3 is damaged. */
    private Path damaged() throws Exception {
        Path store;
        try (SmallStore made = new SmallStore(temp.resolve("live"))) {
            Random random = new Random(1);
            Message shared = made.message("x".repeat(5000));
            for (int queue = 1; queue <= QUEUES; queue++) {
                made.session(queue);
                made.subscribe(queue, "t/+");
                made.append(queue, shared);
                made.ops().putInbound(new Inbound(SmallStore.queue(queue), 9, 7, 70 + queue));
                for (int i = 0; i < ROWS; i++) {
                    byte[] noise = new byte[100];
                    random.nextBytes(noise);
                    long expiry = i % 10 == 0 ? LATER : Message.NEVER;
                    var entry =
                            made.append(
                                    queue,
                                    made.message(i + " " + Arrays.toString(noise), 1, expiry));
                    if (i == 1) {
                        made.commit();
                        entry.packetId = 5;
                        made.ops().inFlight(entry);
                    }
                }
            }
            made.materialise();
            made.append(DAMAGED, made.message("journal only"));
            made.commit();
            store = made.killed(temp.resolve("killed"));
        }
        StoreOwner.bind(store, 7);
        Path table = null;
        for (Path each : files(store, ".sst")) {
            table = table == null || Files.size(each) > Files.size(table) ? each : table;
        }
        flip(Objects.requireNonNull(table), (long) (Files.size(table) * (DAMAGED - 0.5) / QUEUES));
        return store;
    }

    private static List<String> verify(Path store, long queueId) throws Exception {
        List<String> problems = new ArrayList<>();
        try (StoreView view = StoreView.open(store)) {
            new StoreVerify(view.disk(), problems::add).run(queueId);
        }
        return problems;
    }

    @Test
    void one_queue_is_verified_by_itself() throws Exception {
        Path store = damaged();
        for (int queue = 1; queue <= QUEUES; queue++) {
            List<String> problems = verify(store, SmallStore.queue(queue));
            if (queue == DAMAGED) {
                assertThat(problems).anyMatch(each -> each.contains("block checksum mismatch"));
            } else {
                assertThat(problems).as("queue %d", queue).isEmpty();
            }
        }
    }

    @Test
    void what_can_be_read_of_one_queue_goes_on_under_another_id_and_the_rest_is_left_alone()
            throws Exception {
        Path store = damaged();
        QueueAside.Outcome whole =
                QueueAside.run(store, SmallStore.queue(1), StepWorkers.START_MS, 4711);
        assertThat(whole.queueId()).isEqualTo(SmallStore.queue(1));

        QueueAside.Outcome moved =
                QueueAside.run(store, SmallStore.queue(DAMAGED), StepWorkers.START_MS, 4711);

        assertThat(moved.queueId()).isNotEqualTo(SmallStore.queue(DAMAGED));
        assertThat(moved.messages()).isBetween(20L, ROWS + 1L);
        assertThat(moved.givenUp()).anyMatch(each -> each.contains("entries of the queues"));
        assertThat(verify(store, moved.queueId())).isEmpty();
        try (SmallStore started = new SmallStore(store)) {
            assertThat(started.recovered.sessions).hasSize(QUEUES);
            assertThat(started.recovered.sessions).doesNotContainKey(SmallStore.queue(DAMAGED));
            var session = started.recovered.session(moved.queueId());
            assertThat(session.clientId()).isEqualTo(ClientId.of("c" + DAMAGED));
            assertThat(session.subscriptions()).hasSize(1);
            assertThat(session.inbound())
                    .singleElement()
                    .satisfies(each ->
                            assertThat(new IngressId(each.ingressServer, each.ingressCounter))
                                    .isEqualTo(new IngressId(7, 70 + DAMAGED)));
            assertThat(started.textsOf(moved.queueId()))
                    .hasSize((int) moved.messages() - 1) // one is in flight
                    .first()
                    .isEqualTo("x".repeat(5000));
            assertThat(started.textsOf(moved.queueId())).last().isEqualTo("journal only");
            for (int queue = 1; queue <= QUEUES; queue++) {
                if (queue != DAMAGED) {
                    assertThat(started.texts(queue)).hasSize(ROWS);
                }
            }
            assertThat(started.store.damage()).isNotEmpty();
        }
    }

    @Test
    void a_store_of_nobody_is_left_alone() throws Exception {
        Path store = damaged();
        Files.delete(store.resolve("owner"));
        assertThatThrownBy(() ->
                        QueueAside.run(
                                store, SmallStore.queue(DAMAGED), StepWorkers.START_MS, 4711))
                .hasMessageContaining("has no owner yet");
    }
}

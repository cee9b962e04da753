package io.godwit.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PacketType;
import io.godwit.core.queue.WaitingPage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Removes messages from queues: they never reach the client, and all others do, in order. */
class QueueRemovalTest extends QueueFixture {
    private QueueDirectory directory() {
        return new QueueDirectory(new ClientDirectory(node.shards));
    }

    private List<WaitingPage.Entry> waiting() {
        CompletableFuture<Optional<QueueDirectory.Page>> asked =
                directory().read(ClientId.of("s"), null, 1_000, 1 << 20);
        node.settle();
        return asked.join().orElseThrow().entries();
    }

    private static int number(WaitingPage.Entry entry) {
        return Integer.parseInt(new String(entry.message().payload, UTF_8).substring(1));
    }

    private List<WaitingPage.Place> places(Predicate<Integer> number) {
        return waiting().stream()
                .filter(each -> number.test(number(each)))
                .map(WaitingPage.Entry::place)
                .toList();
    }

    private QueueDirectory.Removed done(CompletableFuture<Optional<QueueDirectory.Removed>> asked) {
        node.settle();
        assertThat(asked).isCompleted();
        return asked.join().orElseThrow();
    }

    private QueueDirectory.Removed remove(List<WaitingPage.Place> places) {
        return done(directory().remove(ClientId.of("s"), places));
    }

    /** Purges as an extension does: until nothing is left. */
    private long purge(int max) {
        long removed = 0;
        QueueDirectory.Removed last = new QueueDirectory.Removed(0, 0, 0, false);
        while (!last.isEnd()) {
            last = done(directory().purge(ClientId.of("s"), last.upToClock(), max));
            removed += last.removed();
        }
        return removed;
    }

    /** Answers all reads, those too that follow. */
    private void answerAll(TestClient client) {
        do {
            while (store.readsWaiting() > 0) {
                answer();
            }
            acknowledgeAll(client);
        } while (store.readsWaiting() > 0);
    }

    private void assertCame(TestClient back, Predicate<Integer> stays) {
        acknowledgeAll(back);
        List<String> expected = new ArrayList<>();
        for (int i = 1; i <= published; i++) {
            if (stays.test(i)) {
                expected.add("m" + i);
            }
        }
        assertThat(back.payloads()).isEqualTo(expected);
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, 20, 40})
    void removed_messages_are_not_delivered_wherever_they_wait(int rows) {
        offline();
        publish(rows);
        rows();
        publish(40 - rows);
        List<WaitingPage.Place> some = places(i -> i % 3 == 0);
        assertThat(some).hasSize(13);
        assertThat(remove(some).removed()).isEqualTo(13);
        assertThat(remove(some).removed()).isZero();
        assertThat(waiting()).hasSize(27);
        assertThat(info().queued()).isEqualTo(27);
        assertThat(node.count(Metric.DROPPED_REMOVED)).isEqualTo(13);
        assertCame(connect(0, 0), i -> i % 3 != 0);
    }

    @Test
    void rows_whose_removal_the_store_has_not_written_stay_removed() {
        offline();
        publish(20);
        rows();
        assertThat(remove(places(i -> i > 4)).removed()).isEqualTo(16);
        for (int i = 0; i < 3; i++) {
            TestClient back = connect(0, 1);
            assertThat(back.payloads()).isEqualTo(messages(1, 1));
            back.cut();
            node.settle();
        }
        TestClient back = connect(1, 0);
        acknowledgeAll(back);
        assertThat(back.payloads()).isEqualTo(messages(1, 4));
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 64, 10_000})
    void purge_removes_what_waits_and_nothing_that_comes_after_it(int max) {
        offline();
        publish(150);
        rows();
        publish(90);
        QueueDirectory.Removed first =
                done(directory().purge(ClientId.of("s"), 0, max)); // Then the rest of it.
        publish(3);
        long removed = first.removed();
        while (!first.isEnd()) {
            first = done(directory().purge(ClientId.of("s"), first.upToClock(), max));
            removed += first.removed();
        }
        assertThat(removed).isEqualTo(240);
        assertThat(node.count(Metric.DROPPED_REMOVED)).isEqualTo(240);
        rows();
        assertCame(connect(0, 0), i -> i > 240);
    }

    @Test
    void what_is_in_flight_is_told_of_and_stays() {
        offline();
        publish(20);
        rows();
        List<WaitingPage.Place> all = places(i -> true);
        TestClient slow = connect(1, 3);
        QueueDirectory.Removed some = remove(all.subList(0, 10));
        assertThat(some.removed()).isEqualTo(7);
        assertThat(some.inFlight()).isEqualTo(3);
        slow.ack(PacketType.PUBACK, slow.lastPacketId());
        node.settle();
        assertThat(slow.payloads()).isEqualTo(List.of("m1", "m2", "m3", "m11"));
        slow.cut();
        node.settle();
        assertThat(purge(100)).isEqualTo(9);
        TestClient back = connect(0, 0);
        assertThat(back.payloads()).isEqualTo(List.of("m1", "m2", "m11"));
        acknowledgeAll(back);
        assertNothingIsLeft();
    }

    @Test
    void online_client_goes_on_behind_a_purge() {
        offline();
        publish(60);
        rows();
        TestClient slow = connect(1, 2);
        assertThat(purge(20)).isEqualTo(58);
        publish(10);
        acknowledgeAll(slow);
        assertThat(slow.payloads().subList(2, 12)).isEqualTo(messages(61, 70));
        assertNothingIsLeft();
    }

    @Test
    void page_under_way_does_not_bring_back_what_was_removed() {
        offline();
        publish(20);
        rows();
        List<WaitingPage.Place> some = places(i -> i > 5 && i < 15);
        store.holdReads();
        TestClient slow = connect(1, 1);
        CompletableFuture<Optional<QueueDirectory.Removed>> asked =
                directory().remove(ClientId.of("s"), some);
        node.settle();
        while (!asked.isDone()) {
            answer();
        }
        assertThat(asked.join().orElseThrow().removed()).isEqualTo(9);
        answerAll(slow);
        List<String> expected = messages(1, 5);
        expected.addAll(messages(15, 20));
        assertThat(slow.payloads()).isEqualTo(expected);
    }

    @Test
    void removal_follows_a_session_to_another_shard() {
        offline();
        publish(30);
        rows();
        List<WaitingPage.Place> some = places(i -> i > 10);
        store.holdReads();
        CompletableFuture<Optional<QueueDirectory.Removed>> asked =
                directory().remove(ClientId.of("s"), some);
        node.settle();
        TestClient back = connect(0, 1);
        for (int i = 0; i < 100 && !asked.isDone(); i++) {
            answer();
        }
        assertThat(asked.join().orElseThrow().removed()).isEqualTo(20);
        answerAll(back);
        assertThat(back.payloads()).isEqualTo(messages(1, 10));
    }

    @Test
    void answer_comes_when_the_removal_is_committed() {
        offline();
        publish(3);
        List<WaitingPage.Place> all = places(i -> true);
        store.holdCommits();
        CompletableFuture<Optional<QueueDirectory.Removed>> asked =
                directory().remove(ClientId.of("s"), all);
        node.settle();
        assertThat(asked).isNotDone();
        store.confirm();
        node.settle();
        assertThat(asked.join().orElseThrow().removed()).isEqualTo(3);
    }

    @Test
    void nobody_has_nothing_removed() {
        CompletableFuture<Optional<QueueDirectory.Removed>> asked =
                directory().purge(ClientId.of("nobody"), 0, 10);
        node.settle();
        assertThat(asked.join()).isEmpty();
    }
}

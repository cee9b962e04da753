package io.godwit.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PacketType;
import io.godwit.core.queue.WaitingPage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What waits for a client is shown, in memory and on the disk, and nothing of it is taken. */
class QueueDirectoryTest extends QueueFixture {
    private List<String> read(int max) {
        QueueDirectory directory = new QueueDirectory(new ClientDirectory(node.shards));
        List<String> all = new ArrayList<>();
        WaitingPage.@Nullable Place after = null;
        do {
            CompletableFuture<Optional<QueueDirectory.Page>> asked =
                    directory.read(ClientId.of("s"), after, max, 1 << 20);
            node.settle();
            assertThat(asked).isCompleted();
            QueueDirectory.Page page = asked.join().orElseThrow();
            assertThat(page.entries()).hasSizeLessThanOrEqualTo(max);
            page.entries().forEach(each -> all.add(new String(each.message().payload, UTF_8)));
            after = page.next();
        } while (after != null);
        return all;
    }

    private void assertShown(int from, int to) {
        for (int max : new int[] {1, 2, 3, 5, 100}) {
            assertThat(read(max)).as("%s at once", max).isEqualTo(messages(from, to));
        }
    }

    @Test
    void what_waits_in_memory_is_shown() {
        offline();
        publish(5);
        assertShown(1, 5);
    }

    @Test
    void what_waits_on_the_disk_and_behind_it_in_memory_is_shown() {
        offline();
        publish(10);
        rows();
        publish(4);
        assertShown(1, 14);
        assertThat(info().queuedOnDisk()).isEqualTo(10);
        TestClient back = connect(0, 0);
        acknowledgeAll(back);
        assertThat(back.payloads()).isEqualTo(messages(1, 14));
        assertNothingIsLeft();
    }

    @Test
    void what_is_in_flight_or_was_acknowledged_is_not_shown() {
        offline();
        publish(20);
        rows();
        TestClient slow = connect(1, 3);
        assertThat(slow.payloads()).isEqualTo(messages(1, 3));
        assertShown(4, 20); // Some of it was read ahead, the rest is on the disk.
        slow.ack(PacketType.PUBACK, slow.lastPacketId());
        node.settle();
        assertThat(read(100)).isEqualTo(messages(5, 20));
        slow.cut();
        node.settle();
        assertThat(read(100)).isEqualTo(messages(5, 20));
    }

    @Test
    void a_session_without_messages_has_an_empty_page_and_nobody_has_none() {
        offline();
        assertThat(read(10)).isEmpty();
        CompletableFuture<Optional<QueueDirectory.Page>> nobody =
                new QueueDirectory(new ClientDirectory(node.shards))
                        .read(ClientId.of("nobody"), null, 10, 1_000);
        node.settle();
        assertThat(nobody.join()).isEmpty();
    }

    @Test
    void a_session_that_moves_to_another_shard_meanwhile_is_not_touched() {
        offline();
        publish(10);
        rows();
        store.holdReads();
        CompletableFuture<Optional<QueueDirectory.Page>> asked =
                new QueueDirectory(new ClientDirectory(node.shards))
                        .read(ClientId.of("s"), null, 10, 1_000);
        node.settle();
        connect(0, 0);
        node.settle();
        answer();
        assertThat(asked).isCompletedExceptionally();
    }
}

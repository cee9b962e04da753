package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.settings.OverloadSettings;
import org.junit.jupiter.api.Test;

/** What the node tells its store about memory, and the store the node. */
class StoreIsToldTest extends QueueFixture {
    @Test
    void to_end_its_window_when_memory_is_half_full_once_a_second() {
        offline();
        publish(10);
        store.windowBytes = OverloadSettings.DEFAULTS.memoryBytes() / 20;
        node.tick(100);
        assertThat(store.windowsEnded).isZero();
        node.transportBytes = OverloadSettings.DEFAULTS.memoryBytes() / 2 + 1;
        node.tick(100);
        assertThat(store.windowsEnded).isEqualTo(1);
        assertThat(node.queuedMessages()).isZero();
        node.tick(100);
        assertThat(store.windowsEnded).isEqualTo(1);
        node.tick(1_000);
        assertThat(store.windowsEnded).isEqualTo(2);
    }

    @Test
    void and_what_its_window_holds_beside_the_queues_counts_as_memory() {
        offline();
        publish(10);
        long queued = node.queuedBytes();
        store.windowBytes = queued;
        node.tick(100);
        assertThat(node.context.load().memory().accountedBytes()).isEqualTo(queued);
        store.windowBytes = queued + 5_000;
        node.tick(100);
        assertThat(node.context.load().memory().accountedBytes()).isEqualTo(queued + 5_000);
    }

    @Test
    void and_tells_when_its_disk_is_nearly_full_and_publishers_wait() {
        offline();
        store.diskAlarm(true);
        publish(1);
        assertThat(publisher.wire.isRead()).isFalse();
        store.diskAlarm(false);
        node.tick(100);
        assertThat(publisher.wire.isRead()).isTrue();
    }
}

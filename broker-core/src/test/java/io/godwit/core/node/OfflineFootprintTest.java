package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IdFloor;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.CommitOutcome;
import io.godwit.core.store.MemoryStore;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreListener;
import io.godwit.core.store.StoreMetric;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an offline durable session with one subscription and an empty queue costs. */
class OfflineFootprintTest {
    private static final int FEW = 10_000;
    private static final int MANY = 110_000;

    /** Bytes that are in use once what nobody refers to is gone. */
    private static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static long used(int sessions, long[] cpuNanos) {
        long before = heap();
        TestNode node = new TestNode(4, new Sessions(sessions));
        long began = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        Restart.run(node.context, node.shards);
        node.settle();
        cpuNanos[0] = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - began;
        long used = heap() - before;
        assertThat(node.context.index().size()).isEqualTo(sessions);
        return used;
    }

    @Test
    void is_at_most_a_kibibyte_of_heap() {
        long[] cpuNanos = new long[1];
        used(FEW, cpuNanos);
        long few = used(FEW, cpuNanos);
        long many = used(MANY, cpuNanos);
        long each = (many - few) / (MANY - FEW);
        System.out.printf(
                "offline durable session: %d bytes of heap each; %d in %d ms of CPU%n",
                each, MANY, cpuNanos[0] / 1_000_000);
        assertThat(each).isBetween(100L, 1024L);
    }

    /** Makes each session when it tells of it, as one that reads a disk does. */
    private record Sessions(int count) implements Store {
        @Override
        public IdFloor start(int shards, StoreListener listener) {
            return new IdFloor(2, 1L << 40, 0, IdFloor.QUEUE_BLOCK);
        }

        @Override
        public void recover(Recovery to) {
            for (int i = 1; i <= count; i++) {
                to.session(
                        new Recovery.KeptSession(
                                ClientId.of("sensor-number-" + i),
                                new SessionRecord(
                                        i,
                                        new HybridId(i, 1),
                                        new HybridId(i, 1),
                                        new Epoch(Epoch.number(0, 1), 1),
                                        ProtocolVersion.MQTT_5,
                                        86_400,
                                        SettableTime.WALL_START_MS,
                                        null,
                                        List.of()),
                                List.of(
                                        new Recovery.KeptSubscription(
                                                TopicFilter.of("commands/sensor/" + i + "/set"),
                                                1,
                                                false,
                                                false,
                                                new int[0])),
                                List.of(),
                                null,
                                List.of(),
                                null));
            }
        }

        @Override
        public ShardStore open(int shard, CommitOutcome outcome) {
            return new MemoryStore().open(shard, outcome);
        }

        @Override
        public void endWindow() {}

        @Override
        public long windowBytes() {
            return 0;
        }

        @Override
        public long value(StoreMetric metric) {
            return 0;
        }

        @Override
        public void close() {}
    }
}

package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.QueueId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.PartEncoder;
import io.godwit.core.operation.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.StoreMetric;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the copy of an offline session with one subscription and an empty queue costs. */
class CopyFootprintTest {
    private static final int LEADER = 9;
    private static final int FEW = 10_000;
    private static final int MANY = Integer.getInteger("copies", 110_000);
    private static final int PER_PART = 128;

    @TempDir private Path folder;

    /** Bytes that are in use once what nobody refers to is gone. */
    private static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static byte[] part(int from, int count) {
        PartEncoder part = new PartEncoder(LEADER, id -> new QueueHandle(id));
        part.begin();
        for (int number = from; number < from + count; number++) {
            long queueId = QueueId.of(LEADER, number);
            HybridId stamp = new HybridId(number, LEADER);
            part.encode(
                    Op.COPY_RANGE,
                    new Subject.CopyRange(
                            queueId,
                            HybridId.NONE,
                            HybridId.MAX,
                            true,
                            false,
                            HybridId.NONE,
                            new Coverage()),
                    0);
            part.encode(
                    Op.SESSION,
                    new Subject.SessionPut(
                            ClientId.of("sensor-number-" + number),
                            StoreFixture.record(queueId, stamp, number)),
                    0);
            part.encode(
                    Op.SUBSCRIPTION,
                    new Subject.SubscriptionPut(
                            queueId,
                            TopicFilter.of("commands/sensor/" + number + "/set"),
                            1,
                            false,
                            false,
                            new int[0],
                            stamp),
                    0);
        }
        ByteWriter body = new ByteWriter(1 << 15);
        part.writeTo(body);
        return body.toBytes();
    }

    private static void fill(SmallStore store, int from, int to) throws Exception {
        for (int number = from; number < to; number += PER_PART) {
            int count = Math.min(PER_PART, to - number);
            store.ops().apply(LEADER, 1, number, part(number, count));
            store.commit();
            if (number / PER_PART % 64 == 0) {
                store.materialise();
            }
        }
        store.materialise();
    }

    private static long each(long few, long many, int count) {
        return (many - few) / count;
    }

    private long filled() throws Exception {
        try (SmallStore store = new SmallStore(folder)) {
            fill(store, 1, 1 + FEW);
            long few = heap();
            fill(store, 1 + FEW, 1 + MANY);
            assertThat(store.store.value(StoreMetric.COPIES)).isEqualTo(MANY);
            return each(few, heap(), MANY - FEW);
        }
    }

    private long started() throws Exception {
        long before = heap();
        try (SmallStore store = new SmallStore(folder)) {
            assertThat(store.store.value(StoreMetric.COPIES)).isEqualTo(MANY);
            return each(before, heap(), MANY);
        }
    }

    @Test
    void is_at_most_200_bytes_of_heap() throws Exception {
        long filled = filled();
        long started = started();
        System.out.printf(
                "copy of an offline session: %d bytes of heap, %d after a start%n",
                filled, started);
        assertThat(filled).isBetween(10L, 200L);
        assertThat(started).isBetween(10L, 200L);
    }
}

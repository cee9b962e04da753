package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.store.QueueDepth;
import io.godwit.persistence.StoreFixture.Page;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.codec.StoredRow;
import io.godwit.persistence.disk.Family;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a store says twice is the same after a cut: counts with rows, uses with references. */
final class PowerCutCounts {
    private PowerCutCounts() {}

    static void depth(@Nullable QueueDepth depth, Page inFlight, Page idle) {
        if (depth == null) {
            assertThat(inFlight.entries).isEmpty();
            assertThat(idle.entries).isEmpty();
            return;
        }
        assertThat(depth.idle()).isEqualTo(idle.entries.size());
        assertThat(depth.inFlight()).isEqualTo(inFlight.entries.size());
        assertThat(depth.idleBytes())
                .isEqualTo(idle.entries.stream().mapToLong(each -> each.bytes).sum());
        idle.entries.forEach(each ->
                assertThat(each.id())
                        .isGreaterThan(depth.first())
                        .isLessThanOrEqualTo(depth.last()));
    }

    /** Every reference has its payload, every count its rows, every index row its row. */
    static void counts(StoreFixture store) {
        store.time.pass(500);
        Map<String, Integer> uses = new TreeMap<>();
        int expiring = 0;
        var row = new StoredRow();
        for (Map.Entry<byte[], byte[]> each : store.disk.rows(Family.QUEUES).entrySet()) {
            row.read(each.getValue());
            if (row.isReference) {
                uses.merge(Arrays.toString(Keys.uses(row.server, row.counter)), 1, Integer::sum);
            }
            if (each.getKey()[8] == Keys.IDLE && row.expiresAtMs != Message.NEVER) {
                byte[] marker = each.getKey().clone();
                marker[8] = Keys.IN_FLIGHT;
                expiring += store.disk.rows(Family.QUEUES).containsKey(marker) ? 0 : 1;
            }
        }
        Map<String, Integer> counted = new TreeMap<>();
        store.disk
                .rows(Family.META)
                .forEach((key, value) -> {
                    if (key[0] == 'U') {
                        counted.put(Arrays.toString(key), (int) value[0]);
                    }
                });
        assertThat(counted).isEqualTo(uses);
        assertThat(store.disk.rows(Family.PAYLOADS)).hasSize(uses.size());
        assertThat(store.disk.rows(Family.EXPIRY)).hasSize(expiring);
    }
}

package io.godwit.persistence.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Against a model: through any power cut, kill and failure, nothing synced is lost, and nothing
 * unsynced is refused as damage.
 */
class PowerCutTest {
    private static final int SEGMENT = 8 << 10;
    private static final int CUTS = 400;

    private final Map<Long, Integer> salts = new HashMap<>();
    private final byte[] buffer = new byte[3 * SEGMENT];
    private long released;
    private long synced;
    private long last;
    private int torn;
    private int salt;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void nothing_synced_is_lost_and_nothing_unsynced_is_damage(long seed) throws Exception {
        Random random = new Random(seed);
        SectorStorage storage = new SectorStorage(random);
        for (int cut = 0; cut < CUTS; cut++) {
            FileJournal journal = FileJournal.open(storage, "memory", SEGMENT, seed, 0);
            check(journal, random);
            storage.failAfter = random.nextInt(10) == 0 ? random.nextInt(60) : -1;
            run(journal, random);
            if (random.nextInt(3) == 0) {
                storage = storage.kill();
            } else {
                storage = storage.powerCut();
            }
        }
        assertThat(torn).isGreaterThan(CUTS / 10);
    }

    private void check(FileJournal journal, Random random) throws DiskFailure {
        long[] next = {released + 1};
        journal.replay(
                released,
                (position, flags, record) -> {
                    assertThat(position).isEqualTo(next[0]++);
                    assertThat(record).isEqualTo(record(position));
                });
        long found = next[0] - 1;
        assertThat(found).isBetween(synced, last);
        assertThat(journal.last()).isEqualTo(found);
        torn += found < last ? 1 : 0;
        last = found;
        synced = found;
        if (random.nextInt(4) == 0) {
            // What comes after a tear is not what was torn off.
            salt = random.nextInt();
        }
    }

    private byte[] record(long position) {
        Integer with = salts.get(position);
        Random random = new Random(position * 31 + (with == null ? 0 : with));
        int length =
                switch (random.nextInt(12)) {
                    case 0 -> random.nextInt(2 * SEGMENT);
                    case 1, 2 -> random.nextInt(2000);
                    default -> random.nextInt(60);
                };
        byte[] record = new byte[length];
        random.nextBytes(record);
        return record;
    }

    private void run(FileJournal journal, Random random) {
        try {
            for (int step = random.nextInt(60); step > 0; step--) {
                switch (random.nextInt(6)) {
                    case 0 -> {
                        journal.sync();
                        synced = last;
                    }
                    case 1 -> {
                        released = Math.max(released, synced - random.nextInt(20));
                        journal.release(released);
                    }
                    default -> {
                        last++;
                        salts.put(last, salt);
                        byte[] record = record(last);
                        System.arraycopy(record, 0, buffer, 0, record.length);
                        journal.append(last, Journal.WHOLE, buffer, record.length);
                        Arrays.fill(buffer, 0, record.length, (byte) 7);
                    }
                }
            }
            if (random.nextInt(8) == 0) {
                journal.close();
            }
        } catch (DiskFailure e) {
            // The end of this process; what was appended last may be there or not.
            assertThat(e).hasMessageContaining("the journal in memory");
        }
    }
}

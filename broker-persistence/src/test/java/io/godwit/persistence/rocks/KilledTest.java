package io.godwit.persistence.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that is halted while memtables fill up and are flushed of the database's own accord.
 */
class KilledTest {
    private static final int BATCHES = 12_000;

    @TempDir Path temp;

    @Test
    void all_families_come_back_at_one_point_between_two_batches() throws Exception {
        Path store = temp.resolve("store");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx64m"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(KilledTest.class.getName(), store.toString()));
        assertThat(ChildProcess.run(command, Map.of()).exit()).isEqualTo(9);
        try (RocksDisk disk = RocksDisk.open(store)) {
            TreeSet<Integer> lasts = new TreeSet<>();
            for (Family family : Family.values()) {
                if (family != Family.META) {
                    lasts.add(last(disk, family));
                }
            }
            byte[] mark = disk.get(Family.META, new byte[] {'M'});
            lasts.add(ByteBuffer.wrap(Objects.requireNonNull(mark)).getInt());
            assertThat(lasts).hasSize(1);
            assertThat(lasts.first()).isBetween(1000, BATCHES - 1);
        }
    }

    /** Number of the last batch; fails unless all before it are there too. */
    private static int last(RocksDisk disk, Family family) throws DiskFailure {
        int next = 1;
        try (Cursor cursor = disk.scan(family, new byte[0], null)) {
            while (cursor.next()) {
                assertThat(value(cursor.key())).isEqualTo(next);
                next++;
            }
        }
        return next - 1;
    }

    private static int value(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getInt();
    }

    public static void main(String[] arguments) throws Exception {
        RocksDisk disk = RocksDisk.open(Path.of(arguments[0]));
        Batch batch = new Batch();
        for (int number = 1; number <= BATCHES; number++) {
            byte[] key = ByteBuffer.allocate(4).putInt(number).array();
            batch.clear();
            batch.put(Family.QUEUES, key, new byte[3000]);
            batch.put(Family.META, new byte[] {'M'}, key);
            batch.put(Family.PAYLOADS, key, new byte[10]);
            batch.put(Family.RETAINED, key, new byte[10]);
            batch.put(Family.EXPIRY, key, new byte[number % 500]);
            disk.write(batch);
        }
        Runtime.getRuntime().halt(9);
    }
}

package io.godwit.persistence.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.KeyRange;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RocksDiskTest extends DiskContract {
    @BeforeEach
    void start() throws Exception {
        disk = open();
    }

    @Override
    Disk open() throws Exception {
        return RocksDisk.open(temp.resolve("store"));
    }

    @Override
    Disk reopen() throws Exception {
        disk.close();
        return open();
    }

    @Test
    void a_compacted_range_gives_its_room_back_and_leaves_the_rest() throws Exception {
        Random random = new Random(3);
        byte[] value = new byte[1000];
        Batch batch = new Batch();
        for (int i = 0; i < 4000; i++) {
            random.nextBytes(value); // so that it takes its length, compressed too
            batch.put(Family.QUEUES, key((i % 2 == 0 ? "a" : "b") + i), value);
        }
        disk.write(batch);
        disk.flush();
        KeyRange all = new KeyRange(key("a"), key("b"));
        assertThat(disk.bytes(Family.QUEUES, all)).isBetween(1_900_000L, 2_300_000L);
        batch.clear();
        for (int i = 0; i < 4000; i += 2) {
            batch.delete(Family.QUEUES, key("a" + i));
        }
        disk.write(batch);
        disk.flush();
        disk.compact(Family.QUEUES, all);
        assertThat(disk.bytes(Family.QUEUES, all)).isLessThan(100_000);
        assertThat(disk.bytes()).isLessThan(2_600_000);
        assertThat(all(Family.QUEUES)).hasSize(2000);
        disk.endCompaction();
        disk.compact(Family.QUEUES, all); // not begun any more, and no failure
        disk.flush();
    }

    @Test
    void a_copy_holds_what_was_written_and_lives_by_itself() throws Exception {
        RocksDisk rocks = (RocksDisk) disk;
        fill(Family.QUEUES, "a", "b");
        Path copy = temp.resolve("copy");
        rocks.checkpoint(copy);
        fill(Family.QUEUES, "c");
        try (Disk second = RocksDisk.open(copy)) {
            Batch batch = new Batch();
            batch.put(Family.QUEUES, key("z"), key("z"));
            second.write(batch);
            assertThat(all(second, Family.QUEUES)).containsExactly("a=a", "b=b", "z=z");
        }
        assertThat(all(Family.QUEUES)).containsExactly("a=a", "b=b", "c=c");
        assertThatThrownBy(() -> rocks.checkpoint(copy)).isInstanceOf(DiskFailure.class);
        fill(Family.QUEUES, "d");
    }
}

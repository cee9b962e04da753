package io.godwit.persistence.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.KeyRange;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every disk does, the one in memory like the one on RocksDB. */
abstract class DiskContract {
    @TempDir Path temp;

    @SuppressWarnings("NullAway.Init") // each kind of disk opens its own
    Disk disk;

    abstract Disk open() throws Exception;

    /** Closes the disk and opens it again. */
    abstract Disk reopen() throws Exception;

    @AfterEach
    void close() {
        disk.close();
    }

    @Test
    void what_was_put_can_be_read_and_what_was_deleted_cannot() throws Exception {
        Batch batch = new Batch();
        batch.put(Family.QUEUES, key("a"), key("1"));
        batch.put(Family.QUEUES, key("b"), key("2"));
        batch.put(Family.RETAINED, key("a"), new byte[0]);
        disk.write(batch);
        batch.clear();
        batch.delete(Family.QUEUES, key("a"));
        batch.put(Family.QUEUES, key("b"), key("3"));
        disk.write(batch);

        assertThat(disk.get(Family.QUEUES, key("a"))).isNull();
        assertThat(disk.get(Family.QUEUES, key("b"))).isEqualTo(key("3"));
        assertThat(disk.get(Family.RETAINED, key("a"))).isEmpty();
        assertThat(disk.get(Family.PAYLOADS, key("a"))).isNull();
    }

    @Test
    void the_records_of_a_batch_count_in_their_order() throws Exception {
        Batch batch = new Batch();
        batch.put(Family.QUEUES, key("a"), key("1"));
        batch.delete(Family.QUEUES, key("a"));
        batch.put(Family.QUEUES, key("b"), key("1"));
        batch.put(Family.QUEUES, key("b"), key("2"));
        batch.delete(Family.QUEUES, key("x"));
        batch.put(Family.QUEUES, key("x"), key("3"));
        disk.write(batch);
        assertThat(all(Family.QUEUES)).containsExactly("b=2", "x=3");
    }

    @Test
    void keys_sort_as_unsigned_bytes_and_a_prefix_first() throws Exception {
        Batch batch = new Batch();
        for (byte[] each :
                List.of(
                        new byte[] {(byte) 0xFF},
                        new byte[] {0x7F},
                        new byte[] {0},
                        new byte[] {0, 0},
                        new byte[] {(byte) 0x80, 1})) {
            batch.put(Family.EXPIRY, each, each);
        }
        disk.write(batch);
        List<byte[]> keys = new ArrayList<>();
        try (Cursor cursor = disk.scan(Family.EXPIRY, new byte[0], null)) {
            while (cursor.next()) {
                keys.add(cursor.key());
            }
        }
        assertThat(keys)
                .containsExactly(
                        new byte[] {0},
                        new byte[] {0, 0},
                        new byte[] {0x7F},
                        new byte[] {(byte) 0x80, 1},
                        new byte[] {(byte) 0xFF});
    }

    @Test
    void a_scan_keeps_to_its_bounds() throws Exception {
        fill(Family.QUEUES, "a", "b", "c", "d");
        fill(Family.EXPIRY, "bb");
        assertThat(scan("b", "d")).containsExactly("b=b", "c=c");
        assertThat(scan("bb", null)).containsExactly("c=c", "d=d");
        assertThat(scan("c", "c")).isEmpty();
        assertThat(scan("d", "a")).isEmpty();
        assertThat(scan("e", null)).isEmpty();
    }

    @Test
    void a_cursor_at_its_end_stays_there() throws Exception {
        fill(Family.QUEUES, "a");
        try (Cursor cursor = disk.scan(Family.QUEUES, key("a"), null)) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.next()).isFalse();
            assertThat(cursor.next()).isFalse();
        }
    }

    @Test
    void a_scan_shows_one_moment_whatever_is_written_meanwhile() throws Exception {
        fill(Family.QUEUES, "a", "b", "c", "d");
        try (Cursor early = disk.scan(Family.QUEUES, key("a"), null);
                Cursor started = disk.scan(Family.QUEUES, key("a"), null)) {
            assertThat(started.next()).isTrue();
            Batch batch = new Batch();
            batch.delete(Family.QUEUES, key("b"));
            batch.delete(Family.QUEUES, key("c"));
            batch.put(Family.QUEUES, key("d"), key("new"));
            batch.put(Family.QUEUES, key("e"), key("new"));
            disk.write(batch);
            disk.flush();
            assertThat(rest(early)).containsExactly("a=a", "b=b", "c=c", "d=d");
            assertThat(rest(started)).containsExactly("b=b", "c=c", "d=d");
        }
        assertThat(all(Family.QUEUES)).containsExactly("a=a", "d=new", "e=new");
    }

    @Test
    void everything_is_there_after_opening_again() throws Exception {
        TreeMap<String, String> model = new TreeMap<>();
        Random random = new Random(7);
        Batch batch = new Batch();
        for (int round = 0; round < 200; round++) {
            batch.clear();
            for (int i = 0; i < 10; i++) {
                String name = "k" + random.nextInt(300);
                if (random.nextInt(3) == 0) {
                    batch.delete(Family.QUEUES, key(name));
                    model.remove(name);
                } else {
                    batch.put(Family.QUEUES, key(name), key("v" + round));
                    model.put(name, "v" + round);
                }
            }
            disk.write(batch);
            if (round % 60 == 0) {
                disk.flush();
            }
            if (round == 150) {
                disk.compact(Family.QUEUES, new KeyRange(key("k1"), key("k2")));
            }
        }
        List<String> expected = new ArrayList<>();
        model.forEach((key, value) -> expected.add(key + "=" + value));
        assertThat(all(Family.QUEUES)).containsExactlyElementsOf(expected);
        disk = reopen();
        assertThat(all(Family.QUEUES)).containsExactlyElementsOf(expected);
    }

    @Test
    void the_length_of_the_files_grows_with_what_is_in_them() throws Exception {
        long before = disk.bytes();
        Batch batch = new Batch();
        byte[] value = new byte[100_000];
        new Random(1).nextBytes(value);
        batch.put(Family.PAYLOADS, key("a"), value);
        disk.write(batch);
        disk.flush();
        assertThat(disk.bytes() - before).isBetween(100_000L, 10_000_000L);
    }

    @Test
    void what_is_written_counts_until_it_is_flushed() throws Exception {
        assertThat(disk.unflushedBytes()).isZero();
        Batch batch = new Batch();
        batch.put(Family.PAYLOADS, key("a"), new byte[10_000]);
        disk.write(batch);
        assertThat(disk.unflushedBytes()).isBetween(10_000L, 11_000L);
        disk.check();
        disk.flush();
        assertThat(disk.unflushedBytes()).isZero();
    }

    @Test
    void a_closed_disk_refuses_instead_of_ending_the_process() throws Exception {
        fill(Family.QUEUES, "a");
        disk.close();
        Batch batch = new Batch();
        batch.put(Family.QUEUES, key("b"), key("b"));
        assertThatThrownBy(() -> disk.write(batch)).isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> disk.get(Family.QUEUES, key("a"))).isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> disk.scan(Family.QUEUES, key("a"), null))
                .isInstanceOf(IllegalStateException.class);
        disk.close();
    }

    static byte[] key(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    void fill(Family family, String... keys) throws DiskFailure {
        Batch batch = new Batch();
        for (String each : keys) {
            batch.put(family, key(each), key(each));
        }
        disk.write(batch);
    }

    private List<String> scan(String from, @Nullable String to) throws DiskFailure {
        try (Cursor cursor = disk.scan(Family.QUEUES, key(from), to == null ? null : key(to))) {
            return rest(cursor);
        }
    }

    List<String> all(Family family) throws DiskFailure {
        return all(disk, family);
    }

    static List<String> all(Disk disk, Family family) throws DiskFailure {
        try (Cursor cursor = disk.scan(family, new byte[0], null)) {
            return rest(cursor);
        }
    }

    private static List<String> rest(Cursor cursor) throws DiskFailure {
        List<String> entries = new ArrayList<>();
        while (cursor.next()) {
            entries.add(text(cursor.key()) + "=" + text(cursor.value()));
        }
        return entries;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}

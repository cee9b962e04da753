package io.godwit.persistence;

import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.KeyRange;
import io.godwit.persistence.disk.Unreadable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A database in memory: what was not flushed is gone after {@link #crashed}. */
final class MemoryDisk implements Disk {
    private Map<Family, TreeMap<byte[], byte[]>> now = empty();
    private Map<Family, TreeMap<byte[], byte[]>> flushed = empty();

    /** Writes that succeed before one fails; -1 = all do. */
    int writesLeft = -1;

    /** Flushes of its own accord after so many writes; 0 = never. */
    int flushEvery;

    /** Called between two writes. */
    Runnable beforeWrite = () -> {};

    /** Called while a flush is under way; what is written meanwhile is not in it. */
    Runnable whileFlushing = () -> {};

    int writes;
    long bytesWritten;
    final List<Map.Entry<Family, KeyRange>> compactions = new ArrayList<>();

    /** Bytes of files between two keys. */
    BiFunction<Family, KeyRange, Long> bytesOf = (family, range) -> 0L;

    /** Queues whose rows can't be read. */
    final Set<Long> unreadable = new HashSet<>();

    Runnable whileCompacting = () -> {};

    /** Hears where each cursor begins. */
    BiConsumer<Family, byte[]> onScan = (family, from) -> {};

    private static Map<Family, TreeMap<byte[], byte[]>> empty() {
        Map<Family, TreeMap<byte[], byte[]>> map = new EnumMap<>(Family.class);
        for (Family family : Family.values()) {
            map.put(family, new TreeMap<>(Arrays::compareUnsigned));
        }
        return map;
    }

    private static Map<Family, TreeMap<byte[], byte[]>> copy(
            Map<Family, TreeMap<byte[], byte[]>> of) {
        Map<Family, TreeMap<byte[], byte[]>> map = empty();
        of.forEach((family, rows) -> of(map, family).putAll(rows));
        return map;
    }

    private static TreeMap<byte[], byte[]> of(
            Map<Family, TreeMap<byte[], byte[]>> map, Family family) {
        TreeMap<byte[], byte[]> rows = map.get(family);
        if (rows == null) {
            throw new IllegalStateException("no family " + family);
        }
        return rows;
    }

    /** What a power cut leaves. */
    MemoryDisk crashed() {
        MemoryDisk after = new MemoryDisk();
        after.now = copy(flushed);
        after.flushed = copy(flushed);
        return after;
    }

    /** Everything, as a checkpoint has it. */
    MemoryDisk copied() {
        MemoryDisk after = new MemoryDisk();
        after.now = copy(now);
        after.flushed = copy(now);
        return after;
    }

    TreeMap<byte[], byte[]> rows(Family family) {
        return of(now, family);
    }

    @Override
    public void write(Batch batch) throws DiskFailure {
        beforeWrite.run();
        if (writesLeft == 0) {
            throw new DiskFailure("planned", new IllegalStateException());
        }
        writesLeft--;
        writes++;
        bytesWritten += batch.length();
        Batch.read(
                batch.toBytes(),
                new Batch.Visitor() {
                    @Override
                    public void put(Family family, byte[] key, byte[] value) {
                        rows(family).put(key, value);
                    }

                    @Override
                    public void delete(Family family, byte[] key) {
                        rows(family).remove(key);
                    }
                });
        if (flushEvery > 0 && writes % flushEvery == 0) {
            flush();
        }
    }

    @Override
    public void flush() {
        Map<Family, TreeMap<byte[], byte[]>> begun = copy(now);
        whileFlushing.run();
        flushed = begun;
    }

    @Override
    public long unflushedBytes() {
        return 0;
    }

    @Override
    public byte @Nullable [] get(Family family, byte[] key) throws Unreadable {
        check(family, key);
        return rows(family).get(key);
    }

    private void check(Family family, byte[] key) throws Unreadable {
        if (family == Family.QUEUES && key.length >= 8 && unreadable.contains(Keys.rowQueue(key))) {
            throw new Unreadable("a block is damaged", new IllegalStateException("planned"));
        }
    }

    @Override
    public Cursor scan(Family family, byte[] from, byte @Nullable [] to) {
        onScan.accept(family, from);
        TreeMap<byte[], byte[]> snapshot =
                new TreeMap<>(
                        to == null ? rows(family).tailMap(from) : rows(family).subMap(from, to));
        Iterator<Map.Entry<byte[], byte[]>> rows = snapshot.entrySet().iterator();
        return new Cursor() {
            private Map.@Nullable Entry<byte[], byte[]> at;

            @Override
            public boolean next() throws Unreadable {
                at = rows.hasNext() ? rows.next() : null;
                if (at != null) {
                    check(family, at.getKey());
                }
                return at != null;
            }

            @Override
            public byte[] key() {
                return at().getKey();
            }

            @Override
            public byte[] value() {
                return at().getValue();
            }

            private Map.Entry<byte[], byte[]> at() {
                Map.Entry<byte[], byte[]> there = at;
                if (there == null) {
                    throw new IllegalStateException("at no row");
                }
                return there;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public long bytes(Family family, KeyRange range) {
        return bytesOf.apply(family, range);
    }

    @Override
    public void compact(Family family, KeyRange range) {
        compactions.add(Map.entry(family, range));
        whileCompacting.run();
    }

    @Override
    public void endCompaction() {}

    @Override
    public void check() {}

    @Override
    public long bytes() {
        return bytesWritten;
    }

    @Override
    public void close() {}
}

package io.godwit.persistence.inspect;

import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.KeyRange;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A database that is only read, with what is written to it in memory: so the journal is replayed
 * without a change to any file. Memory is bounded by what the journal holds.
 */
final class OverlayDisk implements Disk {
    private final DiskView below;

    /** Empty: deleted. */
    private final Map<Family, TreeMap<byte[], Optional<byte[]>>> written =
            new EnumMap<>(Family.class);

    OverlayDisk(DiskView below) {
        this.below = below;
        for (Family family : Family.values()) {
            written.put(family, new TreeMap<>(Arrays::compareUnsigned));
        }
    }

    private TreeMap<byte[], Optional<byte[]>> rows(Family family) {
        TreeMap<byte[], Optional<byte[]>> rows = written.get(family);
        if (rows == null) {
            throw new IllegalStateException("no family " + family);
        }
        return rows;
    }

    @Override
    public void write(Batch batch) throws DiskFailure {
        Batch.read(
                batch.toBytes(),
                new Batch.Visitor() {
                    @Override
                    public void put(Family family, byte[] key, byte[] value) {
                        rows(family).put(key, Optional.of(value));
                    }

                    @Override
                    public void delete(Family family, byte[] key) {
                        rows(family).put(key, Optional.empty());
                    }
                });
    }

    @Override
    public byte @Nullable [] get(Family family, byte[] key) throws DiskFailure {
        Optional<byte[]> here = rows(family).get(key);
        return here == null ? below.get(family, key) : here.orElse(null);
    }

    @Override
    public Cursor scan(Family family, byte[] from, byte @Nullable [] to) {
        TreeMap<byte[], Optional<byte[]>> all = rows(family);
        // As of now: a scan sees nothing of what is written meanwhile.
        TreeMap<byte[], Optional<byte[]>> rows =
                new TreeMap<>(to == null ? all.tailMap(from) : all.subMap(from, to));
        return new Merged(below.scan(family, from, to), rows);
    }

    /** Walks over both in order; what was written later hides what lies below. */
    private static final class Merged implements Cursor {
        private final Cursor lower;
        private final Iterator<Map.Entry<byte[], Optional<byte[]>>> upper;
        private Map.@Nullable Entry<byte[], Optional<byte[]>> upperAt;
        private byte @Nullable [] lowerAt;
        private boolean begun;
        private byte[] key = new byte[0];
        private byte[] value = new byte[0];

        Merged(Cursor lower, TreeMap<byte[], Optional<byte[]>> rows) {
            this.lower = lower;
            upper = rows.entrySet().iterator();
        }

        private void nextLower() throws DiskFailure {
            lowerAt = lower.next() ? lower.key() : null;
        }

        private void nextUpper() {
            upperAt = upper.hasNext() ? upper.next() : null;
        }

        @Override
        public boolean next() throws DiskFailure {
            if (!begun) {
                begun = true;
                nextLower();
                nextUpper();
            }
            while (lowerAt != null || upperAt != null) {
                byte[] below = lowerAt;
                Map.Entry<byte[], Optional<byte[]>> above = upperAt;
                int order =
                        below == null
                                ? 1
                                : above == null
                                        ? -1
                                        : Arrays.compareUnsigned(below, above.getKey());
                if (below != null && order < 0) {
                    key = below;
                    value = lower.value();
                    nextLower();
                    return true;
                }
                if (order == 0) {
                    nextLower();
                }
                nextUpper();
                if (above != null && above.getValue().isPresent()) {
                    key = above.getKey();
                    value = above.getValue().get();
                    return true;
                }
            }
            return false;
        }

        @Override
        public byte[] key() {
            return key;
        }

        @Override
        public byte[] value() {
            return value;
        }

        @Override
        public void close() {
            lower.close();
        }
    }

    @Override
    public void flush() {}

    @Override
    public long unflushedBytes() {
        return 0;
    }

    @Override
    public long bytes(Family family, KeyRange range) {
        return 0;
    }

    @Override
    public void compact(Family family, KeyRange range) {}

    @Override
    public void endCompaction() {}

    @Override
    public void check() {}

    @Override
    public long bytes() {
        return 0;
    }

    @Override
    public void close() {
        below.close();
    }
}

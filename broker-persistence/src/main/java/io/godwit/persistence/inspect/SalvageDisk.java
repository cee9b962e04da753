package io.godwit.persistence.inspect;

import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.Cursor;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.DiskView;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.rocks.RocksLook;
import io.godwit.persistence.rocks.TableDamage;
import io.godwit.persistence.rocks.TableFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A database of which only what lies outside of its damage is shown: a scan goes on behind a range
 * of keys that can't be read. Nothing older shows through: a range is left out in all files.
 */
final class SalvageDisk implements DiskView {
    /**
     * Keys that can't be read, because of one file.
     *
     * @param smallest the file's first key
     * @param from the first that can't be read
     * @param to behind the last that can't
     * @param end behind the file's last key
     */
    record Gap(String file, Family family, byte[] smallest, byte[] from, byte[] to, byte[] end) {
        /** Whether the file has readable keys from this one up to the other. */
        boolean shows(byte[] start, byte @Nullable [] limit) {
            return isAbove(from, start) && isAbove(limit, smallest) && isAbove(from, smallest)
                    || isAbove(end, start) && isAbove(limit, to) && isAbove(end, to);
        }

        /** Whether messages of a queue may be among what can't be read. */
        boolean mayHaveRowsOf(long queueId) {
            return family == Family.QUEUES
                    && isAbove(Keys.rowsEnd(queueId, Keys.IDLE), from)
                    && isAbove(to, Keys.rowsStart(queueId));
        }

        private static boolean isAbove(byte @Nullable [] end, byte[] key) {
            return end == null || Arrays.compareUnsigned(end, key) > 0;
        }
    }

    private final RocksLook below;
    private final List<Gap> gaps;
    private final Consumer<String> failures;

    /**
     * @param failures takes what could not be read, as sentences without a full stop
     */
    SalvageDisk(RocksLook below, List<Gap> gaps, Consumer<String> failures) {
        this.below = below;
        this.gaps = gaps;
        this.failures = failures;
    }

    /** Where the damage of these files lies, as the database knows them. */
    static List<Gap> gaps(List<TableFile> tables, List<TableDamage> damage) {
        List<Gap> gaps = new ArrayList<>();
        for (TableDamage each : damage) {
            String name = String.valueOf(each.file().getFileName());
            for (TableFile table : tables) {
                if (table.name().equals(name)) {
                    byte[] after = each.after();
                    byte[] before = each.before();
                    gaps.add(
                            new Gap(
                                    name,
                                    table.family(),
                                    table.smallest(),
                                    after == null ? table.smallest() : successor(after),
                                    before == null ? successor(table.largest()) : before,
                                    successor(table.largest())));
                }
            }
        }
        gaps.sort((a, b) -> Arrays.compareUnsigned(a.from, b.from));
        return gaps;
    }

    private static byte[] successor(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    @Override
    public byte @Nullable [] get(Family family, byte[] key) {
        for (Gap gap : gaps) {
            if (gap.family == family
                    && Arrays.compareUnsigned(key, gap.from) >= 0
                    && Arrays.compareUnsigned(key, gap.to) < 0) {
                return null;
            }
        }
        try {
            return below.get(family, key);
        } catch (DiskFailure e) {
            failures.accept(String.valueOf(e.getMessage()));
            return null;
        }
    }

    @Override
    public Cursor scan(Family family, byte[] from, byte @Nullable [] to) {
        return new Jumping(family, from, to);
    }

    private final class Jumping implements Cursor {
        private final Family family;
        private final byte @Nullable [] to;
        private byte @Nullable [] next;

        /** The part ends where keys are known to be lost: reading may fail there. */
        private byte @Nullable [] edge;

        private byte[] key = new byte[0];
        private byte[] value = new byte[0];
        private @Nullable Cursor part;

        Jumping(Family family, byte[] from, byte @Nullable [] to) {
            this.family = family;
            this.to = to;
            this.next = from;
        }

        /** The first gap that ends behind this key. */
        private @Nullable Gap gapFrom(byte[] at) {
            for (Gap gap : gaps) {
                if (gap.family == family && Arrays.compareUnsigned(at, gap.to) < 0) {
                    return gap;
                }
            }
            return null;
        }

        @Override
        public boolean next() {
            while (true) {
                Cursor open = part;
                if (open == null) {
                    open = open();
                    if (open == null) {
                        return false;
                    }
                }
                try {
                    if (open.next()) {
                        key = open.key();
                        value = open.value();
                        return true;
                    }
                } catch (DiskFailure e) {
                    if (edge == null || !Arrays.equals(successor(key), edge)) {
                        failures.accept(String.valueOf(e.getMessage()));
                    }
                }
                open.close();
                part = null;
            }
        }

        /** From where it stands to the next gap; the one after that begins behind it. */
        private @Nullable Cursor open() {
            byte[] from = next;
            if (from == null || to != null && Arrays.compareUnsigned(from, to) >= 0) {
                return null;
            }
            Gap gap = gapFrom(from);
            boolean isLast = gap == null || to != null && Arrays.compareUnsigned(gap.from, to) >= 0;
            edge = gap == null || isLast ? to : gap.from;
            next = gap == null || isLast ? null : gap.to;
            if (edge != null && Arrays.compareUnsigned(edge, from) < 0) {
                edge = from;
            }
            Set<String> without = new HashSet<>();
            for (Gap each : gaps) {
                if (each.family == family && !each.shows(from, edge)) {
                    without.add(each.file);
                }
            }
            part = part(from, without);
            return part;
        }

        private Cursor part(byte[] from, Set<String> without) {
            try {
                return below.scan(family, from, edge, without);
            } catch (DiskFailure e) {
                failures.accept(String.valueOf(e.getMessage()));
                return below.scan(family, from, from);
            }
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
            if (part != null) {
                part.close();
                part = null;
            }
        }
    }

    @Override
    public void close() {
        below.close();
    }
}

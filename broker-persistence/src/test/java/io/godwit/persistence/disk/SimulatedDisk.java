package io.godwit.persistence.disk;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that forgets what was not flushed. Two images: what the process sees, and what a
 * crash leaves; between them the batches that were written since the last flush.
 *
 * <p>{@link #crash} ends this disk, as the process ends, and gives the one that the next process
 * opens: as of the last flush, or of one that the database made of its own accord at any later
 * point between two batches.
 */
public final class SimulatedDisk implements Disk {
    /** What happens to those who use the disk. */
    public interface Weather {
        Weather FAIR =
                new Weather() {
                    @Override
                    public void beforeWrite(boolean sync) {}
                };

        /**
         * Before a write, sync, flush or compaction; may let virtual time pass.
         *
         * @param sync a sync, flush or compaction
         * @throws IOException this one fails
         */
        void beforeWrite(boolean sync) throws IOException;

        /**
         * While a flush is under way, of which nothing is on the disk before all of it is. What
         * others write meanwhile is not in it.
         *
         * @throws IOException it fails
         */
        default void insideFlush() throws IOException {}

        /**
         * Before a read, and each step of a scan.
         *
         * @param key of what is read; null at the end of a scan
         * @throws IOException it can't be read
         */
        default void beforeRead(Family family, byte @Nullable [] key) throws IOException {}
    }

    private final Weather weather;
    private final Image seen;
    private final Image durable;
    private final Deque<byte[]> unflushed = new ArrayDeque<>();
    private final List<Scan> scans = new ArrayList<>();
    private @Nullable DiskFailure failure;
    private boolean gone;
    private long writes;
    private long flushes;

    public SimulatedDisk() {
        this(Weather.FAIR);
    }

    public SimulatedDisk(Weather weather) {
        this(weather, new Image());
    }

    private SimulatedDisk(Weather weather, Image image) {
        this.weather = weather;
        this.seen = image.copy();
        this.durable = image;
    }

    @Override
    public synchronized void write(Batch batch) throws DiskFailure {
        check();
        if (batch.isEmpty()) {
            return;
        }
        byte[] wire = batch.toBytes();
        writes++;
        attempt(false);
        unflushed.add(wire);
        scans.forEach(Scan::detach);
        seen.apply(wire);
    }

    @Override
    public void flush() throws DiskFailure {
        long begun;
        synchronized (this) {
            check();
            attempt(true);
            begun = writes;
        }
        goOnInside();
        synchronized (this) {
            check();
            settle(begun);
        }
    }

    private void goOnInside() throws DiskFailure {
        try {
            weather.insideFlush();
        } catch (IOException e) {
            synchronized (this) {
                failure = new DiskFailure("can't flush", e);
                throw failure;
            }
        }
    }

    @Override
    public synchronized long unflushedBytes() {
        long bytes = 0;
        for (byte[] wire : unflushed) {
            bytes += wire.length;
        }
        return bytes;
    }

    @Override
    public synchronized byte @Nullable [] get(Family family, byte[] key) throws DiskFailure {
        beforeRead(family, key);
        byte[] value = seen.family(family).get(key);
        return value == null ? null : value.clone();
    }

    @Override
    public synchronized Cursor scan(Family family, byte[] from, byte @Nullable [] to) {
        if (gone) {
            throw new IllegalStateException("the disk is closed");
        }
        NavigableMap<byte[], byte[]> map = seen.family(family);
        boolean isEmpty = to != null && Arrays.compareUnsigned(from, to) >= 0;
        Scan scan =
                new Scan(
                        family,
                        isEmpty
                                ? new TreeMap<>(Arrays::compareUnsigned)
                                : to == null
                                        ? map.tailMap(from, true)
                                        : map.subMap(from, true, to, false));
        scans.add(scan);
        return scan;
    }

    @Override
    public long bytes(Family family, KeyRange range) {
        return 1;
    }

    @Override
    public synchronized void compact(Family family, KeyRange range) throws DiskFailure {
        flush();
    }

    @Override
    public void endCompaction() {}

    @Override
    public synchronized void check() throws DiskFailure {
        if (gone) {
            throw new DiskFailure("the disk is closed", new IllegalStateException("closed"));
        }
        if (failure != null) {
            throw new DiskFailure("the disk has failed before", failure);
        }
    }

    @Override
    public synchronized long bytes() {
        return unflushedBytes() + durable.bytes();
    }

    /** Flushes, unless the disk has failed. */
    @Override
    public synchronized void close() {
        if (!gone && failure == null) {
            try {
                flush();
            } catch (DiskFailure e) {
                failure = e; // the journal has it all
            }
        }
        gone = true;
    }

    /** The disk that the next process opens after {@link #close}. */
    public synchronized SimulatedDisk reopen() {
        if (!gone) {
            throw new IllegalStateException("the disk is open");
        }
        return new SimulatedDisk(weather, durable.copy());
    }

    /** The process is killed, or the power goes: without a log, both are the same. */
    public synchronized SimulatedDisk crash(RandomGenerator random) {
        return crash(random, weather);
    }

    /**
     * Half of the crashes go back to the last flush, the others to any point behind it.
     *
     * @param next of the disk that the next process opens
     */
    public synchronized SimulatedDisk crash(RandomGenerator random, Weather next) {
        gone = true;
        int survive = random.nextBoolean() ? 0 : random.nextInt(unflushed.size() + 1);
        for (int i = 0; i < survive; i++) {
            durable.apply(unflushed.remove());
        }
        unflushed.clear();
        return new SimulatedDisk(next, durable.copy());
    }

    /** Returns a disk with what a crash at this moment leaves for certain; this one goes on. */
    public synchronized SimulatedDisk durable() {
        return new SimulatedDisk(Weather.FAIR, durable.copy());
    }

    /** Batches that a crash could lose now. */
    public synchronized int unflushedBatches() {
        return unflushed.size();
    }

    public synchronized long writes() {
        return writes;
    }

    public synchronized long flushes() {
        return flushes;
    }

    /** Keys that the process sees. */
    public synchronized int count(Family family) {
        return seen.family(family).size();
    }

    private void settle(long upTo) {
        while (!unflushed.isEmpty() && writes - unflushed.size() < upTo) {
            durable.apply(unflushed.remove());
        }
    }

    private void attempt(boolean sync) throws DiskFailure {
        try {
            weather.beforeWrite(sync);
        } catch (IOException e) {
            failure = new DiskFailure(sync ? "can't flush" : "can't write", e);
            throw failure;
        }
        if (sync) {
            flushes++;
        }
    }

    private void beforeRead(Family family, byte @Nullable [] key) throws DiskFailure {
        if (gone) {
            throw new DiskFailure("the disk is closed", new IllegalStateException("closed"));
        }
        try {
            weather.beforeRead(family, key);
        } catch (IOException e) {
            throw new Unreadable("can't read", e);
        }
    }

    /** Reads the live map until the first write, then a copy of what was left. */
    private final class Scan implements Cursor {
        private final Family family;
        private final NavigableMap<byte[], byte[]> range;
        private @Nullable Iterator<Map.Entry<byte[], byte[]>> rest;
        private byte @Nullable [] key;
        private byte @Nullable [] value;
        private boolean detached;

        Scan(Family family, NavigableMap<byte[], byte[]> range) {
            this.family = family;
            this.range = range;
        }

        void detach() {
            if (detached) {
                return;
            }
            detached = true;
            List<Map.Entry<byte[], byte[]>> left = new ArrayList<>();
            Iterator<Map.Entry<byte[], byte[]>> from = rest();
            while (from.hasNext()) {
                Map.Entry<byte[], byte[]> each = from.next();
                left.add(Map.entry(each.getKey(), each.getValue()));
            }
            rest = left.iterator();
        }

        private Iterator<Map.Entry<byte[], byte[]>> rest() {
            if (rest == null) {
                rest = range.entrySet().iterator();
            }
            return rest;
        }

        @Override
        public boolean next() throws DiskFailure {
            synchronized (SimulatedDisk.this) {
                Map.Entry<byte[], byte[]> entry = rest().hasNext() ? rest().next() : null;
                beforeRead(family, entry == null ? null : entry.getKey());
                if (entry == null) {
                    return false;
                }
                key = entry.getKey();
                value = entry.getValue();
                return true;
            }
        }

        @Override
        public byte[] key() {
            return standing(key);
        }

        @Override
        public byte[] value() {
            return standing(value);
        }

        private static byte[] standing(byte @Nullable [] part) {
            if (part == null) {
                throw new IllegalStateException("the cursor stands nowhere");
            }
            return part.clone();
        }

        @Override
        public void close() {
            synchronized (SimulatedDisk.this) {
                scans.remove(this);
            }
        }
    }

    /** All families at one moment. */
    private static final class Image {
        private final List<NavigableMap<byte[], byte[]>> families = new ArrayList<>();

        Image() {
            for (int i = 0; i < Family.values().length; i++) {
                families.add(new TreeMap<>(Arrays::compareUnsigned));
            }
        }

        NavigableMap<byte[], byte[]> family(Family family) {
            return families.get(family.ordinal());
        }

        Image copy() {
            Image copy = new Image();
            for (int i = 0; i < families.size(); i++) {
                copy.families.get(i).putAll(families.get(i));
            }
            return copy;
        }

        long bytes() {
            long bytes = 0;
            for (NavigableMap<byte[], byte[]> family : families) {
                for (Map.Entry<byte[], byte[]> each : family.entrySet()) {
                    bytes += each.getKey().length + each.getValue().length;
                }
            }
            return bytes;
        }

        void apply(byte[] wire) {
            Batch.read(
                    wire,
                    new Batch.Visitor() {
                        @Override
                        public void put(Family family, byte[] key, byte[] value) {
                            family(family).put(key, value);
                        }

                        @Override
                        public void delete(Family family, byte[] key) {
                            family(family).remove(key);
                        }
                    });
        }
    }
}

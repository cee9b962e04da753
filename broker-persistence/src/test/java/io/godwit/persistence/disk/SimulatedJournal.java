package io.godwit.persistence.disk;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A journal in memory that forgets what was not synced.
 *
 * <p>{@link #kill} and {@link #powerCut} end this journal, as the process ends, and give the one
 * that the next process opens. A write or sync that fails may still have reached the platter.
 */
public final class SimulatedJournal implements Journal {
    private final SimulatedDisk.Weather weather;
    private final Deque<Entry> entries = new ArrayDeque<>();
    private @Nullable DiskFailure failure;
    private boolean gone;
    private boolean used;
    private long last;
    private long synced;
    private long released;
    private long syncs;
    private long bytes;

    private record Entry(long position, int flags, byte[] record) {}

    public SimulatedJournal() {
        this(SimulatedDisk.Weather.FAIR);
    }

    public SimulatedJournal(SimulatedDisk.Weather weather) {
        this.weather = weather;
    }

    private SimulatedJournal(SimulatedJournal before, long upTo, SimulatedDisk.Weather weather) {
        this.weather = weather;
        this.used = before.used;
        for (Entry each : before.entries) {
            if (each.position <= upTo) {
                entries.add(each);
                bytes += each.record.length;
            }
        }
        this.released = before.released;
        this.last = Math.max(upTo, before.released);
        this.synced = last;
    }

    @Override
    public synchronized void append(long position, int flags, byte[] record, int length)
            throws DiskFailure {
        check();
        if (!used) {
            last = position - 1;
            synced = last;
            released = last;
        }
        used = true;
        if (position != last + 1) {
            throw new IllegalArgumentException("position " + position + " behind " + last);
        }
        entries.add(new Entry(position, flags, Arrays.copyOf(record, length)));
        bytes += length;
        last = position;
        attempt(false);
    }

    @Override
    public synchronized void sync() throws DiskFailure {
        check();
        attempt(true);
        syncs++;
        synced = last;
    }

    @Override
    public void replay(long after, long rows, Visitor visitor) throws DiskFailure {
        for (Entry each : replayed(after)) {
            visitor.record(each.position, each.flags, each.record.clone());
        }
        goBehind(rows);
    }

    private synchronized Iterable<Entry> replayed(long after) throws DiskFailure {
        check();
        if (!used && after > 0) {
            throw missing("the journal is missing: rows were flushed up to " + after);
        }
        long first = entries.isEmpty() ? last + 1 : entries.getFirst().position;
        if (after + 1 < first) {
            throw missing("the journal begins at " + first + ", rows were flushed up to " + after);
        }
        release(after);
        return new ArrayDeque<>(entries);
    }

    private synchronized void goBehind(long rows) {
        if (rows > last) {
            entries.clear();
            bytes = 0;
            last = rows;
            synced = rows;
            released = rows;
        }
    }

    private static DiskFailure missing(String what) {
        return new DiskFailure(what, new IOException("records are missing"));
    }

    @Override
    public synchronized void release(long upTo) {
        released = Math.max(released, Math.min(upTo, last));
        while (!entries.isEmpty() && entries.getFirst().position <= released) {
            bytes -= entries.remove().record.length;
        }
    }

    @Override
    public synchronized long bytes() {
        return bytes;
    }

    /** Syncs, unless the journal has failed. */
    @Override
    public synchronized void close() {
        if (!gone && failure == null) {
            try {
                sync();
            } catch (DiskFailure e) {
                failure = e;
            }
        }
        gone = true;
    }

    /** The process ends; the operating system has all that was written. */
    public synchronized SimulatedJournal kill() {
        return kill(weather);
    }

    public synchronized SimulatedJournal kill(SimulatedDisk.Weather next) {
        gone = true;
        return new SimulatedJournal(this, last, next);
    }

    /**
     * The power goes: of the records that were not synced the first few survive, none or all of
     * them too; the next one may be torn, and is not there, like all behind it.
     */
    public synchronized SimulatedJournal powerCut(RandomGenerator random) {
        return powerCut(random, weather);
    }

    public synchronized SimulatedJournal powerCut(
            RandomGenerator random, SimulatedDisk.Weather next) {
        gone = true;
        long survive = synced + random.nextLong(last - synced + 1);
        return new SimulatedJournal(this, survive, next);
    }

    /** Returns a journal with what is synced at this moment; this one goes on. */
    public synchronized SimulatedJournal durable() {
        return new SimulatedJournal(this, synced, SimulatedDisk.Weather.FAIR);
    }

    /** Records that a power cut could lose now. */
    public synchronized long unsyncedRecords() {
        return last - synced;
    }

    /** Position of the last record. */
    public synchronized long last() {
        return last;
    }

    public synchronized long syncs() {
        return syncs;
    }

    private void attempt(boolean sync) throws DiskFailure {
        try {
            weather.beforeWrite(sync);
        } catch (IOException e) {
            failure = new DiskFailure(sync ? "can't sync the journal" : "can't write to it", e);
            throw failure;
        }
    }

    private void check() throws DiskFailure {
        if (gone) {
            throw new DiskFailure("the journal is closed", new IllegalStateException("closed"));
        }
        if (failure != null) {
            throw new DiskFailure("the journal has failed before", failure);
        }
    }
}

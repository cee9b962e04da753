package io.godwit.persistence;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Journal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** A journal in memory: what was not synced is gone after {@link #crashed}. */
final class MemoryJournal implements Journal {
    private final TreeMap<Long, byte[]> records = new TreeMap<>();
    private final Map<Long, Integer> flags = new HashMap<>();
    private long synced;
    private long released;
    long bytes;
    int syncs;

    /** Syncs that succeed before one fails; -1 = all do. */
    int syncsLeft = -1;

    /** Called while a sync is under way. */
    Runnable whileSyncing = () -> {};

    MemoryJournal crashed() {
        return copied(synced);
    }

    /** With everything that was written: what a killed process leaves. */
    MemoryJournal copied() {
        return copied(Long.MAX_VALUE);
    }

    private MemoryJournal copied(long upTo) {
        MemoryJournal after = new MemoryJournal();
        after.records.putAll(records.headMap(upTo, true));
        after.flags.putAll(flags);
        after.synced = after.records.isEmpty() ? released : after.records.lastKey();
        after.released = released;
        after.records.values().forEach(each -> after.bytes += each.length);
        return after;
    }

    int records() {
        return records.size();
    }

    @Override
    public void append(long position, int marks, byte[] record, int length) {
        if (!records.isEmpty() && position != records.lastKey() + 1) {
            throw new IllegalStateException(position + " behind " + records.lastKey());
        }
        records.put(position, Arrays.copyOf(record, length));
        flags.put(position, marks);
        bytes += length;
    }

    @Override
    public void sync() throws DiskFailure {
        whileSyncing.run();
        if (syncsLeft == 0) {
            throw new DiskFailure("planned", new IllegalStateException());
        }
        syncsLeft--;
        syncs++;
        synced = records.isEmpty() ? synced : records.lastKey();
    }

    @Override
    public void replay(long after, long rows, Visitor visitor) throws DiskFailure {
        for (Map.Entry<Long, byte[]> each : records.tailMap(after, false).entrySet()) {
            visitor.record(each.getKey(), flags.getOrDefault(each.getKey(), 0), each.getValue());
        }
    }

    @Override
    public void release(long upTo) {
        released = Math.max(released, upTo);
        Map<Long, byte[]> free = records.headMap(upTo, true);
        free.values().forEach(each -> bytes -= each.length);
        free.clear();
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public void close() {}
}

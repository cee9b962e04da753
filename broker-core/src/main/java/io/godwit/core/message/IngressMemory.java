package io.godwit.core.message;

import org.jspecify.annotations.Nullable;

/**
 * The ingress ids of QoS 2 messages that a queue, or the retained store, has, or had, and whose
 * publishers may send them again. A hash table whose entries are the objects that the store knows
 * too, so one costs one object; they are in a list as well, in the order in which they came, for
 * the oldest goes first when there are too many.
 */
public final class IngressMemory {
    /** How many a queue remembers: as many as one client can publish without PUBREL. */
    public static final int MAX = 65_536;

    /** Bytes that one is accounted with. */
    public static final int ENTRY_BYTES = 72;

    private static final int CAPACITY_FIRST = 8;

    /** One ingress id. */
    public static final class Entry extends Remembered {
        private @Nullable Entry nextInBucket;
        private @Nullable Entry older;
        private @Nullable Entry newer;

        public Entry(long queueId, long clock, int server, int ingressServer, long ingressCounter) {
            super(queueId, clock, server, ingressServer, ingressCounter);
        }

        private boolean is(int ofServer, long counter) {
            return ingressCounter == counter && ingressServer == ofServer;
        }
    }

    private @Nullable Entry[] buckets = new Entry[CAPACITY_FIRST];
    private int size;
    private @Nullable Entry oldest;
    private @Nullable Entry newest;

    public int size() {
        return size;
    }

    public @Nullable Entry oldest() {
        return oldest;
    }

    /** The one that came behind it. */
    public static @Nullable Entry after(Entry entry) {
        return entry.newer;
    }

    public boolean has(int server, long counter) {
        return find(server, counter) != null;
    }

    /** Returns what stands for an ingress id; null for nothing. */
    public @Nullable Entry find(int server, long counter) {
        Entry entry = buckets[bucket(server, counter)];
        while (entry != null && !entry.is(server, counter)) {
            entry = entry.nextInBucket;
        }
        return entry;
    }

    /** Adds an id that is not there. */
    public void add(Entry entry) {
        if (size == buckets.length) {
            grow();
        }
        size++;
        put(entry);
        Entry last = newest;
        entry.older = last;
        newest = entry;
        if (last == null) {
            oldest = entry;
        } else {
            last.newer = entry;
        }
    }

    private void put(Entry entry) {
        int bucket = bucket(entry.ingressServer, entry.ingressCounter);
        entry.nextInBucket = buckets[bucket];
        buckets[bucket] = entry;
    }

    /**
     * @return what was there; null for nothing
     */
    public @Nullable Entry remove(int server, long counter) {
        int bucket = bucket(server, counter);
        Entry before = null;
        Entry entry = buckets[bucket];
        while (entry != null && !entry.is(server, counter)) {
            before = entry;
            entry = entry.nextInBucket;
        }
        if (entry == null) {
            return null;
        }
        if (before == null) {
            buckets[bucket] = entry.nextInBucket;
        } else {
            before.nextInBucket = entry.nextInBucket;
        }
        size--;
        unlink(entry);
        return entry;
    }

    private void unlink(Entry entry) {
        Entry left = entry.older;
        Entry right = entry.newer;
        if (left == null) {
            oldest = right;
        } else {
            left.newer = right;
        }
        if (right == null) {
            newest = left;
        } else {
            right.older = left;
        }
        // The store may hold it a little longer, and nothing else by it.
        entry.nextInBucket = null;
        entry.older = null;
        entry.newer = null;
    }

    /** Counters of a shard rise by a step: their low bits alone would be the same. */
    private int bucket(int server, long counter) {
        long mixed = (counter ^ (long) server << 40) * 0x9E37_79B9_7F4A_7C15L;
        return (int) (mixed >>> 40) & buckets.length - 1;
    }

    private void grow() {
        buckets = new Entry[buckets.length * 2];
        for (Entry entry = oldest; entry != null; entry = entry.newer) {
            put(entry);
        }
    }
}

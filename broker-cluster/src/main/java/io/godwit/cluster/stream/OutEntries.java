package io.godwit.cluster.stream;

import org.jspecify.annotations.Nullable;

/** The entries of an {@link OutStream} that are kept, by position, in a ring that grows. */
final class OutEntries {
    private @Nullable OutEntry[] ring = new OutEntry[16];

    /** Position of the first that is kept. */
    private long first = 1;

    private long last;

    long first() {
        return first;
    }

    /** Position of the last that was ever added; {@code first() - 1} when none is kept. */
    long last() {
        return last;
    }

    void add(OutEntry entry) {
        if (last - first + 1 == ring.length) {
            grow();
        }
        last++;
        ring[index(last)] = entry;
    }

    /**
     * @param position from {@link #first} to {@link #last}
     */
    OutEntry at(long position) {
        OutEntry entry = ring[index(position)];
        if (entry == null) {
            throw new IllegalStateException("nothing is kept at " + position);
        }
        return entry;
    }

    /** Takes out the first. */
    OutEntry removeFirst() {
        OutEntry entry = at(first);
        ring[index(first)] = null;
        first++;
        return entry;
    }

    private void grow() {
        @Nullable OutEntry[] larger = new OutEntry[ring.length * 2];
        for (long at = first; at <= last; at++) {
            larger[(int) (at & larger.length - 1)] = ring[index(at)];
        }
        ring = larger;
    }

    private int index(long position) {
        return (int) (position & ring.length - 1);
    }
}

package io.godwit.core.routing;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one filter by session: extendible hashing, so that growing never moves more
 * than one segment. The upper bits of the hash choose the segment, its lower ones a slot there. For
 * one thread.
 */
final class SessionTable {
    private static final int SLOTS_MIN = 32;
    private static final int SLOTS_MAX = 1 << 10;

    /** Segments by the upper bits; a segment that has fewer bits stands several times. */
    private Segment[] segments = {new Segment(0, SLOTS_MIN)};

    /** How many bits choose a segment. */
    private int depth;

    /** A segment: a table with open addressing. */
    private static final class Segment {
        /** How many upper bits all hashes here have in common. */
        final int depth;

        @Nullable Subscription[] slots;
        int used;

        Segment(int depth, int slots) {
            this.depth = depth;
            this.slots = new Subscription[slots];
        }

        /** The slot of a session, or the empty one where the search ended. */
        int slot(SessionRef session) {
            int mask = slots.length - 1;
            int i = session.hashCode() & mask;
            for (Subscription s = slots[i]; s != null; s = slots[i]) {
                if (s.session.equals(session)) {
                    return i;
                }
                i = i + 1 & mask;
            }
            return i;
        }

        /** Adds a subscription whose session is not here. */
        void add(Subscription s) {
            int mask = slots.length - 1;
            int i = s.session.hashCode() & mask;
            while (slots[i] != null) {
                i = i + 1 & mask;
            }
            slots[i] = s;
            used++;
        }

        void grow() {
            @Nullable Subscription[] before = slots;
            slots = new Subscription[before.length * 2];
            used = 0;
            addAll(before);
        }

        private void addAll(@Nullable Subscription[] all) {
            for (Subscription s : all) {
                if (s != null) {
                    add(s);
                }
            }
        }

        /** Clears a slot and closes the gap (Knuth 6.4, algorithm R). */
        void clear(int slot) {
            int mask = slots.length - 1;
            int gap = slot;
            int i = gap + 1 & mask;
            for (Subscription s = slots[i]; s != null; s = slots[i]) {
                int home = s.session.hashCode() & mask;
                if ((i - home & mask) >= (i - gap & mask)) {
                    slots[gap] = s;
                    gap = i;
                }
                i = i + 1 & mask;
            }
            slots[gap] = null;
            used--;
        }
    }

    @Nullable Subscription find(SessionRef session) {
        Segment segment = segment(session);
        return segment.slots[segment.slot(session)];
    }

    /** Adds a subscription whose session is not in the table. */
    void add(Subscription s) {
        Segment segment = segment(s.session);
        while ((segment.used + 1) * 2 > segment.slots.length) {
            // Equal hashes cannot be told apart by one bit more.
            if (segment.slots.length < SLOTS_MAX || segment.depth == Integer.SIZE - 1) {
                segment.grow();
            } else {
                split(segment, s.session.hashCode());
                segment = segment(s.session);
            }
        }
        segment.add(s);
    }

    /** Puts a newer subscription of the same session into its place. */
    void replace(Subscription older, Subscription s) {
        Segment segment = segment(older.session);
        segment.slots[segment.slot(older.session)] = s;
    }

    /** Removes a subscription that is in the table. */
    void remove(Subscription s) {
        Segment segment = segment(s.session);
        segment.clear(segment.slot(s.session));
    }

    /** How many slots one change moves at most. */
    int largestSegment() {
        int largest = 0;
        for (Segment segment : segments) {
            largest = Math.max(largest, segment.slots.length);
        }
        return largest;
    }

    private Segment segment(SessionRef session) {
        return segments[place(session.hashCode())];
    }

    private int place(int hash) {
        return depth == 0 ? 0 : hash >>> Integer.SIZE - depth;
    }

    private void split(Segment segment, int hash) {
        if (segment.depth == depth) {
            Segment[] twice = new Segment[segments.length * 2];
            Arrays.setAll(twice, i -> segments[i >>> 1]);
            segments = twice;
            depth++;
        }
        Segment low = new Segment(segment.depth + 1, SLOTS_MAX);
        Segment high = new Segment(segment.depth + 1, SLOTS_MAX);
        int bit = 1 << Integer.SIZE - 1 - segment.depth;
        for (Subscription s : segment.slots) {
            if (s != null) {
                ((s.session.hashCode() & bit) == 0 ? low : high).add(s);
            }
        }
        int places = 1 << depth - segment.depth;
        int first = place(hash) & -places;
        Arrays.fill(segments, first, first + places / 2, low);
        Arrays.fill(segments, first + places / 2, first + places, high);
    }
}

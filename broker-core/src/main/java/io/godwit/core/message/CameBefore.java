package io.godwit.core.message;

import io.godwit.core.id.IngressId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Knows what had come from other nodes when a session subscribed, and may come once more: of each
 * stream of publishes the position up to which it had been seen.
 *
 * <p>What a node has not answered, or has not been heard to have answered, is sent again when it
 * has started anew, and its sender does not know what that one had made of it. So a message that
 * came before the session subscribed, and was none of its own, would come for the new subscription
 * then, behind newer ones that the session has. This stands with the subscription in the store, and
 * says which those are.
 *
 * <p><b>Nothing is lost by it.</b> A stream has the name of its sender's start, and gives each
 * position once, whatever becomes of links and of the node that it goes to. So what stands at a
 * position that had been seen here was published before this SUBSCRIBE was processed, and the
 * SUBACK leaves later still: nobody has been promised that message for this subscription, and it
 * may be left out. Therefore:
 *
 * <ul>
 *   <li>A subscription that takes the place of another has what that one had, and nothing newer:
 *       what has come in between was promised.
 *   <li>Of several that overlap all must have it.
 *   <li>It may have too little at any time, and never too much: what it does not have is delivered.
 * </ul>
 *
 * <p><b>The order holds.</b> What was seen later finds the subscription, for the first time and
 * when it comes again; so what comes again is in the order in which it came, without what was left
 * out. Between the moment in which the subscription is written and that in which every shard sees
 * it, less than a turn, a message may come that is in neither.
 *
 * <p>Not of the stream of retained messages: what is seen of it may not be kept yet, and not be
 * replayed to the session either.
 *
 * <p>Positions are those of streams to the node that leads the session: another node can't use
 * them.
 */
public final class CameBefore {
    /** Streams at most: what came by others is delivered. */
    public static final int MAX = 64;

    /**
     * Streams have lower numbers; stores of earlier versions may have others, which say nothing.
     */
    private static final int NUMBERS = 1 << 21;

    private static final int START_SHIFT = 22;
    private static final int SERVER_SHIFT = 40;
    private static final int NUMBER_MASK = (1 << START_SHIFT) - 1;
    private static final int START_MASK = (1 << SERVER_SHIFT - START_SHIFT) - 1;

    /** Names of streams. */
    private final long[] names;

    private final long[] positions;

    private CameBefore(long[] names, long[] positions) {
        this.names = names;
        this.positions = positions;
    }

    /** The streams that come here. Any thread asks. */
    public interface Streams {
        /**
         * Adds what has come from other nodes, and may come again when this one starts anew.
         *
         * @param nowMs a shard's time
         */
        default void addCame(Builder to, long nowMs) {}

        /** Whether something of what had come before may still come again after a start. */
        default boolean mayComeAgain(CameBefore before, long nowMs) {
            return false;
        }
    }

    /** Gathers one; of several positions of one stream the highest counts. */
    public static final class Builder {
        private long[] names = new long[4];
        private long[] positions = new long[4];
        private int size;

        /**
         * @param server id of the node whose stream it is
         * @param start number of that node's start
         * @param number of the stream
         * @param position up to which it has been seen
         */
        public Builder add(int server, long start, int number, long position) {
            boolean hasName = start <= IngressId.START_MAX && number < NUMBERS;
            return hasName ? add(name(server, start, number), position) : this;
        }

        private Builder add(long name, long position) {
            if (size == MAX) {
                return this;
            }
            if (size == names.length) {
                names = Arrays.copyOf(names, size * 2);
                positions = Arrays.copyOf(positions, size * 2);
            }
            names[size] = name;
            positions[size++] = position;
            return this;
        }

        /** Null when it is empty. */
        public @Nullable CameBefore build() {
            return size == 0
                    ? null
                    : new CameBefore(Arrays.copyOf(names, size), Arrays.copyOf(positions, size));
        }
    }

    private static long name(int server, long start, int number) {
        return (long) server << SERVER_SHIFT | start << START_SHIFT | number;
    }

    /** Whether what stands at a position of a stream had been seen. */
    public boolean has(int server, long start, int number, long position) {
        return position <= positionOf(name(server, start, number));
    }

    private long positionOf(long name) {
        long highest = 0;
        for (int i = 0; i < names.length; i++) {
            if (names[i] == name) {
                highest = Math.max(highest, positions[i]);
            }
        }
        return highest;
    }

    /** What one and another one have. */
    public static @Nullable CameBefore ofBoth(
            @Nullable CameBefore one, @Nullable CameBefore other) {
        if (one == null || other == null || one == other) {
            return one == other ? one : null;
        }
        Builder both = new Builder();
        for (int i = 0; i < one.names.length; i++) {
            long upTo = Math.min(one.positions[i], other.positionOf(one.names[i]));
            if (upTo > 0) {
                both.add(one.names[i], upTo);
            }
        }
        return both.build();
    }

    /** What it takes in memory. */
    public int bytes() {
        return 64 + 2 * Long.BYTES * names.length;
    }

    /** Streams. */
    public int size() {
        return names.length;
    }

    public int server(int of) {
        return (int) (names[of] >>> SERVER_SHIFT);
    }

    public long start(int of) {
        return names[of] >>> START_SHIFT & START_MASK;
    }

    /** Returns the stream's number among those of the node whose it is. */
    public int number(int of) {
        return (int) names[of] & NUMBER_MASK;
    }

    public long position(int of) {
        return positions[of];
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CameBefore that
                && Arrays.equals(names, that.names)
                && Arrays.equals(positions, that.positions);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(names) * 31 + Arrays.hashCode(positions);
    }
}

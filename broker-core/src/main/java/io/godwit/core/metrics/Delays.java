package io.godwit.core.metrics;

/**
 * Measures on one shard how long packets take, from the begin of the turn that reads them to the
 * end of the turn in which what follows from them leaves. Turns read the clock at both moments
 * anyway, so that a packet costs no reading of its own. Only the shard's thread changes it.
 *
 * <p>A moment is an int in units of 16 microseconds, which comes again after 19 hours: whatever
 * took that long counts as that much shorter.
 */
public final class Delays {
    /** The moment of what was not read in this start of the node: nothing is measured of it. */
    public static final int UNKNOWN = 0;

    private static final int UNIT_SHIFT = 14;

    /** Moments that may be in the future: clocks of two processors can differ by a little. */
    private static final long SKEW = 1 << 16;

    private static final int KINDS = Delay.values().length;

    /**
     * Different moments of one kind that wait for the turn's end; of more the first are counted.
     */
    private static final int WAITING = 16;

    private final TimeHistogram[] histograms = new TimeHistogram[KINDS];
    private final int[] since = new int[KINDS * WAITING];
    private final int[] counts = new int[KINDS * WAITING];
    private final int[] sizes = new int[KINDS];
    private boolean isAnyWaiting;
    private int turnBegin = 1;

    public Delays() {
        for (int i = 0; i < KINDS; i++) {
            histograms[i] = new TimeHistogram();
        }
    }

    /** The durations of one kind so far; any thread reads them. */
    public TimeHistogram histogram(Delay kind) {
        return histograms[kind.ordinal()];
    }

    /** Begins a turn. */
    public void begin(long nanos) {
        turnBegin = moment(nanos);
    }

    private static int moment(long nanos) {
        int moment = (int) (nanos >>> UNIT_SHIFT);
        return moment == UNKNOWN ? 1 : moment;
    }

    /** The moment at which this turn began. */
    public int turnBegin() {
        return turnBegin;
    }

    /** Notes that something leaves with this turn. */
    public void leaves(Delay kind, int readAt) {
        int row = kind.ordinal();
        int size = sizes[row];
        int last = row * WAITING + size - 1;
        if (size > 0 && since[last] == readAt) {
            counts[last]++;
        } else if (readAt != UNKNOWN) {
            add(row, readAt);
        }
    }

    private void add(int row, int readAt) {
        if (sizes[row] == WAITING) {
            count(row, turnBegin); // A little too short: the turn has not ended.
        }
        int next = row * WAITING + sizes[row]++;
        since[next] = readAt;
        counts[next] = 1;
        isAnyWaiting = true;
    }

    /** Ends the turn: what was to leave with it has left. */
    public void end(long nanos) {
        if (isAnyWaiting) {
            isAnyWaiting = false;
            int now = moment(nanos);
            for (int row = 0; row < KINDS; row++) {
                count(row, now);
            }
        }
    }

    private void count(int row, int now) {
        for (int i = row * WAITING, end = i + sizes[row]; i < end; i++) {
            long units = Integer.toUnsignedLong(now - since[i]);
            long took = units > 0xFFFF_FFFFL - SKEW ? 0 : units;
            histograms[row].add(took << UNIT_SHIFT, counts[i]);
        }
        sizes[row] = 0;
    }
}

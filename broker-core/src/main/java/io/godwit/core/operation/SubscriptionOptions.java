package io.godwit.core.operation;

/**
 * The options of a subscription: qos 0-1 | no local 2 | retain as published 3 | since follows 4.
 *
 * <pre>
 * options 1 | ids | [since: number of a grant varint]
 * </pre>
 *
 * <p>A reader that does not know what follows leaves it.
 */
public final class SubscriptionOptions {
    private static final int NO_LOCAL = 1 << 2;
    private static final int RETAIN = 1 << 3;
    private static final int SINCE = 1 << 4;

    private SubscriptionOptions() {}

    /** Writes what is kept of a subscription, behind its filter and stamp. */
    public static void write(ByteWriter to, Subject.SubscriptionPut put) {
        int options = of(put.qos(), put.noLocal(), put.retainAsPublished());
        to.u8(put.since() == 0 ? options : options | SINCE).ints(put.ids());
        if (put.since() != 0) {
            to.varint(put.since());
        }
    }

    public static int of(int qos, boolean noLocal, boolean retainAsPublished) {
        return qos | (noLocal ? NO_LOCAL : 0) | (retainAsPublished ? RETAIN : 0);
    }

    public static int qos(int options) {
        return options & 3;
    }

    public static boolean noLocal(int options) {
        return (options & NO_LOCAL) != 0;
    }

    public static boolean retainAsPublished(int options) {
        return (options & RETAIN) != 0;
    }

    /**
     * Reads since when the session has it; what is before it was read.
     *
     * @return number of a grant; 0: not said
     */
    public static long since(int options, ByteReader from) {
        return (options & SINCE) == 0 ? 0 : from.varint();
    }
}

package io.godwit.core.operation;

/** The options of a subscription in one byte: qos 0-1 | no local 2 | retain as published 3. */
public final class SubscriptionOptions {
    private static final int NO_LOCAL = 1 << 2;
    private static final int RETAIN = 1 << 3;

    private SubscriptionOptions() {}

    public static int of(Subject.SubscriptionPut put) {
        return of(put.qos(), put.noLocal(), put.retainAsPublished());
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
}

package io.godwit.core.routing;

import io.godwit.core.packet.TopicFilter;

/**
 * One session's subscription to one filter, as it stands in the index. Immutable but for the place
 * that the index remembers in it.
 */
public final class Subscription {
    private static final int[] NO_IDS = new int[0];

    public final SessionRef session;

    /** The filter as the client named it, {@code $share/...} included. */
    public final TopicFilter filter;

    /** Granted QoS, 0..2. */
    public final byte qos;

    public final boolean noLocal;
    public final boolean retainAsPublished;

    /**
     * Subscription Identifiers: none, one, or, in a route that merged overlapping filters, several.
     */
    public final int[] ids;

    /** Index version at which it was added; set by the index. */
    long addedAt;

    /** Slot in the subscriber set of its filter; set by the index. */
    int slot;

    public Subscription(
            SessionRef session,
            TopicFilter filter,
            int qos,
            boolean noLocal,
            boolean retainAsPublished,
            int[] ids) {
        this.session = session;
        this.filter = filter;
        this.qos = (byte) qos;
        this.noLocal = noLocal;
        this.retainAsPublished = retainAsPublished;
        this.ids = ids.length == 0 ? NO_IDS : ids;
    }

    public long addedAt() {
        return addedAt;
    }
}

package io.godwit.core.simulation;

/**
 * One SUBSCRIBE of one filter, in moments; a moment that has not come is {@link Long#MAX_VALUE}.
 */
final class Subscribed {
    /** The filter as the client names it, {@code $share/...} included. */
    final String filter;

    /** What topics are matched against. */
    final String matches;

    final boolean shared;
    final int qos;
    final boolean noLocal;
    final boolean retainAsPublished;
    final boolean replays;
    final long sentAt;
    long ackedAt = Long.MAX_VALUE;

    /**
     * When it ceased to promise anything: at UNSUBSCRIBE, or at another SUBSCRIBE of the filter.
     */
    long endsAt = Long.MAX_VALUE;

    /** The SUBSCRIBE that took its place, by which no message is lost; null = none. */
    Subscribed replacedBy;

    /** When nothing may be delivered for it any more. */
    long overAt = Long.MAX_VALUE;

    /** UNSUBSCRIBE was sent. */
    boolean leaving;

    Subscribed(
            String filter,
            int qos,
            boolean noLocal,
            boolean retainAsPublished,
            boolean replays,
            long sentAt) {
        this.filter = filter;
        this.shared = filter.startsWith("$share/");
        this.matches = shared ? filter.substring(filter.indexOf('/', 7) + 1) : filter;
        this.qos = qos;
        this.noLocal = noLocal;
        this.retainAsPublished = retainAsPublished;
        this.replays = replays;
        this.sentAt = sentAt;
    }

    /**
     * Until when the subscription, with what took its place, promises what this client publishes,
     * or others.
     *
     * @param own whether the client itself publishes
     */
    long promisesUntil(boolean own) {
        if (qos == 0 || noLocal && own) {
            return 0;
        }
        Subscribed next = replacedBy;
        return next == null ? endsAt : Math.max(endsAt, next.promisesUntil(own));
    }

    boolean isFor(String topic) {
        return Topics.matches(matches, topic);
    }
}

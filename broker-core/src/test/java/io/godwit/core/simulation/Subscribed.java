package io.godwit.core.simulation;

/**
 * One SUBSCRIBE of one filter, in moments; a moment that has not come is {@link Long#MAX_VALUE}.
 */
final class Subscribed {
    /** As the client names it, {@code $share/...} included. */
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

    /** From here on nothing is promised any more: UNSUBSCRIBE, or another SUBSCRIBE of it. */
    long endsAt = Long.MAX_VALUE;

    /** From here on nothing may be published to it any more. */
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

    boolean isFor(String topic) {
        return Topics.matches(matches, topic);
    }
}

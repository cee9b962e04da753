package io.godwit.core.routing;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One session's subscription to one filter, as it stands in the index, or in a route what its
 * overlapping subscriptions come to together. Immutable but for the place that the index remembers
 * in it.
 */
public sealed class Subscription implements FilterEntry {
    private static final int[] NO_IDS = new int[0];

    public final SessionRef session;

    /**
     * The filter as the client named it, {@code $share/...} included; of a merged one, that with
     * the highest QoS.
     */
    public final TopicFilter filter;

    /** Granted QoS, 0..2. */
    public final byte qos;

    /** Of a merged one: when all have it. Ask {@link #forPublisher}, not this field. */
    public final boolean noLocal;

    /** Of a merged one: when any has it. */
    public final boolean retainAsPublished;

    /**
     * Subscription Identifiers: none, one, or, in a route that merged overlapping filters, several.
     */
    public final int[] ids;

    /**
     * Index version at which it was added; set by the index. Of a merged one: the lowest, since
     * then the session gets messages of this topic.
     */
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

    public final long addedAt() {
        return addedAt;
    }

    /**
     * What applies to a message of this publisher: for all but the session's own client this; for
     * the own one what is left without the subscriptions that have No Local, or null
     * [MQTT-3.8.3-3].
     */
    public @Nullable Subscription forPublisher(@Nullable ClientId publisher) {
        return noLocal && isOwn(publisher) ? null : this;
    }

    /** Both of one session, as one: highest QoS, all identifiers [MQTT-3.3.4-2, -4]. */
    static Subscription merge(Subscription a, Subscription b) {
        if (!a.mayDifferForOwn() && !b.mayDifferForOwn()) {
            return both(a, b);
        }
        Subscription ownA = a.own();
        Subscription ownB = b.own();
        Subscription own = ownA == null ? ownB : ownB == null ? ownA : both(ownA, ownB);
        return own == null ? both(a, b) : new PartlyLocal(both(a, b), own);
    }

    /** What applies to messages of the session's own client. */
    @Nullable Subscription own() {
        return noLocal ? null : this;
    }

    boolean mayDifferForOwn() {
        return noLocal;
    }

    final boolean isOwn(@Nullable ClientId publisher) {
        return publisher != null && publisher.equals(session.clientId());
    }

    private static Subscription both(Subscription a, Subscription b) {
        int[] ids = a.ids;
        if (b.ids.length > 0) {
            ids = Arrays.copyOf(ids, ids.length + b.ids.length);
            System.arraycopy(b.ids, 0, ids, a.ids.length, b.ids.length);
        }
        Subscription both =
                new Subscription(
                        a.session,
                        a.qos >= b.qos ? a.filter : b.filter,
                        Math.max(a.qos, b.qos),
                        a.noLocal && b.noLocal,
                        a.retainAsPublished || b.retainAsPublished,
                        ids);
        both.addedAt = Math.min(a.addedAt, b.addedAt);
        return both;
    }

    /** Overlapping subscriptions of which some have No Local and others not. */
    private static final class PartlyLocal extends Subscription {
        private final Subscription own;

        PartlyLocal(Subscription all, Subscription own) {
            super(all.session, all.filter, all.qos, false, all.retainAsPublished, all.ids);
            this.addedAt = all.addedAt;
            this.own = own;
        }

        @Override
        public Subscription forPublisher(@Nullable ClientId publisher) {
            return isOwn(publisher) ? own : this;
        }

        @Override
        Subscription own() {
            return own;
        }

        @Override
        boolean mayDifferForOwn() {
            return true;
        }
    }
}

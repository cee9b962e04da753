package io.godwit.core.routing;

import io.godwit.core.message.CameBefore;
import io.godwit.core.message.KnownBefore;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One session's subscription to one filter, as it stands in the index, or in a route what its
 * overlapping subscriptions come to together. Immutable but for the place that the index remembers
 * in it.
 */
public sealed class Subscription implements FilterEntry {
    static final int[] NO_IDS = new int[0];

    public final SessionRef session;

    /**
     * The filter as the client named it, {@code $share/...} included; of a merged one, that with
     * the highest QoS.
     */
    public final TopicFilter filter;

    /** Granted QoS, 0..2. */
    public final byte qos;

    /**
     * The No Local option; of a merged subscription, whether all have it. Ask {@link
     * #forPublisher}, not this field.
     */
    public final boolean noLocal;

    /** The Retain As Published option; of a merged subscription, whether any has it. */
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

    /** What {@link #isOwedAfterCrash} was when its filter counted it; set by the index. */
    boolean countsAsDurable;

    /** The chunk in which it stands when its filter has several subscriptions; set by the index. */
    @Nullable Subscription @Nullable [] chunk;

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

    /** The chunk of a subscription that stands in a set. */
    final @Nullable Subscription[] chunk() {
        return Objects.requireNonNull(chunk);
    }

    /** Whether publishers of QoS 1 and 2 wait for the session, so that a crash loses nothing. */
    public final boolean isOwedAfterCrash() {
        return qos > 0 && session.isAwaited();
    }

    public final long addedAt() {
        return addedAt;
    }

    /**
     * The subscription that applies to a message of this publisher: for all but the session's own
     * client this one; for that client what is left without the subscriptions that have No Local,
     * or null [MQTT-3.8.3-3].
     */
    public @Nullable Subscription forPublisher(@Nullable ClientId publisher) {
        return noLocal && isOwn(publisher) ? null : this;
    }

    final boolean isOwn(@Nullable ClientId publisher) {
        return publisher != null && publisher.equals(session.clientId());
    }

    /** What had come before it, and is none of its own; null when that is nothing. Any thread. */
    public final @Nullable CameBefore cameBefore() {
        KnownBefore known = knownBefore();
        return known == null ? null : known.came();
    }

    /** The same, to be shared with what takes its place. */
    public @Nullable KnownBefore knownBefore() {
        return null;
    }

    /**
     * One before which something had come that may come again. A class of its own, since most have
     * nothing of it.
     */
    private static final class Younger extends Subscription {
        private final KnownBefore before;

        Younger(
                SessionRef session,
                TopicFilter filter,
                int qos,
                boolean noLocal,
                boolean retainAsPublished,
                int[] ids,
                KnownBefore before) {
            super(session, filter, qos, noLocal, retainAsPublished, ids);
            this.before = before;
        }

        @Override
        public @Nullable KnownBefore knownBefore() {
            return before.came() == null ? null : before;
        }
    }

    /**
     * Makes one.
     *
     * @param before what had come before it; null for nothing
     */
    public static Subscription of(
            SessionRef session,
            TopicFilter filter,
            int qos,
            boolean noLocal,
            boolean retainAsPublished,
            int[] ids,
            @Nullable KnownBefore before) {
        return before == null
                ? new Subscription(session, filter, qos, noLocal, retainAsPublished, ids)
                : new Younger(session, filter, qos, noLocal, retainAsPublished, ids, before);
    }

    /** Overlapping subscriptions of which some have No Local and others not. */
    static final class PartlyLocal extends Subscription {
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
    }
}

package io.godwit.core.routing;

import io.godwit.core.message.CameBefore;
import io.godwit.core.message.KnownBefore;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one session that a topic matches, gathered to be one: highest QoS, all
 * identifiers [MQTT-3.3.4-2, -4]. Costs as much as there are subscriptions, not their square.
 */
final class Overlap {
    private final Sum all = new Sum();

    /**
     * The sum of the subscriptions without No Local, once there are others: it applies to messages
     * of the session's own client.
     */
    private @Nullable Sum own;

    private static final class Sum {
        private @Nullable Subscription best;
        private boolean noLocal = true;
        private boolean retainAsPublished;
        private int[] ids = Subscription.NO_IDS;
        private int idCount;
        private long addedAt = Long.MAX_VALUE;

        /** What had come before all of them. */
        private @Nullable CameBefore before;

        /** The sum for the session's own client, as it is while none has No Local. */
        Sum copy() {
            Sum copy = new Sum();
            copy.best = best;
            copy.noLocal = false;
            copy.retainAsPublished = retainAsPublished;
            copy.ids = ids.clone();
            copy.idCount = idCount;
            copy.addedAt = addedAt;
            copy.before = before;
            return copy;
        }

        void add(Subscription s) {
            before = best == null ? s.cameBefore() : CameBefore.ofBoth(before, s.cameBefore());
            if (best == null || s.qos > best.qos) {
                best = s;
            }
            noLocal &= s.noLocal;
            retainAsPublished |= s.retainAsPublished;
            addedAt = Math.min(addedAt, s.addedAt);
            if (s.ids.length > 0) {
                int needed = idCount + s.ids.length;
                if (needed > ids.length) {
                    ids = Arrays.copyOf(ids, Math.max(4, Math.max(needed, ids.length * 2)));
                }
                System.arraycopy(s.ids, 0, ids, idCount, s.ids.length);
                idCount = needed;
            }
        }

        @Nullable Subscription merged() {
            Subscription of = best;
            if (of == null) {
                return null;
            }
            int[] exact = idCount == ids.length ? ids : Arrays.copyOf(ids, idCount);
            Subscription merged =
                    Subscription.of(
                            of.session,
                            of.filter,
                            of.qos,
                            noLocal,
                            retainAsPublished,
                            exact,
                            before == null ? null : new KnownBefore(before));
            merged.addedAt = addedAt;
            return merged;
        }
    }

    void add(Subscription s) {
        if (s.noLocal && own == null) {
            own = all.copy();
        }
        all.add(s);
        if (own != null && !s.noLocal) {
            own.add(s);
        }
    }

    /** The subscription that two or more come to together. */
    Subscription merged() {
        Subscription whole = all.merged();
        if (whole == null) {
            throw new IllegalStateException("nothing overlaps");
        }
        Subscription ownPart = own == null ? null : own.merged();
        return ownPart == null ? whole : new Subscription.PartlyLocal(whole, ownPart);
    }
}

package io.godwit.core.publish;

import io.godwit.core.packet.Topic;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Topics of PUBLISHes that were refused since a node is away, and whose client has not been told
 * yet: acknowledgements before that one wait. Until then its connection may end, and what was
 * refused comes again as something new: nothing that was published later on its topic may go before
 * it. Other topics go on.
 */
final class UntoldTopics {
    /**
     * @param toldAtLeft when so many acknowledgements have left, the client has been told
     * @param wasHeld whether what is held now was published later
     */
    private record Untold(long toldAtLeft, boolean wasHeld) {}

    private final AckOrder acks;

    /** As many as the client may have unacknowledged; null when there are none. */
    private @Nullable Map<Topic, Untold> topics;

    /** The last of them. */
    private long allToldAtLeft;

    UntoldTopics(AckOrder acks) {
        this.acks = acks;
    }

    /** One was refused, whose acknowledgement waits behind all others, or has left. */
    void add(Topic topic, boolean wasHeld) {
        if (acks.waiting() == 0) {
            return;
        }
        Map<Topic, Untold> some = topics == null ? new HashMap<>(4) : topics;
        topics = some;
        allToldAtLeft = acks.left() + acks.waiting();
        some.put(topic, new Untold(allToldAtLeft, wasHeld));
    }

    private @Nullable Untold of(Topic topic) {
        Map<Topic, Untold> some = topics;
        if (some == null) {
            return null;
        }
        if (acks.left() >= allToldAtLeft) {
            topics = null;
            return null;
        }
        Untold untold = some.get(topic);
        return untold == null || acks.left() >= untold.toldAtLeft ? null : untold;
    }

    /** Whether a PUBLISH that comes now would go before one that was refused. */
    boolean has(Topic topic) {
        return of(topic) != null;
    }

    /** Whether a PUBLISH that was held would. */
    boolean wasHeldBefore(Topic topic) {
        Untold untold = of(topic);
        return untold != null && untold.wasHeld;
    }
}

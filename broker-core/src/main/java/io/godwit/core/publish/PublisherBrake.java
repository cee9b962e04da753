package io.godwit.core.publish;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.routing.RouteTarget;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Whether the node, or someone that a client publishes to, must not get more from it. */
final class PublisherBrake {
    /**
     * A client publishes to the store as long as one in so many of its messages waited for it. Of a
     * new one nobody knows better.
     */
    private static final int OF_STORE_MESSAGES = 64;

    private final ShardLoad load;
    private final PublisherSession session;
    private final LargeMessageWait large;
    private final BooleanSupplier awaitsRoom;

    /** Who held more than its part when this client published to it, and may still do so. */
    private @Nullable RouteTarget fed;

    /** Whether somebody at another node still does, to whom it has published; null for nobody. */
    private @Nullable BooleanSupplier fedElsewhere;

    /** Whether this client published to many while shards had enough of that to do. */
    private boolean feedsCrowd;

    /**
     * Messages that must be acknowledged at once before it counts as none who waits for the store.
     */
    private int untilFree = OF_STORE_MESSAGES;

    /**
     * @param awaitsRoom whether a node that the client publishes to has enough to do
     */
    PublisherBrake(
            ShardLoad load,
            PublisherSession session,
            LargeMessageWait large,
            BooleanSupplier awaitsRoom) {
        this.load = load;
        this.session = session;
        this.large = large;
        this.awaitsRoom = awaitsRoom;
    }

    /** A message of this client went to a target that holds more than its part. */
    void feeds(RouteTarget full) {
        fed = full;
    }

    /** A message of this client went to many, while shards have enough of that to do. */
    void feedsCrowd() {
        feedsCrowd = true;
    }

    /**
     * A message of this client was routed.
     *
     * @param waits whether its acknowledgement waits for the store, or for another node
     */
    void routed(boolean waits) {
        untilFree = waits ? OF_STORE_MESSAGES : Math.max(0, untilFree - 1);
    }

    /**
     * The same of a target at another node.
     *
     * @param isFull whether it still holds more
     */
    void feedsElsewhere(BooleanSupplier isFull) {
        fedElsewhere = isFull;
    }

    boolean isOn() {
        return load.isAlarm()
                || untilFree > 0 && load.isStoreBehind()
                || feedsFull()
                || feedsFullElsewhere()
                || large.isOn()
                || awaitsRoom.getAsBoolean();
    }

    /** Whether shards have enough to do with mail before they get more from this client. */
    boolean awaitsMail() {
        return load.isPeerBehind() || feedsCrowd && isCrowded();
    }

    private boolean isCrowded() {
        feedsCrowd = load.isCrowded();
        return feedsCrowd;
    }

    private boolean feedsFullElsewhere() {
        BooleanSupplier isFull = fedElsewhere;
        if (isFull == null || isFull.getAsBoolean()) {
            return isFull != null;
        }
        fedElsewhere = null;
        return false;
    }

    private boolean feedsFull() {
        RouteTarget target = fed;
        if (target == null) {
            return false;
        }
        if (load.isMemoryShort() && target.isFull()) {
            return true;
        }
        fed = null;
        return false;
    }

    /**
     * Whether the brake waits for this client's acknowledgements: they must not stand behind a
     * PUBLISH.
     */
    boolean mustStayRead() {
        return session.inFlightCount() > 0 && isOn();
    }

    /**
     * Whether this publisher's socket is left unread. During an alarm one that also has messages in
     * flight towards it stays read, so that its acknowledgements get through; its PUBLISHes are
     * parked.
     */
    boolean publishersWait() {
        return awaitsMail() || isOn() && session.inFlightCount() == 0;
    }
}

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
    private final HeldPublishes held;
    private final BooleanSupplier isParkedOut;

    /**
     * Whether what is parked goes on whoever is behind: no more can be parked, and a subscriber
     * that is behind is no reason to refuse anything.
     */
    private boolean passes;

    /** Who this client has to wait for since it has published to it; that may be over. */
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
     * @param isParkedOut whether no more can be parked
     */
    PublisherBrake(
            ShardLoad load,
            PublisherSession session,
            LargeMessageWait large,
            BooleanSupplier awaitsRoom,
            HeldPublishes held,
            BooleanSupplier isParkedOut) {
        this.load = load;
        this.session = session;
        this.large = large;
        this.awaitsRoom = awaitsRoom;
        this.held = held;
        this.isParkedOut = isParkedOut;
    }

    /** A message of this client went to a target for which it has to wait. */
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

    /** Whether what this client publishes must wait; then it is parked if it is decoded. */
    boolean isOn() {
        return load.isDiskAlarm() || isOnWithoutDisk();
    }

    private boolean isOnWithoutDisk() {
        return load.isQueueAlarm()
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
        if (isFull == null) {
            return false;
        }
        if (isFull.getAsBoolean()) {
            return !passes();
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
        if (target.isBehind()) {
            return !passes();
        }
        fed = null;
        return false;
    }

    private boolean passes() {
        passes = !held.isEmpty() && (passes || isParkedOut.getAsBoolean());
        return passes;
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
     * parked. The disk alarm stops nobody before a PUBLISH arrives, which is then not decoded.
     */
    boolean publishersWait() {
        return awaitsMail() || isOnWithoutDisk() && session.inFlightCount() == 0;
    }
}

package io.godwit.core.publish;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.routing.RouteTarget;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Whether the node, or someone that a client publishes to, must not get more from it. */
final class PublisherBrake {
    private final ShardLoad load;
    private final PublisherSession session;
    private final BooleanSupplier awaitsRoom;

    /** Who held more than its part when this client published to it, and may still do so. */
    private @Nullable RouteTarget fed;

    /**
     * @param awaitsRoom whether a node that the client publishes to has enough to do
     */
    PublisherBrake(ShardLoad load, PublisherSession session, BooleanSupplier awaitsRoom) {
        this.load = load;
        this.session = session;
        this.awaitsRoom = awaitsRoom;
    }

    /** A message of this client went to a target that holds more than its part. */
    void feeds(RouteTarget full) {
        fed = full;
    }

    boolean isOn() {
        return load.isAlarm() || feedsFull() || awaitsRoom.getAsBoolean();
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
        return load.isPeerBehind() || isOn() && session.inFlightCount() == 0;
    }
}

package io.godwit.core.publish;

import io.godwit.core.routing.RouteTarget;

/** Whoever stands for the publisher of a message while it is routed. */
public interface Feeder {
    /** The message went to a target that holds more than its part: its publisher is to wait. */
    void feeds(RouteTarget full);

    /** The message went to many, while shards have enough of that to do. */
    default void feedsCrowd() {}
}

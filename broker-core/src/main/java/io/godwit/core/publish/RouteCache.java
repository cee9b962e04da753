package io.godwit.core.publish;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.packet.Topic;
import io.godwit.core.routing.Route;
import java.util.ArrayDeque;

/**
 * The routes that topics keep, in the order in which they were made: those made first are forgotten
 * when they take too much together. Whoever else holds the topic (a retained message does) so does
 * not hold the route.
 */
final class RouteCache {
    /** Bytes of an entry here, beside the route's own bytes and the topic's. */
    private static final int ENTRY_BYTES = 120;

    private final ShardLoad load;
    private final ArrayDeque<Kept> kept = new ArrayDeque<>();
    private long bytes;

    private record Kept(Topic topic, Route route, int bytes) {}

    RouteCache(ShardLoad load) {
        this.load = load;
    }

    void keep(Topic topic, Route route) {
        topic.route = route;
        Kept newest =
                new Kept(
                        topic,
                        route,
                        (int)
                                Math.min(
                                        Integer.MAX_VALUE,
                                        ENTRY_BYTES + topic.length() + route.accountedBytes()));
        kept.add(newest);
        bytes += newest.bytes();
        while (bytes > load.routeBytesMax()) {
            Kept first = kept.remove();
            bytes -= first.bytes();
            if (first.topic().route == first.route()) {
                first.topic().route = null;
            }
        }
        load.routes(bytes);
    }
}

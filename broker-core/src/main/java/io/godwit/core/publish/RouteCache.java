package io.godwit.core.publish;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.packet.Topic;
import io.godwit.core.routing.Route;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The routes that topics keep, in the order in which they were made: those made first are forgotten
 * when they take too much together. Whoever else holds the topic (a retained message does) so does
 * not hold the route.
 *
 * <p>Of each name there is one. A publisher that goes round more topics than the decoder remembers
 * names them with ever new values: were their routes kept as well, all of them would grow old here
 * before they go, and each collection would copy what no publisher can come back to.
 */
final class RouteCache {
    /** Bytes of an entry here, beside the route's own bytes and the topic's. */
    private static final int ENTRY_BYTES = 160;

    private final ShardLoad load;
    private final Map<Topic, Kept> kept = new LinkedHashMap<>();
    private long bytes;

    private record Kept(Topic topic, Route route, int bytes) {}

    RouteCache(ShardLoad load) {
        this.load = load;
    }

    /**
     * Lets a topic have the route that another value of its name has, if that is of this version of
     * the index; the other one has none then. Null when there is no such route.
     */
    @Nullable Route move(Topic topic, long version) {
        Kept found = kept.get(topic);
        if (found == null || found.route.version() != version) {
            return null;
        }
        keep(topic, found.route);
        return found.route;
    }

    void keep(Topic topic, Route route) {
        Kept before = kept.remove(topic);
        if (before != null) {
            forget(before);
        }
        topic.route = route;
        long each = ENTRY_BYTES + topic.length() + route.accountedBytes();
        Kept newest = new Kept(topic, route, (int) Math.min(Integer.MAX_VALUE, each));
        kept.put(topic, newest);
        bytes += newest.bytes();
        if (bytes > load.routeBytesMax()) {
            Iterator<Kept> oldest = kept.values().iterator();
            while (bytes > load.routeBytesMax()) {
                Kept first = oldest.next();
                oldest.remove();
                forget(first);
            }
        }
        load.routes(bytes);
    }

    private void forget(Kept gone) {
        bytes -= gone.bytes();
        if (gone.topic().route == gone.route()) {
            gone.topic().route = null;
        }
    }
}

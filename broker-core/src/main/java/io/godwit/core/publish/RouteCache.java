package io.godwit.core.publish;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.packet.KeyedHash;
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
    private static final int ENTRY_BYTES = 180;

    private final ShardLoad load;
    private final KeyedHash hash;
    private final Map<Name, Kept> kept = new LinkedHashMap<>();
    private long bytes;

    private record Kept(Topic topic, Route route, int bytes) {}

    /** A topic under a hash that no stranger can foresee. */
    private record Name(Topic topic, int hash) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Name that && topic.equals(that.topic);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    RouteCache(ShardLoad load, KeyedHash hash) {
        this.load = load;
        this.hash = hash;
    }

    private Name name(Topic topic) {
        return new Name(topic, hash.hash(topic.bytes()));
    }

    /**
     * Lets a topic have the route that another value of its name has, if that is of this version of
     * the index; the other one has none then. Null when there is no such route.
     */
    @Nullable Route move(Topic topic, long version) {
        Name name = name(topic);
        Kept found = kept.get(name);
        if (found == null || found.route.version() != version) {
            return null;
        }
        keep(name, found.route);
        return found.route;
    }

    void keep(Topic topic, Route route) {
        keep(name(topic), route);
    }

    private void keep(Name name, Route route) {
        Topic topic = name.topic;
        Kept before = kept.remove(name);
        if (before != null) {
            forget(before);
        }
        topic.route = route;
        long each = ENTRY_BYTES + topic.length() + route.accountedBytes();
        Kept newest = new Kept(topic, route, (int) Math.min(Integer.MAX_VALUE, each));
        kept.put(name, newest);
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

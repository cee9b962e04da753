package io.godwit.core.publish;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.packet.Topic;
import io.godwit.core.routing.Route;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.routing.TopicMatcher;

/** From a topic to its route. What finding it costs is charged to the turn. */
final class Routes {
    private final TopicIndex index;
    private final TopicMatcher matcher;
    private final RouteCache kept;
    private final TurnWork work;

    /** Filters matched and subscriptions merged for routes that no topic had kept. */
    private int found;

    Routes(TopicIndex index, ShardLoad load, TurnWork work) {
        this.index = index;
        this.matcher = index.matcher();
        this.kept = new RouteCache(load, index.hash());
        this.work = work;
    }

    /** The match result stays with the interned topic for as long as the index does not change. */
    Route of(Topic topic) {
        Object last = topic.route;
        if (last instanceof Route route && route.version() == index.version()) {
            return route;
        }
        Route moved = kept.move(topic, index.version());
        if (moved != null) {
            work.charge(1);
            return moved;
        }
        Route route = matcher.route(topic);
        found += matcher.work();
        work.charge(matcher.work() + 1);
        kept.keep(topic, route);
        return route;
    }

    /** Whether a route is still that of the topic. */
    boolean isOf(Route route, Topic topic) {
        return topic.route == route && route.version() == index.version();
    }

    /**
     * Whether routes had to be found since this was asked, in a turn whose work is spent: what
     * comes next should wait for another one.
     */
    boolean hasFoundTooMuch() {
        return takeFound() > 0 && work.isSpent();
    }

    /** The work of finding routes since this was asked. */
    int takeFound() {
        int taken = found;
        found = 0;
        return taken;
    }
}

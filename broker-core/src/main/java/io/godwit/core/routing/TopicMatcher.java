package io.godwit.core.routing;

import io.godwit.core.packet.Topic;
import java.util.Objects;

/**
 * Finds routes for one reading thread: {@link TopicIndex} with the scratch space that this needs,
 * so that a match allocates nothing but its route. Not to be shared between threads.
 */
public final class TopicMatcher {
    private final TopicIndex index;
    private final FilterMatcher<FilterEntry> filters;
    private final FilterMatcher<NodeRef[]> nodes;
    private final RouteMerger merger = new RouteMerger();
    private int work;

    TopicMatcher(
            TopicIndex index, FilterMatcher<FilterEntry> filters, FilterMatcher<NodeRef[]> nodes) {
        this.index = index;
        this.filters = filters;
        this.nodes = nodes;
    }

    /**
     * The targets of a topic. To be asked for again when {@link TopicIndex#version} is not the
     * route's any more.
     */
    public Route route(Topic topic) {
        long version = index.version(); // before the walk: the route may know more, never less
        int matches = filters.match(topic);
        Route route = merger.route(version, filters.matched(), matches, nodes(topic));
        work = matches + merger.entries();
        return route;
    }

    /**
     * The work of the last {@link #route}: filters that matched, and subscriptions that were
     * merged.
     */
    public int work() {
        return work;
    }

    private NodeRef[] nodes(Topic topic) {
        if (index.nodes().isEmpty()) {
            return Route.NO_NODES;
        }
        int matches = nodes.match(topic);
        NodeRef[] all = Route.NO_NODES;
        for (int i = 0; i < matches; i++) {
            all = NodeFilters.union(all, (NodeRef[]) Objects.requireNonNull(nodes.matched()[i]));
        }
        return all;
    }
}

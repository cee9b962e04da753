package io.godwit.core.routing;

import io.godwit.core.packet.Topic;
import java.util.Arrays;
import java.util.Objects;

/**
 * Finds routes for one reading thread: {@link TopicIndex} with the scratch space that this needs,
 * so that a match allocates nothing but its route. Not to be shared between threads.
 */
public final class TopicMatcher {
    private final TopicIndex index;
    private final FilterMatcher<FilterEntry> filters;
    private final FilterMatcher<NodeRef[]> nodes;
    private final FilterMatcher<GroupElsewhere[]> groups;
    private final RouteMerger merger = new RouteMerger();
    private int work;

    TopicMatcher(
            TopicIndex index,
            FilterMatcher<FilterEntry> filters,
            FilterMatcher<NodeRef[]> nodes,
            FilterMatcher<GroupElsewhere[]> groups) {
        this.index = index;
        this.filters = filters;
        this.nodes = nodes;
        this.groups = groups;
    }

    /**
     * The targets of a topic. To be asked for again when {@link TopicIndex#version} is not the
     * route's any more.
     */
    public Route route(Topic topic) {
        long version = index.version(); // before the walk: the route may know more, never less
        int matches = filters.match(topic);
        Route route =
                merger.route(
                        version, filters.matched(), matches, nodes(topic), groupsElsewhere(topic));
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

    private GroupElsewhere[] groupsElsewhere(Topic topic) {
        if (index.groupsElsewhere().isEmpty()) {
            return GroupElsewhere.NONE;
        }
        int matches = groups.match(topic);
        GroupElsewhere[] all = GroupElsewhere.NONE;
        for (int i = 0; i < matches; i++) {
            GroupElsewhere[] more = (GroupElsewhere[]) Objects.requireNonNull(groups.matched()[i]);
            int before = all.length;
            all = Arrays.copyOf(all, before + more.length);
            System.arraycopy(more, 0, all, before, more.length);
        }
        return all;
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

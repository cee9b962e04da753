package io.godwit.core.session;

import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Filters with which a session has come from another node, and that it has had without a break
 * since; shared ones are not among them. Looked at for each message while a former home passes some
 * on: those without wildcards cost nothing.
 */
final class ArrivedFilters {
    private final Set<Topic> exact = new HashSet<>();
    private final Set<TopicFilter> wildcards = new LinkedHashSet<>(0);

    ArrivedFilters(Collection<Subscription> of) {
        for (Subscription each : of) {
            add(each.filter);
        }
    }

    final void add(TopicFilter filter) {
        if (filter.isShared()) {
            return;
        }
        if (filter.hasWildcard()) {
            wildcards.add(filter);
        } else {
            exact.add(new Topic(filter.bytes()));
        }
    }

    /** The session has subscribed to it anew, or not any more. */
    void remove(TopicFilter filter) {
        if (filter.hasWildcard()) {
            wildcards.remove(filter);
        } else {
            exact.remove(new Topic(filter.bytes()));
        }
    }

    int size() {
        return exact.size() + wildcards.size();
    }

    boolean has(TopicFilter filter) {
        return filter.hasWildcard()
                ? wildcards.contains(filter)
                : exact.contains(new Topic(filter.bytes()));
    }

    void removeAll(ArrivedFilters others) {
        exact.removeAll(others.exact);
        wildcards.removeAll(others.wildcards);
    }

    void clear() {
        exact.clear();
        wildcards.clear();
    }

    boolean match(Topic topic) {
        if (exact.contains(topic)) {
            return true;
        }
        for (TopicFilter each : wildcards) {
            if (each.matches(topic)) {
                return true;
            }
        }
        return false;
    }
}

package io.godwit.core.routing;

import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.TopicFilter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The shared-subscription groups of other nodes by what topics are matched against. One writer. */
final class GroupFilters {
    private final FilterIndex<GroupElsewhere[]> filters;

    GroupFilters(KeyedHash hash) {
        filters = new FilterIndex<>(hash);
    }

    FilterMatcher<GroupElsewhere[]> matcher() {
        return filters.matcher();
    }

    boolean isEmpty() {
        return filters.size() == 0;
    }

    /**
     * A group as other nodes have it; any thread.
     *
     * @param filter whole
     * @return null when none has it
     */
    @Nullable GroupElsewhere find(TopicFilter filter) {
        GroupElsewhere[] groups = isEmpty() ? null : filters.find(filter.matchFilter());
        int at = groups == null ? -1 : indexOf(groups, filter);
        return groups == null || at < 0 ? null : groups[at];
    }

    /**
     * A node says what it has of a group.
     *
     * @return whether that is news
     */
    boolean put(TopicFilter filter, NodeRef node, GroupState state) {
        TopicFilter match = filter.matchFilter();
        GroupElsewhere[] before = filters.find(match);
        int at = before == null ? -1 : indexOf(before, filter);
        GroupElsewhere was = before == null || at < 0 ? GroupElsewhere.nowhere(filter) : before[at];
        GroupElsewhere is = was.with(node, state);
        if (is == was) {
            return false;
        }
        GroupElsewhere[] all = before == null ? GroupElsewhere.NONE : before;
        GroupElsewhere[] after = Arrays.copyOf(all, at < 0 ? all.length + 1 : all.length);
        if (is.isNowhere()) {
            after[at] = after[after.length - 1];
            after = Arrays.copyOf(after, after.length - 1);
        } else {
            after[at < 0 ? all.length : at] = is;
        }
        filters.replace(match, before, after.length == 0 ? null : after);
        return true;
    }

    private static int indexOf(GroupElsewhere[] groups, TopicFilter filter) {
        for (int i = 0; i < groups.length; i++) {
            if (groups[i].filter().equals(filter)) {
                return i;
            }
        }
        return -1;
    }
}

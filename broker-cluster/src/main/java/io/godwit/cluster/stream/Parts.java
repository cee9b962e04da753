package io.godwit.cluster.stream;

import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Whom a record is for: a publish may come in two, for sessions and for shared groups.
 *
 * @param sessions whether it is for sessions
 * @param groups whole filters; never changed by anyone
 */
public record Parts(boolean sessions, TopicFilter[] groups) {
    private static final TopicFilter[] NO_GROUPS = {};
    public static final Parts NONE = new Parts(false, NO_GROUPS);
    public static final Parts SESSIONS = new Parts(true, NO_GROUPS);

    /** Whether it is for nobody. */
    public boolean areNone() {
        return !sessions && groups.length == 0;
    }

    /** Those of them that are not among others. */
    public Parts without(Parts others) {
        List<TopicFilter> left = new ArrayList<>(Arrays.asList(groups));
        left.removeAll(Arrays.asList(others.groups));
        return new Parts(sessions && !others.sessions, left.toArray(NO_GROUPS));
    }

    /** These and others, of which none is among them. */
    public Parts and(Parts others) {
        List<TopicFilter> all = new ArrayList<>(Arrays.asList(groups));
        all.addAll(Arrays.asList(others.groups));
        return new Parts(sessions || others.sessions, all.toArray(NO_GROUPS));
    }
}

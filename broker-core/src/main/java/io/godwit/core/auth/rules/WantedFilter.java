package io.godwit.core.auth.rules;

import io.godwit.core.packet.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * A subscription that a client asks for.
 *
 * @param topics the filter without {@code $share} and its group
 * @param shareName null: it is not shared
 */
record WantedFilter(byte[] topics, @Nullable String shareName, int qos) {
    private static final int SHARE_NAME_AT = "$share/".length();

    static WantedFilter of(TopicFilter filter, int qos) {
        return new WantedFilter(filter.matchFilter().bytes(), shareName(filter), qos);
    }

    private static @Nullable String shareName(TopicFilter filter) {
        if (!filter.isShared()) {
            return null;
        }
        String text = filter.toString();
        int end = text.indexOf('/', SHARE_NAME_AT);
        return text.substring(SHARE_NAME_AT, end < 0 ? text.length() : end);
    }
}

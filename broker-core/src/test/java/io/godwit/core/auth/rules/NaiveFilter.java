package io.godwit.core.auth.rules;

import java.util.List;

/**
 * Matching of topics, level by level, as MQTT 5.0, 4.7 says it; nothing is shared with the code.
 */
final class NaiveFilter {
    private NaiveFilter() {}

    static boolean matches(String filter, String topic) {
        if (topic.startsWith("$") && (filter.startsWith("+") || filter.startsWith("#"))) {
            return false;
        }
        return matches(List.of(filter.split("/", -1)), List.of(topic.split("/", -1)));
    }

    private static boolean matches(List<String> filter, List<String> topic) {
        if (filter.isEmpty()) {
            return topic.isEmpty();
        }
        String first = filter.get(0);
        if (first.equals("#")) {
            return true;
        }
        return !topic.isEmpty()
                && (first.equals("+") || first.equals(topic.get(0)))
                && matches(filter.subList(1, filter.size()), topic.subList(1, topic.size()));
    }
}

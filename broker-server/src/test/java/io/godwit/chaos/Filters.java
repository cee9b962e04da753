package io.godwit.chaos;

import java.util.List;

/** Topic filters as far as chaos uses them; the checker has its own, not the broker's. */
final class Filters {
    private Filters() {}

    /**
     * @param filter without {@code $share/group/}
     */
    static boolean matches(String filter, String topic) {
        List<String> wanted = List.of(filter.split("/", -1));
        List<String> levels = List.of(topic.split("/", -1));
        for (int i = 0; i < wanted.size(); i++) {
            if (wanted.get(i).equals("#")) {
                return true;
            }
            if (i >= levels.size()
                    || !wanted.get(i).equals("+") && !wanted.get(i).equals(levels.get(i))) {
                return false;
            }
        }
        return wanted.size() == levels.size();
    }

    /** What a filter asks for: {@code $share/group/} is cut off. */
    static String plain(String filter) {
        return filter.startsWith("$share/")
                ? filter.substring(filter.indexOf('/', "$share/".length()) + 1)
                : filter;
    }
}

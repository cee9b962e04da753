package io.godwit.server.extension.call;

import java.nio.charset.StandardCharsets;

/** Tells the topics that a filter matches. Immutable. */
final class FilterPattern {
    private final byte[] filter;
    private final boolean matchesAll;
    private final boolean isForSystem;

    /**
     * @param filter well-formed, not shared; {@code #} matches everything, topics that begin with
     *     {@code $}, too
     */
    FilterPattern(String filter) {
        this.filter = filter.getBytes(StandardCharsets.UTF_8);
        this.matchesAll = filter.equals("#");
        this.isForSystem = filter.startsWith("$");
    }

    boolean matches(byte[] topic) {
        if (matchesAll) {
            return true;
        }
        if (topic[0] == '$' && !isForSystem) {
            return false; // [MQTT-4.7.2-1]; a filter without a wildcard there does not match either
        }
        int at = 0;
        int i = 0;
        while (i < filter.length) {
            byte wanted = filter[i];
            if (wanted == '#') {
                return true;
            }
            if (wanted == '+') {
                while (at < topic.length && topic[at] != '/') {
                    at++;
                }
                i++;
                continue;
            }
            if (at == topic.length) {
                // "a/#" matches "a", too
                return wanted == '/' && i + 2 == filter.length && filter[i + 1] == '#';
            }
            if (wanted != topic[at]) {
                return false;
            }
            at++;
            i++;
        }
        return at == topic.length;
    }
}

package io.godwit.core.auth.rules;

import java.nio.charset.StandardCharsets;

/**
 * The topic of a rule: levels with MQTT's wildcards and with placeholders. As in a filter, a
 * wildcard at the first level does not match topics that begin with {@code $}.
 *
 * <p>Where a placeholder has no usable value, the pattern covers nothing, and overlaps everything
 * below the levels before it: so a rule that allows gives nothing away, and one that denies is not
 * evaded.
 */
final class TopicPattern {
    /** Levels that a pattern may have. */
    static final int LEVELS_MAX = 128;

    private static final int BYTES_MAX = 65_535;
    private static final String SHARE = "$share/";

    private final TopicLevel[] levels;

    private TopicPattern(TopicLevel[] levels) {
        this.levels = levels;
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException says what is allowed
     */
    static TopicPattern of(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("only a text of one character and more is allowed");
        }
        if (text.startsWith(SHARE)) {
            throw new IllegalArgumentException(
                    "$share is not allowed here; share names the group, topic what follows it");
        }
        if (text.indexOf('\0') >= 0
                || text.length() > BYTES_MAX
                || text.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX) {
            throw new IllegalArgumentException("at most 65 535 bytes without U+0000 are allowed");
        }
        String[] parts = text.split("/", -1);
        if (parts.length > LEVELS_MAX) {
            throw new IllegalArgumentException("at most " + LEVELS_MAX + " levels are allowed");
        }
        TopicLevel[] levels = new TopicLevel[parts.length];
        for (int i = 0; i < parts.length; i++) {
            levels[i] = TopicLevel.of(parts[i]);
            if (levels[i] == TopicLevel.HASH && i < parts.length - 1) {
                throw new IllegalArgumentException("# is allowed only as the last level");
            }
        }
        return new TopicPattern(levels);
    }

    TopicLevel[] levels() {
        return levels;
    }

    boolean hasPlaceholder() {
        for (TopicLevel each : levels) {
            if (each.hasPlaceholder()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether every topic that the filter matches is one of the pattern's.
     *
     * @param filter a filter without {@code $share}, or a topic
     */
    boolean covers(byte[] filter, PlaceholderValues values) {
        return relates(filter, values, true);
    }

    /**
     * Whether some topic that the filter matches is one of the pattern's.
     *
     * @param filter a filter without {@code $share}, or a topic
     */
    boolean overlaps(byte[] filter, PlaceholderValues values) {
        return relates(filter, values, false);
    }

    private boolean relates(byte[] filter, PlaceholderValues values, boolean wholly) {
        boolean isDollar = filter.length > 0 && filter[0] == '$';
        int from = 0;
        for (int i = 0; i < levels.length; i++) {
            TopicLevel level = levels[i];
            boolean isFirst = i == 0;
            if (level == TopicLevel.HASH) {
                return !(isFirst && isDollar);
            }
            if (level.isUnusable(values, isFirst)) {
                return !wholly;
            }
            if (from > filter.length) {
                return false; // the filter's levels are used up
            }
            int to = end(filter, from);
            if (isWildcard(filter, from, to, '#')) {
                return wholly
                        ? isFirst && isAnything()
                        : !(isFirst && level.beginsWithDollar(values));
            }
            if (isWildcard(filter, from, to, '+')) {
                if (level != TopicLevel.PLUS
                        && (wholly || isFirst && level.beginsWithDollar(values))) {
                    return false;
                }
            } else if (level == TopicLevel.PLUS) {
                if (isFirst && isDollar) {
                    return false;
                }
            } else if (!level.matches(filter, from, to, values)) {
                return false;
            }
            from = to + 1;
        }
        // A filter a/# matches a, too.
        return from > filter.length || !wholly && isWildcard(filter, from, end(filter, from), '#');
    }

    /** Whether it is {@code +/#}, which matches what {@code #} does. */
    private boolean isAnything() {
        return levels.length == 2 && levels[0] == TopicLevel.PLUS && levels[1] == TopicLevel.HASH;
    }

    /** Whether a level of a filter is this wildcard. */
    static boolean isWildcard(byte[] filter, int from, int to, char which) {
        return to - from == 1 && filter[from] == which;
    }

    /** Returns where the level that begins there ends: at a slash, or at the end of the bytes. */
    static int end(byte[] bytes, int from) {
        int i = from;
        while (i < bytes.length && bytes[i] != '/') {
            i++;
        }
        return i;
    }
}

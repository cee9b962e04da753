package io.godwit.core.packet;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A Topic Filter as a SUBSCRIBE or UNSUBSCRIBE names it, whole: {@code $share/group/filter} keeps
 * its prefix here; {@link #shareName()} and {@link #matchFilter()} take it apart (MQTT 5.0, 4.7 and
 * 4.8.2).
 */
public final class TopicFilter extends Utf8 implements Comparable<TopicFilter> {
    private static final byte[] SHARE = {'$', 's', 'h', 'a', 'r', 'e', '/'};

    /**
     * @param bytes checked already (well-formed UTF-8, wildcards where they may stand), taken over
     */
    public TopicFilter(byte[] bytes) {
        super(bytes);
    }

    public static TopicFilter of(String text) {
        return new TopicFilter(encode(text));
    }

    /** Whether the filter begins with {@code $share/}. */
    public boolean isShared() {
        byte[] bytes = bytes();
        if (bytes.length < SHARE.length) {
            return false;
        }
        for (int i = 0; i < SHARE.length; i++) {
            if (bytes[i] != SHARE[i]) {
                return false;
            }
        }
        return true;
    }

    /** The ShareName, or an empty string when the filter is not shared. */
    public String shareName() {
        if (!isShared()) {
            return "";
        }
        int end = shareNameEnd();
        return new String(bytes(), SHARE.length, end - SHARE.length, StandardCharsets.UTF_8);
    }

    /** The filter that topics are matched against: this one, or what follows the ShareName. */
    public TopicFilter matchFilter() {
        if (!isShared()) {
            return this;
        }
        byte[] bytes = bytes();
        int from = shareNameEnd() + 1;
        return new TopicFilter(
                from >= bytes.length ? new byte[0] : Arrays.copyOfRange(bytes, from, bytes.length));
    }

    public boolean hasWildcard() {
        for (byte b : bytes()) {
            if (b == '+' || b == '#') {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a topic matches, level by level; for one filter and one topic. Not of a shared one,
     * but of its {@link #matchFilter}.
     */
    public boolean matches(Topic topic) {
        byte[] filter = bytes();
        byte[] name = topic.bytes();
        if (topic.isSystem() && (filter[0] == '+' || filter[0] == '#')) {
            return false;
        }
        int f = 0;
        int n = 0;
        while (f < filter.length) {
            if (filter[f] == '#') {
                return true;
            }
            if (filter[f] == '+') {
                f++;
                while (n < name.length && name[n] != '/') {
                    n++;
                }
            } else {
                while (f < filter.length
                        && filter[f] != '/'
                        && n < name.length
                        && filter[f] == name[n]) {
                    f++;
                    n++;
                }
            }
            boolean filterLevelEnds = f == filter.length || filter[f] == '/';
            boolean nameLevelEnds = n == name.length || name[n] == '/';
            if (!filterLevelEnds || !nameLevelEnds) {
                return false;
            }
            if (n == name.length) {
                // a/# matches a, too [MQTT-4.7.1-2]
                return f == filter.length || f + 2 == filter.length && filter[f + 1] == '#';
            }
            if (f == filter.length) {
                return false;
            }
            f++;
            n++;
            if (n == name.length && f == filter.length) {
                return true; // Both end with an empty level.
            }
        }
        return n == name.length;
    }

    /** Number of levels of the filter, 1 and more. */
    public int levels() {
        int levels = 1;
        for (byte b : bytes()) {
            if (b == '/') {
                levels++;
            }
        }
        return levels;
    }

    private int shareNameEnd() {
        byte[] bytes = bytes();
        int i = SHARE.length;
        while (i < bytes.length && bytes[i] != '/') {
            i++;
        }
        return i;
    }

    @Override
    public int compareTo(TopicFilter other) {
        return compareBytes(other);
    }
}

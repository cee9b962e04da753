package io.godwit.core.packet;

import java.util.Arrays;

/**
 * A Topic Filter as a SUBSCRIBE or UNSUBSCRIBE names it, whole: {@code $share/group/filter} keeps
 * its prefix here, and {@link #matchFilter()} takes that off (MQTT 5.0, 4.7 and 4.8.2).
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

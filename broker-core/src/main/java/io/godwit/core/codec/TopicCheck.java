package io.godwit.core.codec;

import io.netty.buffer.ByteBuf;

/**
 * Form of Topic Names and Topic Filters (MQTT 5.0, 4.7 and 4.8.2). That the bytes are a UTF-8
 * string is part of it.
 */
public final class TopicCheck {
    private static final byte[] SHARE = {'$', 's', 'h', 'a', 'r', 'e', '/'};

    private TopicCheck() {}

    /** A Topic Name: at least one byte, no wildcard [MQTT-4.7.3-1] [MQTT-4.7.0-1]. */
    public static boolean isTopicName(ByteBuf buffer, int index, int length) {
        if (length == 0 || !Utf8Check.isString(buffer, index, length)) {
            return false;
        }
        for (int i = index; i < index + length; i++) {
            byte b = buffer.getByte(i);
            if (b == '+' || b == '#') {
                return false;
            }
        }
        return true;
    }

    /** A Topic Name: at least one byte, no wildcard [MQTT-4.7.3-1] [MQTT-4.7.0-1]. */
    public static boolean isTopicName(byte[] bytes) {
        return bytes.length > 0
                && Utf8Check.isString(bytes, 0, bytes.length)
                && !hasWildcard(bytes, 0, bytes.length);
    }

    /** A Topic Filter, {@code $share/name/filter} included. */
    public static boolean isTopicFilter(byte[] bytes) {
        if (!Utf8Check.isString(bytes, 0, bytes.length)) {
            return false;
        }
        if (!startsWithShare(bytes)) {
            return levelsAreSound(bytes, 0);
        }
        int nameEnd = SHARE.length;
        while (nameEnd < bytes.length && bytes[nameEnd] != '/') {
            nameEnd++;
        }
        // [MQTT-4.8.2-1] a name of one character or more; [MQTT-4.8.2-2] without wildcards, then
        // a filter
        return nameEnd > SHARE.length
                && nameEnd < bytes.length
                && !hasWildcard(bytes, SHARE.length, nameEnd)
                && levelsAreSound(bytes, nameEnd + 1);
    }

    /** Whether a Topic Filter has control characters or non-characters (MQTT 5.0, 1.5.4). */
    public static boolean hasControlCharacter(byte[] filter) {
        return ControlCharacters.isIn(filter);
    }

    /** {@code #} only as the last level, {@code +} only as a whole level [MQTT-4.7.1-1, -2]. */
    private static boolean levelsAreSound(byte[] bytes, int from) {
        int end = bytes.length;
        for (int i = from; i < end; i++) {
            byte b = bytes[i];
            if (b == '+' || b == '#') {
                boolean opensLevel = i == from || bytes[i - 1] == '/';
                boolean closesLevel = i + 1 == end || (b == '+' && bytes[i + 1] == '/');
                if (!opensLevel || !closesLevel) {
                    return false;
                }
            }
        }
        return end > from;
    }

    private static boolean hasWildcard(byte[] bytes, int from, int end) {
        for (int i = from; i < end; i++) {
            if (bytes[i] == '+' || bytes[i] == '#') {
                return true;
            }
        }
        return false;
    }

    private static boolean startsWithShare(byte[] bytes) {
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
}

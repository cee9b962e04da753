package io.godwit.core.packet;

import org.jspecify.annotations.Nullable;

/** A Topic Name: well-formed UTF-8 of 1 to 65 535 bytes, without wildcards and U+0000. */
public final class Topic extends Utf8 implements Comparable<Topic> {
    /**
     * The match result that the shard which interned this topic keeps with it; no other shard
     * touches it. Typed loosely, since packets know nothing of routing.
     */
    public @Nullable Object route;

    /**
     * @param bytes checked already, taken over
     */
    public Topic(byte[] bytes) {
        super(bytes);
    }

    /**
     * @param bytes checked already, taken over
     * @param hash {@link Utf8#hash} of the bytes
     */
    public Topic(byte[] bytes, int hash) {
        super(bytes, hash);
    }

    public static Topic of(String text) {
        return new Topic(encode(text));
    }

    /** Starts with {@code $}: hidden from filters that begin with a wildcard [MQTT-4.7.2-1]. */
    public boolean isSystem() {
        return bytes()[0] == '$';
    }

    /** Whether it stands in the broker's own tree {@code $SYS/}. */
    public boolean isSysTree() {
        byte[] bytes = bytes();
        return bytes.length > 4
                && bytes[0] == '$'
                && bytes[1] == 'S'
                && bytes[2] == 'Y'
                && bytes[3] == 'S'
                && bytes[4] == '/';
    }

    /** Number of topic levels, 1 and more. */
    public int levels() {
        int levels = 1;
        for (byte b : bytes()) {
            if (b == '/') {
                levels++;
            }
        }
        return levels;
    }

    /** Whether it has more levels than so many. A short topic is not looked through for that. */
    public boolean hasMoreLevels(int max) {
        return length() >= max && levels() > max;
    }

    @Override
    public int compareTo(Topic other) {
        return compareBytes(other);
    }
}

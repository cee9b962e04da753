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

    /**
     * Whether the topic starts with {@code $}: then filters that begin with a wildcard do not match
     * it [MQTT-4.7.2-1].
     */
    public boolean isSystem() {
        return bytes()[0] == '$';
    }

    /** Whether the topic stands in the broker's own tree {@code $SYS/}. */
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

    /**
     * Whether the topic has more levels than this. A short topic is not looked through for that.
     */
    public boolean hasMoreLevels(int max) {
        return length() >= max && levels() > max;
    }

    @Override
    public int compareTo(Topic other) {
        return compareBytes(other);
    }
}

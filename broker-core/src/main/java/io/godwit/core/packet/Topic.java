package io.godwit.core.packet;

/** A Topic Name: well-formed UTF-8 of 1 to 65 535 bytes, without wildcards and U+0000. */
public final class Topic extends Utf8 {
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
}

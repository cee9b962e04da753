package io.godwit.persistence.codec;

import io.godwit.core.packet.TopicFilter;
import java.util.Arrays;

/**
 * The record of a shared group's part.
 *
 * <pre>
 * part 1 | filter
 * </pre>
 */
public final class GroupCodec {
    private GroupCodec() {}

    public static byte[] write(TopicFilter filter, int part) {
        byte[] bytes = filter.bytes();
        byte[] value = new byte[bytes.length + 1];
        value[0] = (byte) part;
        System.arraycopy(bytes, 0, value, 1, bytes.length);
        return value;
    }

    public static int part(byte[] value) {
        return value[0];
    }

    public static TopicFilter filter(byte[] value) {
        return new TopicFilter(Arrays.copyOfRange(value, 1, value.length));
    }
}

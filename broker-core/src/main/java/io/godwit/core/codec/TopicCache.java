package io.godwit.core.codec;

import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Topic Names that were seen lately, as checked values: a publisher that names the same topics
 * again and again costs neither allocation nor a second check. Direct-mapped, so a newcomer
 * replaces whatever has its place and nothing has to be aged; bounded in entries and in bytes of an
 * entry.
 */
final class TopicCache {
    /** Longer names are neither kept here nor by the connection. */
    static final int TOPIC_BYTES_MAX = 512;

    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int WORD = 8;
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    private final @Nullable Topic[] entries;
    private final int shift;

    /**
     * @param entries a power of two, at least 2
     */
    TopicCache(int entries) {
        if (entries < 2 || Integer.bitCount(entries) != 1) {
            throw new IllegalArgumentException("entries " + entries);
        }
        this.entries = new Topic[entries];
        this.shift = Long.numberOfLeadingZeros(entries) + 1;
    }

    /**
     * The Topic of these bytes, 1 or more.
     *
     * @param rules says which characters a Topic Name may have
     * @throws ProtocolViolation MALFORMED_PACKET when they are not a Topic Name, TOPIC_NAME_INVALID
     *     when they have a character that is refused
     */
    Topic intern(ByteBuffer in, int index, int length, PacketReader rules) {
        if (length > TOPIC_BYTES_MAX) {
            return create(in, index, length, rules);
        }
        int place = (int) (mix(in, index, length) >>> shift);
        Topic found = entries[place];
        if (found == null || !matches(found, in, index, length)) {
            found = create(in, index, length, rules);
            entries[place] = found;
        }
        return found;
    }

    /** Whether the topic has exactly these bytes. */
    static boolean matches(Topic topic, ByteBuffer in, int index, int length) {
        byte[] bytes = topic.bytes();
        if (bytes.length != length) {
            return false;
        }
        int last = length - WORD;
        if (last < 0) {
            for (int i = 0; i < length; i++) {
                if (bytes[i] != in.get(index + i)) {
                    return false;
                }
            }
            return true;
        }
        // By words, of which the last may overlap the one before.
        for (int i = 0; i < last; i += WORD) {
            if ((long) LONG.get(bytes, i) != in.getLong(index + i)) {
                return false;
            }
        }
        return (long) LONG.get(bytes, last) == in.getLong(index + last);
    }

    private static Topic create(ByteBuffer in, int index, int length, PacketReader rules) {
        byte[] bytes = new byte[length];
        in.get(index, bytes);
        if (!TopicCheck.isTopicName(bytes)) {
            throw ProtocolViolation.malformed("Topic Name is not UTF-8 or has a wildcard");
        }
        rules.admitCharacters(bytes, ReasonCode.TOPIC_NAME_INVALID, "the Topic Name");
        return new Topic(bytes);
    }

    private static long mix(ByteBuffer in, int index, int length) {
        long hash = length;
        int last = length - WORD;
        if (last < 0) {
            for (int i = 0; i < length; i++) {
                hash = hash << 8 | in.get(index + i) & 0xFF;
            }
            return hash * MIX;
        }
        for (int i = 0; i < last; i += WORD) {
            hash = (hash ^ in.getLong(index + i)) * MIX;
            hash ^= hash >>> 32;
        }
        return (hash ^ in.getLong(index + last)) * MIX;
    }
}

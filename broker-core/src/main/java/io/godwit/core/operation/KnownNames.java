package io.godwit.core.operation;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Utf8;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Topics and client ids that were read lately from one source, whose messages all go to one shard:
 * who publishes again and again is neither copied nor hashed again, and the topic keeps its route.
 * A place holds two, of which a newcomer takes that of the older; so it is bounded, to less than
 * 200 KiB. Not safe for several threads at once, but for what it takes.
 */
public final class KnownNames {
    /** Longer names are not kept. */
    private static final int BYTES_MAX = 128;

    /** Of each kind; a power of two. */
    private static final int ENTRIES = 512;

    private static final int SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(ENTRIES);

    /** Bytes of the two arrays. */
    private static final int EMPTY_BYTES = 2 * (16 + 4 * ENTRIES);

    /** Bytes of a name beside its own. */
    private static final int NAME_BYTES = 56;

    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    private final @Nullable Topic[] topics = new Topic[ENTRIES];
    private final @Nullable ClientId[] clients = new ClientId[ENTRIES];
    private final AtomicInteger bytes = new AtomicInteger(EMPTY_BYTES);

    /** Bytes that this takes now; any thread asks. */
    public int bytes() {
        return bytes.getOpaque();
    }

    /** Another name takes the place of one. */
    private void count(int added, @Nullable Utf8 gone) {
        int change = NAME_BYTES + added - (gone == null ? 0 : NAME_BYTES + gone.length());
        bytes.setOpaque(bytes.getPlain() + change);
    }

    /** Reads a topic as {@link ByteReader#sized}. */
    Topic topic(ByteReader from) {
        int length = from.size();
        if (length > BYTES_MAX) {
            return new Topic(from.raw(length));
        }
        int place = place(from, length);
        for (int at = place; at >= 0; at = at == place ? place ^ 1 : -1) {
            Topic known = topics[at];
            if (known != null && isNext(known.bytes(), from, length)) {
                from.skipTo(from.next() + length);
                return known;
            }
        }
        Topic made = new Topic(from.raw(length));
        count(length, topics[place ^ 1]);
        topics[place ^ 1] = topics[place];
        topics[place] = made;
        return made;
    }

    /** The same of a client id. */
    ClientId client(ByteReader from) {
        int length = from.size();
        if (length > BYTES_MAX) {
            return new ClientId(from.raw(length));
        }
        int place = place(from, length);
        for (int at = place; at >= 0; at = at == place ? place ^ 1 : -1) {
            ClientId known = clients[at];
            if (known != null && isNext(known.bytes(), from, length)) {
                from.skipTo(from.next() + length);
                return known;
            }
        }
        ClientId made = new ClientId(from.raw(length));
        count(length, clients[place ^ 1]);
        clients[place ^ 1] = clients[place];
        clients[place] = made;
        return made;
    }

    private static boolean isNext(byte[] name, ByteReader in, int length) {
        return name.length == length
                && Arrays.equals(in.array(), in.next(), in.next() + length, name, 0, length);
    }

    private static int place(ByteReader in, int length) {
        byte[] bytes = in.array();
        int end = in.next() + length;
        long hash = length;
        int i = in.next();
        for (; end - i > Long.BYTES; i += Long.BYTES) {
            hash = (hash ^ KeyedHash.word(bytes, i, Long.BYTES)) * MIX;
            hash ^= hash >>> Integer.SIZE;
        }
        return (int) ((hash ^ KeyedHash.word(bytes, i, end - i)) * MIX >>> SHIFT);
    }
}

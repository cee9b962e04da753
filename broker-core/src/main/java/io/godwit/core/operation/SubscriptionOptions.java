package io.godwit.core.operation;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.CameBefore;
import io.godwit.core.packet.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * The options of a subscription: qos 0-1 | no local 2 | retain as published 3 | what had come
 * before follows 4.
 *
 * <pre>
 * options 1 | ids
 * | [came before: count varint | server 3, start varint, stream varint, position varint ...]
 * </pre>
 *
 * <p>A reader that does not know what follows leaves it.
 */
public final class SubscriptionOptions {
    private static final int NO_LOCAL = 1 << 2;
    private static final int RETAIN = 1 << 3;
    private static final int BEFORE = 1 << 4;

    /** Of each stream of what had come before, at most. */
    public static final int STREAM_BYTES = 24;

    private SubscriptionOptions() {}

    /** Writes what is kept of a subscription, behind its filter and stamp. */
    public static void write(ByteWriter to, Subject.SubscriptionPut put) {
        int options = of(put.qos(), put.noLocal(), put.retainAsPublished());
        CameBefore before = put.before();
        options |= before == null ? 0 : BEFORE;
        to.u8(options).ints(put.ids());
        if (before != null) {
            write(to, before);
        }
    }

    /** Reads a subscription's stamp and what {@link #write} wrote behind it. */
    public static Subject.SubscriptionPut read(ByteReader from, long queueId, TopicFilter filter) {
        HybridId stamp = Ids.hybrid(from);
        int options = from.u8();
        int[] ids = from.ints();
        return new Subject.SubscriptionPut(
                queueId,
                filter,
                qos(options),
                noLocal(options),
                retainAsPublished(options),
                ids,
                stamp,
                before(options, from));
    }

    /** Writes what had come before it. */
    public static void write(ByteWriter to, CameBefore before) {
        to.varint(before.size());
        for (int i = 0; i < before.size(); i++) {
            to.server3(before.server(i)).varint(before.start(i));
            to.varint(before.number(i)).varint(before.position(i));
        }
    }

    public static int of(int qos, boolean noLocal, boolean retainAsPublished) {
        return qos | (noLocal ? NO_LOCAL : 0) | (retainAsPublished ? RETAIN : 0);
    }

    public static int qos(int options) {
        return options & 3;
    }

    public static boolean noLocal(int options) {
        return (options & NO_LOCAL) != 0;
    }

    public static boolean retainAsPublished(int options) {
        return (options & RETAIN) != 0;
    }

    /**
     * Reads what had come before it; its ids were read.
     *
     * @return null: nothing
     */
    public static @Nullable CameBefore before(int options, ByteReader from) {
        if ((options & BEFORE) == 0) {
            return null;
        }
        return before(from);
    }

    /** The same of one that has something. */
    public static @Nullable CameBefore before(ByteReader from) {
        CameBefore.Builder before = new CameBefore.Builder();
        for (int left = from.size(); left > 0; left--) {
            before.add(from.server3(), from.varint(), from.smallInt(), from.varint());
        }
        return before.build();
    }
}

package io.godwit.core.message;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A message in one queue, as the queue's owner and the store both hold it: the same object from the
 * append to the removal, so that the store looks nothing up. The owner's shard gives and takes; the
 * store's threads write it down. What meets is {@link #stored the state}, which changes by
 * compare-and-set only:
 *
 * <pre>
 * state      trigger                                            next
 * FREE       the shard appends it                               OPEN
 * OPEN       the shard removes it: nothing is ever written      CANCELLED
 * OPEN       the store encodes its commit                       JOURNALED
 * JOURNALED  the shard removes it: no row is written, unless    GONE
 *            its commit leaves the window before the removal
 *            has come there
 * JOURNALED  its commit leaves the journal's window             ROW
 * ROW        the shard removes it: its row goes later           GONE
 * (read)     a row is read back                                 ROW
 * </pre>
 */
public abstract class QueuedMessage {
    /** Not with the store: transient, or not appended yet. */
    public static final int FREE = 0;

    /** In an open commit that is not encoded yet. */
    public static final int OPEN = 1;

    /** In the journal, and in memory. */
    public static final int JOURNALED = 2;

    /** A row of its queue: it may leave memory. */
    public static final int ROW = 3;

    /** Removed after it was in the journal. */
    public static final int GONE = 4;

    /** Removed while it was open, so no operation of it is ever written. */
    public static final int CANCELLED = 5;

    private static final VarHandle STORED;

    static {
        try {
            STORED =
                    MethodHandles.lookup().findVarHandle(QueuedMessage.class, "stored", byte.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** 0 while it is of a queue that is not kept: given before the append. */
    public long queueId;

    /**
     * Clock of the message id; rises within a queue, and no two queues of a node share one. With
     * {@link #server} it is the whole id.
     */
    public final long messageId;

    /** Server id of the leader that gave the message id; set when it is appended, or read back. */
    public int server;

    /** At which it is delivered: 1 or 2, in a shared group's queue that of the publish. */
    public final byte qos;

    /** RETAIN flag with which it is delivered. */
    public final boolean retain;

    /** Subscription Identifiers. */
    public final int[] ids;

    /** {@link Message#accountedBytes} and the entry itself. */
    public final int bytes;

    /**
     * Null once only a marker is left (PUBREC came). Written by the shard; the store may see it a
     * little longer, which does no harm, since the operation that follows says the same.
     */
    public @Nullable Message message;

    /** 0 while it waits; written by the shard before it tells the store. */
    public int packetId;

    /** The queue as the store knows it; null while the entry is not with the store. */
    public @Nullable QueueHandle queue;

    /**
     * What says its ingress id: the message, or an {@link IngressId} once that has gone and only a
     * marker is left. Changed in one write, for the threads of the store.
     */
    private @Nullable Object origin;

    /** What the store wants to remember of it; only the store's row thread touches it. */
    public @Nullable Object note;

    private volatile byte stored;

    protected QueuedMessage(
            long queueId,
            long messageId,
            @Nullable Message message,
            int qos,
            boolean retain,
            int[] ids) {
        this.queueId = queueId;
        this.messageId = messageId;
        this.message = message;
        this.qos = (byte) qos;
        this.retain = retain;
        this.ids = ids;
        this.bytes = bytes(message);
        this.origin = message;
    }

    /** The whole message id; it has a server once the entry was appended. */
    public final HybridId id() {
        return new HybridId(messageId, server);
    }

    /** In the order of the whole message ids. */
    public static int compareIds(QueuedMessage a, QueuedMessage b) {
        return HybridId.compare(a.messageId, a.server, b.messageId, b.server);
    }

    /** What an entry of this message counts for. */
    public static int bytes(@Nullable Message message) {
        return 64 + (message == null ? 0 : message.accountedBytes());
    }

    /**
     * What the identifiers of overlapping subscriptions take in memory: each entry may have an
     * array of its own, since a route is forgotten sooner. What is kept on the disk does not count
     * them.
     */
    public static int idBytes(int[] ids) {
        return ids.length > 1 ? 16 + ids.length * Integer.BYTES : 0;
    }

    /** Bytes that the entry takes while it is in memory. */
    public final int memoryBytes() {
        return bytes + idBytes(ids);
    }

    public final int stored() {
        return stored;
    }

    /** Changes the state if it is still the expected one; any thread. */
    public final boolean stored(int expected, int next) {
        return STORED.compareAndSet(this, (byte) expected, (byte) next);
    }

    /**
     * Takes it from the store.
     *
     * @return the state before: OPEN needs no operation, JOURNALED and ROW do
     */
    public final int takeBack() {
        byte before = (byte) STORED.getAndSet(this, (byte) GONE);
        if (before == OPEN || before == CANCELLED) {
            STORED.setRelease(this, (byte) CANCELLED);
        }
        return before;
    }

    /** Ingress id: the server; also when the message has gone. */
    public final int ingressServer() {
        Object from = origin;
        return from instanceof Message published
                ? published.ingressServer
                : from instanceof IngressId id ? id.server() : 0;
    }

    /** Ingress id: the counter of that server. */
    public final long ingressCounter() {
        Object from = origin;
        return from instanceof Message published
                ? published.ingressCounter
                : from instanceof IngressId id ? id.counter() : 0;
    }

    /** The ingress id of what was read back: without a message nothing else says it. */
    public final void ingress(int ingressServer, long ingressCounter) {
        if (message == null) {
            origin = new IngressId(ingressServer, ingressCounter);
        }
    }

    /** Only the ids are left. */
    public final void dropMessage() {
        if (message != null) {
            origin = new IngressId(message.ingressServer, message.ingressCounter);
            message = null;
        }
    }
}

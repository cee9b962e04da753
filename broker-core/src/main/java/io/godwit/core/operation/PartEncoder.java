package io.godwit.core.operation;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueueHandle;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.message.Remembered;
import io.godwit.core.store.Inbound;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/**
 * Operations of one part of a record as bytes: what the journal keeps and other nodes get. A part
 * is understood alone: no difference and no reference leaves it.
 *
 * <pre>
 * body  leader 3 | queues varint | queues x (queue id 8, number of its epoch varint) | op ...
 * op    code 1 | length varint | [index of the queue varint] | fields
 *
 * m   message id: (signed difference of its clock to the last m of this part) &lt;&lt; 1 | other server,
 *     varint; then server 3 if it is not the leader's
 * p   as m, but the difference goes back from the op's own m; of the queue's append before this one,
 *     or where the interval of coverage begins anew: right below itself also if that append is
 *     above this one
 *
 *  1 APPEND            flags 1 | m | p | [ids] | message, its number in this part varint, or
 *                      packet id varint and ingress id of one that only a marker is left of
 *                      | [packet id varint]
 *                      flags: QoS 2 0 | retain 1 | has ids 2 | message 3-4 (none, last, new, number)
 *                      | in flight 5: it has the packet id (format 3)
 *  2 IN_FLIGHT         m | packet id varint
 *  3 RELEASED          m | packet id varint
 *  4 REMOVE            m
 *  5 ROW_GONE          m
 *  6 IN_FLIGHT_TO      m | packet id varint | receiver
 *  7 GOT               m | packet id varint | ingress id
 *  8 GOT_GONE          m
 * 10 INBOUND           packet id varint | ingress id
 * 11 INBOUND_TAKEN     packet id varint | ingress id
 * 12 INBOUND_GONE      packet id varint | ingress id
 * 13 REMEMBERED        m | ingress id
 * 14 FORGOTTEN         m
 * 20 SESSION           client id sized | session
 * 21 SESSION_GONE      stamp 11
 * 22 SUBSCRIPTION      filter sized | stamp 11 | options, see SubscriptionOptions
 * 23 SUBSCRIPTION_GONE filter sized | stamp 11
 * 24 GROUP             part 1 | filter sized
 * 25 GROUP_GONE        stamp 11
 * 26 ADOPTED           nothing
 * 27 PRECEDED_BY       queue id of the predecessor 8
 * 28 COPY_RANGE        flags 1 | [above 11] | [up to 11] | [ended 11] | coverage (format 4)
 *                      flags: first 0 | has above 1 | last, without up to 2 | the queue is gone 3
 *                      | has ended 4
 * 29 YIELDED           epoch's number varint | its server 3
 * without a queue:
 * 40 RETAINED          stamp 11 | message with its publisher
 * 41 RETAINED_GONE     stamp 11 | topic sized
 * 50 CLOCK             ceiling 8
 * 51 QUEUE_IDS         ceiling varint
 * 52 STREAM            server 3 | start varint | position varint
 * </pre>
 *
 * <p>Only the thread that encodes commits calls.
 */
public final class PartEncoder {
    static final int RETAIN = 1 << 1;
    static final int IDS = 1 << 2;
    static final int IN_FLIGHT = 1 << 5;

    /** Flags of a range of a copy. */
    static final int FIRST = 1;

    static final int ABOVE = 1 << 1;
    static final int LAST = 1 << 2;
    static final int GONE = 1 << 3;
    static final int ENDED = 1 << 4;

    /** Bytes that an operation takes at most, besides its message and Subscription Identifiers. */
    private static final int SHORT = 64;

    /** Room for an operation above this is made at once, and as much again for those behind it. */
    private static final int LONG = 64 << 10;

    /**
     * Numbers the parts, each with another number: a handle knows by it which part it stands in.
     */
    private static final AtomicLong PARTS = new AtomicLong();

    private final int leader;
    private final LongFunction<QueueHandle> handles;
    private final ByteWriter ops = new ByteWriter(1 << 16);
    private QueueHandle[] queues = new QueueHandle[64];
    private int queueCount;
    private long part;

    private final PartMessages messages = new PartMessages();
    private long lastClock;
    private long recordBytes;
    private boolean isEmpty = true;
    private int format = Part.FORMAT_LEAST;

    /**
     * @param leader server id of the node
     * @param handles finds the queue of an operation that has no entry
     */
    public PartEncoder(int leader, LongFunction<QueueHandle> handles) {
        this.leader = leader;
        this.handles = handles;
    }

    /** Returns the body of a part that has no operation. */
    public static byte[] nothing(int leader) {
        return new ByteWriter(4).server3(leader).varint(0).toBytes();
    }

    /** Begins another part. */
    public void begin() {
        part = PARTS.incrementAndGet();
        ops.clear();
        queueCount = 0;
        messages.begin();
        lastClock = 0;
        recordBytes = 0;
        isEmpty = true;
        format = Part.FORMAT_LEAST;
    }

    public boolean isEmpty() {
        return isEmpty;
    }

    /** The least version of the encoding that has everything that the part uses. */
    int format() {
        return format;
    }

    /** About how many bytes the part is. */
    public int length() {
        return ops.length() + queueCount * 10;
    }

    /** Whether one more append of this message would not write it again. */
    public boolean has(Message message) {
        return messages.kind(message) != PartMessages.NEW;
    }

    /** Accounted bytes of queued messages that appear in this part for the first time. */
    public long newBytes() {
        return messages.newBytes();
    }

    /** Bytes of everything that is no queued message: sessions, subscriptions, what is retained. */
    public long recordBytes() {
        return recordBytes;
    }

    /** Writes the part's body. */
    public void writeTo(ByteWriter out) {
        out.server3(leader).varint(queueCount);
        for (int i = 0; i < queueCount; i++) {
            QueueHandle queue = queues[i];
            out.long8(queue.queueId).varint(queue.epoch);
        }
        out.all(ops);
    }

    /**
     * @param packetId of {@link Op#IN_FLIGHT} and {@link Op#RELEASED}, and of an {@link Op#APPEND}
     *     that is in flight from the beginning, which no reader of {@link Part#FORMAT_LEAST} knows;
     *     else 0
     */
    public void encode(Op op, Object subject, int packetId) {
        isEmpty = false;
        if (op == Op.APPEND) {
            append((QueuedMessage) subject, packetId);
            return;
        }
        int reserved = isLong(subject) ? 4 : 1;
        int at = ops.u8(op.code()).length();
        ops.reserve(reserved);
        fields(op, subject, packetId);
        if (subject instanceof Subject) {
            recordBytes += ops.length() - at;
        }
        ops.patch(at, reserved);
    }

    /**
     * Whether the subject hardly fits into 127 bytes; if it does after all, that costs three bytes.
     */
    private static boolean isLong(Object subject) {
        return subject instanceof Subject.SessionPut
                || subject instanceof Subject.InFlightTo
                || subject instanceof Subject.RetainedPut
                || subject instanceof Subject.CopyRange
                || subject instanceof Subject.SubscriptionPut;
    }

    private void fields(Op op, Object subject, int packetId) {
        switch (subject) {
            case QueuedMessage entry -> {
                queue(queueOf(entry));
                id(entry.messageId, entry.server);
                if (op != Op.REMOVE) {
                    ops.varint(packetId);
                }
            }
            case Remembered ingress -> {
                queue(handles.apply(ingress.queueId));
                id(ingress.clock, ingress.server);
                if (op == Op.REMEMBERED) {
                    Ids.ingress(ops, ingress.ingressServer, ingress.ingressCounter);
                }
            }
            case Inbound inbound -> {
                queue(handles.apply(inbound.queueId));
                ops.varint(inbound.packetId);
                Ids.ingress(ops, inbound.ingressServer, inbound.ingressCounter);
            }
            case Subject.InFlightTo put -> {
                queue(queueOf(put.entry()));
                id(put.entry().messageId, put.entry().server);
                ops.varint(packetId);
                Ids.receiver(ops, put.to());
            }
            case Subject other -> fields(other);
            case Long ceiling -> {
                if (op == Op.CLOCK) {
                    ops.long8(ceiling);
                } else {
                    ops.varint(ceiling);
                }
            }
            default -> throw new IllegalArgumentException(op + " of " + subject);
        }
    }

    private void fields(Subject subject) {
        switch (subject) {
            case Subject.RowGone row -> {
                queue(handles.apply(row.queueId()));
                id(row.clock(), row.server());
            }
            case Subject.Got got -> {
                queue(handles.apply(got.queueId));
                id(got.clock, got.server);
                ops.varint(got.packetId);
                Ids.ingress(ops, got.ingressServer, got.ingressCounter);
            }
            case Subject.GotGone gone -> {
                queue(handles.apply(gone.queueId()));
                id(gone.clock(), gone.server());
            }
            case Subject.InFlightTo put -> throw new IllegalStateException("has a packet id");
            case Subject.SessionPut put -> {
                queue(handles.apply(put.session().queueId()));
                ops.sized(put.clientId().bytes());
                SessionCodec.write(ops, put.session());
            }
            case Subject.OfQueue gone -> {
                queue(handles.apply(gone.queueId()));
                Ids.hybrid(ops, gone.stamp());
            }
            case Subject.PrecededBy put -> {
                queue(handles.apply(put.queueId()));
                ops.long8(put.predecessorId());
            }
            case Subject.CopyRange range -> copyRange(range);
            case Subject.Adopted adopted -> queue(handles.apply(adopted.queueId()));
            case Subject.Yielded yielded -> {
                queue(handles.apply(yielded.queueId));
                ops.varint(yielded.epoch.number()).server3(yielded.epoch.server());
            }
            case Subject.SubscriptionPut put -> {
                queue(handles.apply(put.queueId()));
                ops.sized(put.filter().bytes());
                Ids.hybrid(ops, put.stamp());
                SubscriptionOptions.write(ops, put);
            }
            case Subject.SubscriptionGone gone -> {
                queue(handles.apply(gone.queueId()));
                ops.sized(gone.filter().bytes());
                Ids.hybrid(ops, gone.stamp());
            }
            case Subject.GroupPut put -> {
                queue(handles.apply(put.queueId()));
                ops.u8(put.part()).sized(put.filter().bytes());
            }
            case Subject.RetainedPut put -> {
                roomFor(MessageCodec.length(put.message()));
                Ids.hybrid(ops, put.stamp());
                MessageCodec.writeWithPublisher(ops, put.message());
            }
            case Subject.RetainedGone gone -> {
                Ids.hybrid(ops, gone.stamp());
                ops.sized(gone.topic().bytes());
            }
            case Subject.ForeignPart foreign ->
                    throw new IllegalArgumentException("a part of another node's stream");
            case Subject.StreamAt at ->
                    ops.server3(at.server()).varint(at.start()).varint(at.position());
        }
    }

    private void copyRange(Subject.CopyRange range) {
        format = Part.FORMAT_COPY_RANGE;
        queue(handles.apply(range.queueId()));
        boolean hasAbove = !range.above().equals(HybridId.NONE);
        boolean hasEnded = !range.ended().equals(HybridId.NONE);
        ops.u8(
                (range.isFirst() ? FIRST : 0)
                        | (hasAbove ? ABOVE : 0)
                        | (range.isLast() ? LAST : 0)
                        | (range.isGone() ? GONE : 0)
                        | (hasEnded ? ENDED : 0));
        if (hasAbove) {
            Ids.hybrid(ops, range.above());
        }
        if (!range.isLast()) {
            Ids.hybrid(ops, range.upTo());
        }
        if (hasEnded) {
            Ids.hybrid(ops, range.ended());
        }
        CoverageCodec.write(ops, range.coverage());
    }

    private void append(QueuedMessage entry, int packetId) {
        // Read once: the shard lets go of it when PUBREC comes.
        Message message = entry.message;
        QueueHandle queue = queueOf(entry);
        int kind = messages.kind(message);
        boolean isInFlight = message != null && packetId != 0;
        if (isInFlight) {
            format = Math.max(format, Part.FORMAT_IN_FLIGHT);
        }
        int most = SHORT + 5 * entry.ids.length;
        if (message != null && kind == PartMessages.NEW) {
            most += MessageCodec.length(message);
        }
        roomFor(most);
        int reserved = most < 0x80 ? 1 : 4;
        int at = ops.u8(Op.APPEND.code()).length();
        ops.reserve(reserved);
        queue(queue);
        ops.u8(flags(entry) | kind | (isInFlight ? IN_FLIGHT : 0));
        id(entry.messageId, entry.server);
        previous(queue, entry);
        if (entry.ids.length > 0) {
            ops.ints(entry.ids);
        }
        if (message == null) {
            ops.varint(entry.packetId);
            Ids.ingress(ops, entry.ingressServer(), entry.ingressCounter());
        } else {
            messages.write(ops, message, kind);
        }
        if (isInFlight) {
            ops.varint(packetId);
        }
        ops.patch(at, reserved);
    }

    private static int flags(QueuedMessage entry) {
        return (entry.qos == 2 ? 1 : 0)
                | (entry.retain ? RETAIN : 0)
                | (entry.ids.length > 0 ? IDS : 0);
    }

    /** Of what is long there is one copy here: what follows it must not make the array grow. */
    private void roomFor(int bytes) {
        if (bytes > LONG) {
            ops.room(bytes + LONG);
        }
    }

    /**
     * Writes which append of the queue was written before this one, and notes this one as the last
     * if it is above all before.
     */
    private void previous(QueueHandle queue, QueuedMessage entry) {
        if (entry.messageId < queue.writtenClock) {
            // It was in memory for long, and is kept late: it proves nothing of what is below it.
            previous(1, entry.server);
            return;
        }
        previous(entry.messageId - queue.writtenClock, queue.writtenServer);
        queue.writtenClock = entry.messageId;
        queue.writtenServer = entry.server;
    }

    private void previous(long difference, int server) {
        boolean isOther = server != leader;
        ops.varint(difference << 1 | (isOther ? 1 : 0));
        if (isOther) {
            ops.server3(server);
        }
    }

    private QueueHandle queueOf(QueuedMessage entry) {
        QueueHandle queue = entry.queue;
        return queue != null ? queue : handles.apply(entry.queueId);
    }

    private void queue(QueueHandle queue) {
        if (queue.tablePart != part) {
            if (queueCount == queues.length) {
                queues = Arrays.copyOf(queues, queueCount * 2);
            }
            queue.tablePart = part;
            queue.tableIndex = queueCount;
            queues[queueCount++] = queue;
        }
        ops.varint(queue.tableIndex);
    }

    private void id(long clock, int server) {
        long difference = clock - lastClock;
        long zigzag = difference << 1 ^ difference >> 63;
        boolean isOther = server != leader;
        ops.varint(zigzag << 1 | (isOther ? 1 : 0));
        if (isOther) {
            ops.server3(server);
        }
        lastClock = clock;
    }
}

package io.godwit.core.operation;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.message.Remembered;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link PartEncoder} wrote, an operation at a time: {@link #next}, then the fields that
 * it has. Operations that it does not know are skipped.
 */
public final class PartDecoder {
    private static final int[] NO_IDS = new int[0];

    /** The operation that {@link #next} has read; {@link Op#APPEND} before the first. */
    public Op op = Op.APPEND;

    public long queueId;

    /** Clock of the operation's message id, if it has one. */
    public long clock;

    public int server;

    /** Clock of the id of the append before this one; of an append. */
    public long previousClock;

    public int previousServer;

    /** QoS of an append, 1 or 2. */
    public int qos;

    public boolean retain;
    public int[] ids = NO_IDS;

    /** The message of an append; null when only a marker is left of it. */
    public @Nullable Message message;

    /** Of an append: 0 when it waits; of other operations as {@link PartEncoder} has it. */
    public int packetId;

    /** Server id of the ingress id; of an append and of inbound operations. */
    public int ingressServer;

    public long ingressCounter;

    /** What {@link Op} names as the subject, for an operation without the fields above. */
    public Object subject = NO_IDS;

    /** Operations that were skipped, since nobody here knows their code. */
    public int unknown;

    private final ByteReader in;
    private final int leader;
    private final long[] queueIds;
    private final long[] epochs;
    private final List<Message> messages = new ArrayList<>();
    private @Nullable Message lastMessage;
    private long lastClock;
    private int queueIndex;
    private int format = Part.FORMAT_LEAST;

    /**
     * Reads a part's body.
     *
     * @throws IndexOutOfBoundsException when these bytes are no part, here and in {@link #next}
     */
    public PartDecoder(byte[] bytes, int from, int to) {
        in = new ByteReader(bytes, from, to);
        leader = in.server3();
        int count = in.size();
        queueIds = new long[count];
        epochs = new long[count];
        for (int i = 0; i < count; i++) {
            queueIds[i] = in.long8();
            epochs[i] = in.varint();
        }
    }

    /** Server id of the leader that wrote it. */
    public int leader() {
        return leader;
    }

    /** The least version of the encoding that has everything that was read so far. */
    public int format() {
        return format;
    }

    /** How many queues the part is about. */
    public int queues() {
        return queueIds.length;
    }

    public long queueId(int index) {
        return queueIds[index];
    }

    public long epoch(int index) {
        return epochs[index];
    }

    /**
     * Goes on to the next operation.
     *
     * @return false at the end
     */
    public boolean next() {
        while (!in.isAtEnd()) {
            Op known = Op.of(in.u8());
            int length = in.size();
            int end = in.next() + length;
            if (known == null) {
                unknown++;
                in.skipTo(end);
                continue;
            }
            op = known;
            fields();
            // What a later version has added behind the fields known here.
            in.skipTo(end);
            return true;
        }
        return false;
    }

    private void fields() {
        if (op.isOfQueue()) {
            queueId = queue();
        }
        switch (op) {
            case APPEND -> append();
            case IN_FLIGHT, RELEASED -> {
                id();
                packetId = in.smallInt();
            }
            case REMOVE, ROW_GONE -> {
                id();
                packetId = 0;
            }
            case INBOUND, INBOUND_TAKEN, INBOUND_GONE -> {
                packetId = in.smallInt();
                ingressServer = in.server3();
                ingressCounter = Ids.counter(in);
            }
            case REMEMBERED -> {
                id();
                int ingress = in.server3();
                subject = new Remembered(queueId, clock, server, ingress, Ids.counter(in));
            }
            case FORGOTTEN -> id();
            case IN_FLIGHT_TO -> {
                id();
                packetId = in.smallInt();
                subject = Ids.receiver(in);
            }
            case GOT -> {
                id();
                int given = in.smallInt();
                int ingress = in.server3();
                subject = new Subject.Got(queueId, clock, server, given, ingress, Ids.counter(in));
            }
            case GOT_GONE -> {
                id();
                subject = new Subject.GotGone(queueId, clock, server);
            }
            case SESSION,
                    SESSION_GONE,
                    SUBSCRIPTION,
                    SUBSCRIPTION_GONE,
                    GROUP,
                    GROUP_GONE,
                    ADOPTED,
                    PRECEDED_BY,
                    COPY_RANGE,
                    YIELDED,
                    RETAINED,
                    RETAINED_GONE,
                    CLOCK,
                    QUEUE_IDS,
                    STREAM ->
                    subject = subject();
        }
    }

    private Object subject() {
        return switch (op) {
            case SESSION -> {
                ClientId clientId = new ClientId(in.sized());
                yield new Subject.SessionPut(clientId, SessionCodec.read(in, queueId));
            }
            case ADOPTED -> {
                // The queue stands in the table with the epoch that begins.
                yield new Subject.Adopted(queueId, new Epoch(epochs[queueIndex], leader), null);
            }
            case COPY_RANGE -> copyRange();
            case YIELDED -> {
                long number = in.varint();
                yield new Subject.Yielded(queueId, new Epoch(number, in.server3()));
            }
            case PRECEDED_BY -> new Subject.PrecededBy(queueId, in.long8());
            case SESSION_GONE, GROUP_GONE -> new Subject.OfQueue(queueId, Ids.hybrid(in));
            case SUBSCRIPTION -> subscription();
            case SUBSCRIPTION_GONE -> {
                TopicFilter filter = new TopicFilter(in.sized());
                yield new Subject.SubscriptionGone(queueId, filter, Ids.hybrid(in));
            }
            case GROUP -> {
                int part = in.u8();
                yield new Subject.GroupPut(new TopicFilter(in.sized()), part, queueId);
            }
            case RETAINED -> {
                HybridId stamp = Ids.hybrid(in);
                yield new Subject.RetainedPut(MessageCodec.read(in), stamp);
            }
            case RETAINED_GONE -> {
                HybridId stamp = Ids.hybrid(in);
                yield new Subject.RetainedGone(new Topic(in.sized()), stamp);
            }
            case CLOCK -> in.long8();
            case QUEUE_IDS -> in.varint();
            case STREAM -> {
                int of = in.server3();
                long start = in.varint();
                yield new Subject.StreamAt(of, start, in.varint());
            }
            default -> throw new IllegalStateException(op + " has fields of its own");
        };
    }

    private void append() {
        int flags = in.u8();
        id();
        previous();
        qos = (flags & 1) + 1;
        retain = (flags & PartEncoder.RETAIN) != 0;
        ids = (flags & PartEncoder.IDS) != 0 ? in.ints() : NO_IDS;
        Message read =
                switch (flags & PartMessages.NUMBERED) {
                    case PartMessages.NONE -> null;
                    case PartMessages.SAME -> lastMessage;
                    case PartMessages.NEW -> {
                        Message first = MessageCodec.read(in);
                        messages.add(first);
                        yield first;
                    }
                    default -> messages.get(in.smallInt());
                };
        message = read;
        if (read != null) {
            lastMessage = read;
            ingressServer = read.ingressServer;
            ingressCounter = read.ingressCounter;
            packetId = (flags & PartEncoder.IN_FLIGHT) != 0 ? inFlight() : 0;
        } else {
            packetId = in.smallInt();
            ingressServer = in.server3();
            ingressCounter = Ids.counter(in);
        }
    }

    private int inFlight() {
        format = Math.max(format, Part.FORMAT_IN_FLIGHT);
        return in.smallInt();
    }

    private Subject.CopyRange copyRange() {
        format = Part.FORMAT_COPY_RANGE;
        int flags = in.u8();
        HybridId above = (flags & PartEncoder.ABOVE) != 0 ? Ids.hybrid(in) : HybridId.NONE;
        HybridId upTo = (flags & PartEncoder.LAST) != 0 ? HybridId.MAX : Ids.hybrid(in);
        HybridId ended = (flags & PartEncoder.ENDED) != 0 ? Ids.hybrid(in) : HybridId.NONE;
        return new Subject.CopyRange(
                queueId,
                above,
                upTo,
                (flags & PartEncoder.FIRST) != 0,
                (flags & PartEncoder.GONE) != 0,
                ended,
                CoverageCodec.read(in));
    }

    private Subject.SubscriptionPut subscription() {
        return SubscriptionOptions.read(in, queueId, new TopicFilter(in.sized()));
    }

    private long queue() {
        queueIndex = in.smallInt();
        return queueIds[queueIndex];
    }

    private void id() {
        long value = in.varint();
        long zigzag = value >>> 1;
        clock = lastClock + (zigzag >>> 1 ^ -(zigzag & 1));
        server = (value & 1) == 0 ? leader : in.server3();
        lastClock = clock;
    }

    private void previous() {
        long value = in.varint();
        previousClock = clock - (value >>> 1);
        previousServer = (value & 1) == 0 ? leader : in.server3();
    }
}

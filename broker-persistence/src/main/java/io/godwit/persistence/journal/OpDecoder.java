package io.godwit.persistence.journal;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Receiver;
import io.godwit.persistence.codec.ByteReader;
import io.godwit.persistence.codec.MessageCodec;
import io.godwit.persistence.codec.SessionCodec;
import io.godwit.persistence.codec.StoredRow;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what {@link OpEncoder} wrote: the value of one entry of the journal. */
public final class OpDecoder {
    private static final int[] NO_IDS = new int[0];

    /** Takes the operations in order. */
    public interface Target {
        void append(
                long queueId,
                long messageId,
                int qos,
                boolean retain,
                int[] ids,
                @Nullable Message message);

        /**
         * @param op IN_FLIGHT, RELEASED, REMOVE or ROW_GONE
         */
        void entry(Op op, long queueId, long messageId, int packetId);

        /**
         * @param op INBOUND, INBOUND_TAKEN or INBOUND_GONE
         */
        void inbound(Op op, long queueId, int packetId, long ingressCounter);

        void inFlightTo(long queueId, long messageId, int packetId, Receiver to);

        /** Every other one, with what {@link Op} names as its subject. */
        void other(Op op, Object subject);
    }

    private final ByteReader in;
    private final Target target;
    private final List<Message> messages = new ArrayList<>();
    private @Nullable Message lastMessage;
    private long lastQueue;
    private long lastId;

    private OpDecoder(byte[] value, Target target) {
        this.in = new ByteReader(value);
        this.target = target;
    }

    /**
     * @throws IndexOutOfBoundsException when these bytes are no entry of a journal
     */
    public static void decode(byte[] value, Target target) {
        OpDecoder decoder = new OpDecoder(value, target);
        while (!decoder.in.isAtEnd()) {
            decoder.one();
        }
    }

    private void one() {
        Op op = Op.of(in.u8());
        switch (op) {
            case APPEND -> append();
            case IN_FLIGHT, RELEASED -> {
                long queueId = queue();
                long messageId = id();
                target.entry(op, queueId, messageId, in.smallInt());
            }
            case REMOVE, ROW_GONE -> {
                long queueId = queue();
                target.entry(op, queueId, id(), 0);
            }
            case INBOUND, INBOUND_TAKEN, INBOUND_GONE -> {
                long queueId = queue();
                int packetId = in.smallInt();
                target.inbound(op, queueId, packetId, in.varint());
            }
            case IN_FLIGHT_TO -> {
                long queueId = queue();
                long messageId = id();
                int packetId = in.smallInt();
                target.inFlightTo(queueId, messageId, packetId, StoredRow.receiver(in));
            }
            case GOT -> {
                long queueId = queue();
                long messageId = id();
                int packetId = in.smallInt();
                int server = in.smallInt();
                target.other(
                        op, new Subject.Got(queueId, messageId, packetId, server, in.varint()));
            }
            case GOT_GONE -> {
                long queueId = queue();
                target.other(op, new Subject.GotGone(queueId, id()));
            }
            case SESSION -> {
                long queueId = queue();
                ClientId clientId = new ClientId(in.sized());
                target.other(op, new Subject.SessionPut(clientId, SessionCodec.read(in, queueId)));
            }
            case SESSION_GONE, GROUP_GONE -> target.other(op, new Subject.OfQueue(queue()));
            case SUBSCRIPTION -> subscription();
            case SUBSCRIPTION_GONE -> {
                long queueId = queue();
                target.other(op, new Subject.SubscriptionGone(queueId, filter()));
            }
            case GROUP -> {
                long queueId = queue();
                int part = in.u8();
                target.other(op, new Subject.GroupPut(filter(), part, queueId));
            }
            case RETAINED -> target.other(op, MessageCodec.read(in));
            case RETAINED_GONE -> target.other(op, new Topic(in.sized()));
            case CLOCK -> target.other(op, in.varint());
        }
    }

    private void append() {
        int flags = in.u8();
        long queueId = queue();
        long messageId = id();
        int[] ids = (flags & OpEncoder.IDS) != 0 ? in.ints() : NO_IDS;
        Message message =
                switch (flags & OpEncoder.EARLIER_MESSAGE) {
                    case OpEncoder.NO_MESSAGE -> null;
                    case OpEncoder.SAME_MESSAGE -> lastMessage;
                    case OpEncoder.NEW_MESSAGE -> {
                        Message read = MessageCodec.read(in);
                        messages.add(read);
                        yield read;
                    }
                    default -> messages.get(in.smallInt());
                };
        if (message != null) {
            lastMessage = message;
        }
        target.append(queueId, messageId, flags & 3, (flags & 1 << 2) != 0, ids, message);
    }

    private void subscription() {
        long queueId = queue();
        TopicFilter filter = filter();
        int options = in.u8();
        target.other(
                Op.SUBSCRIPTION,
                new Subject.SubscriptionPut(
                        queueId,
                        filter,
                        SubscriptionOptions.qos(options),
                        SubscriptionOptions.noLocal(options),
                        SubscriptionOptions.retainAsPublished(options),
                        in.ints()));
    }

    private TopicFilter filter() {
        return new TopicFilter(in.sized());
    }

    private long queue() {
        lastQueue += in.signed();
        return lastQueue;
    }

    private long id() {
        lastId += in.signed();
        return lastId;
    }
}

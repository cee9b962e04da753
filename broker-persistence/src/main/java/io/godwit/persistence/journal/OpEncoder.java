package io.godwit.persistence.journal;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.Topic;
import io.godwit.core.store.Inbound;
import io.godwit.persistence.codec.ByteWriter;
import io.godwit.persistence.codec.MessageCodec;
import io.godwit.persistence.codec.SessionCodec;
import io.godwit.persistence.codec.StoredRow;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Operations as bytes. Queue ids (q) and message ids (m) are signed varint differences to the last
 * one written in this entry; a message that several appends share is written once and referred to.
 *
 * <pre>
 * APPEND            0 | flags 1 | q | m | [ids] | [message, or its number in this entry varint]
 *                   flags: qos 0-1 | retain 2 | has ids 3 | message 4-5 (none, last, new, by number)
 * IN_FLIGHT         1 | q | m | packet id varint
 * RELEASED          2 | q | m | packet id varint
 * REMOVE, ROW_GONE  3, 4 | q | m
 * GOT               5 | q | m | packet id varint | ingress server varint | counter varint
 * GOT_GONE          6 | q | m
 * INBOUND...        7, 8, 9 | q | packet id varint | ingress counter varint
 * SESSION           10 | q | client id sized | session
 * SESSION_GONE      11 | q
 * SUBSCRIPTION      12 | q | filter sized | options 1 (qos 0-1, no local 2, retain 3) | ids
 * SUBSCRIPTION_GONE 13 | q | filter sized
 * GROUP             14 | q | part 1 | filter sized
 * GROUP_GONE        15 | q
 * RETAINED          16 | message
 * RETAINED_GONE     17 | topic sized
 * CLOCK             18 | ceiling varint
 * IN_FLIGHT_TO      19 | q | m | packet id varint | receiver, see StoredRow
 * </pre>
 */
final class OpEncoder {
    static final int IDS = 1 << 3;
    static final int NO_MESSAGE = 0;
    static final int SAME_MESSAGE = 1 << 4;
    static final int NEW_MESSAGE = 2 << 4;
    static final int EARLIER_MESSAGE = 3 << 4;

    private static final int SLOTS = 256;

    private final ByteWriter out;
    private final @Nullable Message[] recent = new Message[SLOTS];
    private final int[] recentNumber = new int[SLOTS];
    private @Nullable Message lastMessage;
    private int messages;
    private long lastQueue;
    private long lastId;
    private long maxClock;
    private long newBytes;

    OpEncoder(ByteWriter out) {
        this.out = out;
    }

    /** Begins another entry. */
    void begin() {
        out.clear();
        Arrays.fill(recent, null);
        lastMessage = null;
        messages = 0;
        lastQueue = 0;
        lastId = 0;
        newBytes = 0;
    }

    /** The highest hybrid clock value written since the encoder was made. */
    long maxClock() {
        return maxClock;
    }

    /** Accounted bytes of messages that appear in this entry for the first time. */
    long newBytes() {
        return newBytes;
    }

    void encode(Op op, Object subject, int packetId) {
        if (op == Op.APPEND) {
            append((QueuedMessage) subject);
            return;
        }
        out.u8(op.ordinal());
        switch (op) {
            case APPEND -> throw new IllegalStateException("written above");
            case IN_FLIGHT, RELEASED -> {
                QueuedMessage entry = (QueuedMessage) subject;
                at(entry.queueId, entry.messageId);
                out.varint(packetId);
            }
            case REMOVE -> {
                QueuedMessage entry = (QueuedMessage) subject;
                at(entry.queueId, entry.messageId);
            }
            case INBOUND, INBOUND_TAKEN, INBOUND_GONE -> {
                Inbound inbound = (Inbound) subject;
                queue(inbound.queueId);
                out.varint(inbound.packetId).varint(inbound.ingressCounter);
            }
            case RETAINED -> MessageCodec.write(out, (Message) subject);
            case RETAINED_GONE -> out.sized(((Topic) subject).bytes());
            case CLOCK -> out.varint((Long) subject);
            case IN_FLIGHT_TO -> {
                Subject.InFlightTo put = (Subject.InFlightTo) subject;
                at(put.entry().queueId, put.entry().messageId);
                out.varint(packetId);
                StoredRow.writeReceiver(out, put.to());
            }
            case ROW_GONE,
                    GOT,
                    GOT_GONE,
                    SESSION,
                    SESSION_GONE,
                    SUBSCRIPTION,
                    SUBSCRIPTION_GONE,
                    GROUP,
                    GROUP_GONE ->
                    encode((Subject) subject);
        }
    }

    private void encode(Subject subject) {
        switch (subject) {
            case Subject.RowGone row -> at(row.queueId(), row.messageId());
            case Subject.Got got -> {
                at(got.queueId, got.messageId);
                out.varint(got.packetId).varint(got.server).varint(got.counter);
            }
            case Subject.GotGone gone -> at(gone.queueId(), gone.messageId());
            case Subject.InFlightTo put -> throw new IllegalStateException("has a packet id");
            case Subject.SessionPut put -> {
                queue(put.session().queueId());
                out.sized(put.clientId().bytes());
                SessionCodec.write(out, put.session());
                maxClock = Math.max(maxClock, put.session().generation());
            }
            case Subject.OfQueue gone -> queue(gone.queueId());
            case Subject.SubscriptionPut put -> {
                queue(put.queueId());
                out.sized(put.filter().bytes());
                out.u8(SubscriptionOptions.of(put)).ints(put.ids());
            }
            case Subject.SubscriptionGone gone -> {
                queue(gone.queueId());
                out.sized(gone.filter().bytes());
            }
            case Subject.GroupPut put -> {
                queue(put.queueId());
                out.u8(put.part()).sized(put.filter().bytes());
            }
        }
    }

    private void append(QueuedMessage entry) {
        // Read once: the shard lets go of it when PUBREC comes.
        Message message = entry.message;
        int flags = entry.qos | (entry.retain ? 1 << 2 : 0);
        flags |= entry.ids.length > 0 ? IDS : 0;
        int slot = 0;
        if (message == null) {
            flags |= NO_MESSAGE;
        } else if (message == lastMessage) {
            flags |= SAME_MESSAGE;
        } else {
            slot = (int) (message.ingressCounter * 0x9E37_79B9_7F4A_7C15L >>> 56);
            flags |= recent[slot] == message ? EARLIER_MESSAGE : NEW_MESSAGE;
        }
        out.u8(Op.APPEND.ordinal()).u8(flags);
        at(entry.queueId, entry.messageId);
        maxClock = Math.max(maxClock, entry.messageId);
        if (entry.ids.length > 0) {
            out.ints(entry.ids);
        }
        if (message == null || message == lastMessage) {
            return;
        }
        if (recent[slot] == message) {
            out.varint(recentNumber[slot]);
        } else {
            MessageCodec.write(out, message);
            newBytes += message.accountedBytes();
            recent[slot] = message;
            recentNumber[slot] = messages++;
        }
        lastMessage = message;
    }

    private void at(long queueId, long messageId) {
        queue(queueId);
        out.signed(messageId - lastId);
        lastId = messageId;
    }

    private void queue(long queueId) {
        out.signed(queueId - lastQueue);
        lastQueue = queueId;
    }
}

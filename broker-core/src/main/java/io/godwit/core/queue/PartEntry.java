package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.store.Receiver;
import org.jspecify.annotations.Nullable;

/**
 * A message in a part of a shared group's queue: it stays there while a member has it in flight.
 */
public final class PartEntry extends QueueEntry {
    private static final int[] NO_IDS = new int[0];

    public final PartQueue part;

    /** Who has it in flight, as the group knows its members; null while it is idle. */
    public @Nullable Object holder;

    /** It does not wait: it is new, or a member has it. */
    boolean isOut = true;

    boolean isEnded;

    /** It was taken to look past it, and is counted with what waits. */
    boolean isLookedPast;

    /** The part has become durable, and this one's turn to be kept comes yet. */
    boolean isToBeKept;

    /** The member has got it (PUBREC), and has not completed the handshake. */
    public boolean isGot;

    /** Its place among what its holder has in flight. */
    public int place;

    /** At which it is in flight: the lower of the message's QoS and the member's. */
    public int sentQos;

    /** The member that has it in flight at QoS 2, once that has a packet id for it. */
    public @Nullable Receiver receiver;

    PartEntry(
            PartQueue part,
            long messageId,
            @Nullable Message message,
            int qos,
            boolean retain,
            int[] ids) {
        super(part.queueId(), messageId, message, qos, retain, ids, null);
        this.part = part;
    }

    PartEntry(PartQueue part, long messageId, Message message) {
        this(part, messageId, message, message.qos, message.retain, NO_IDS);
    }

    /** What a member's queue has of it in flight at QoS 2, sent before under this packet id. */
    QueueEntry sentBefore(long queueId, int packetId, boolean asRetained, int[] as) {
        QueueEntry entry = new QueueEntry(queueId, messageId, content(), 2, asRetained, as, this);
        entry.server = server;
        entry.packetId = packetId;
        entry.state = SENT;
        entry.hasLeft = true;
        return entry;
    }

    public boolean hasEnded() {
        return isEnded;
    }

    /** Whether the store has it. */
    public boolean isKept() {
        return kept;
    }

    /** Takes away who waits for it, to wait for something else; null for nobody. */
    public @Nullable Receipt takeWaiting() {
        Receipt waits = waiting;
        waiting = null;
        return waits;
    }

    /** What is to be sent; a part's entry has its message until it is gone. */
    public Message content() {
        Message content = message;
        if (content == null) {
            throw new IllegalStateException("message " + messageId + " has ended");
        }
        return content;
    }
}

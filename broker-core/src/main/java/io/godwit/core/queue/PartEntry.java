package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.store.Receiver;
import org.jspecify.annotations.Nullable;

/**
 * A message in a part of a shared group's queue: it stays there while a member has it in flight, or
 * until a durable member's own queue has it.
 */
public final class PartEntry extends QueueEntry implements GroupLink {
    private static final int[] NO_IDS = new int[0];

    public final PartQueue part;

    /** The member that has it in flight, or its hand-over, for the group; null while it is idle. */
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

    /** The only one to get it: see {@link Receiver}. Null while any member may. */
    public @Nullable Receiver receiver;

    /** Whether an earlier start, or another node, has told other nodes of it. */
    public boolean isKnownElsewhere;

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

    @Override
    public boolean staysWithGroup() {
        return true;
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

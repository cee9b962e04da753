package io.godwit.persistence.queue;

import io.godwit.core.message.Message;
import io.godwit.core.store.Receiver;
import org.jspecify.annotations.Nullable;

/**
 * What the row thread remembers of an entry that is a row, so that its row can go without being
 * read: where it stands on the disk, and where it shall stand after this run.
 *
 * <pre>
 * place     idle row   row under in-flight
 * NONE      no         no
 * IDLE      yes        no
 * MARKED    yes        a marker that points to it
 * FLIGHT    no         the whole row
 * RELEASED  no         a marker: PUBREC came
 * GOT       no         a marker: of a group's entry, which its session has got
 * </pre>
 */
final class RowNote {
    static final byte NONE = 0;
    static final byte IDLE = 1;
    static final byte MARKED = 2;
    static final byte FLIGHT = 3;
    static final byte RELEASED = 4;
    static final byte GOT = 5;

    /** Where the row stands on the disk. */
    byte place;

    /** Where the row stands after the run. */
    byte wanted;

    /** The row is in the run's list of what changes. */
    boolean touched;

    /** The packet id on the disk is another one. */
    boolean renumbered;

    int packetId;

    /** Under which it stands on the disk. */
    int placedPacketId;

    /** The member that has it in flight, of a group's entry that is {@link #MARKED}. */
    @Nullable Receiver receiver;

    /** What {@code QueuedMessage.bytes} says of its message. */
    int bytes;

    long expiresAtMs = Message.NEVER;

    /** The message stands in PAYLOADS under this ingress id. */
    boolean isReference;

    int server;
    long counter;

    boolean hasIdleRow() {
        return place == IDLE || place == MARKED;
    }

    static boolean isInFlight(byte place) {
        return place > IDLE;
    }
}

package io.godwit.persistence.queue;

import io.godwit.core.message.Digest;
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
public final class RowNote {
    public static final byte NONE = 0;
    public static final byte IDLE = 1;
    public static final byte MARKED = 2;
    public static final byte FLIGHT = 3;
    public static final byte RELEASED = 4;
    public static final byte GOT = 5;

    /** Where the row stands on the disk. */
    public byte place;

    /** Where the row stands after the run. */
    public byte wanted;

    /** The row is in the run's list of what changes. */
    public boolean touched;

    /** The row could not be read: all that is known of it is its id. */
    public boolean isUnread;

    /** A page brought it: it was an idle row then. */
    private boolean isReadBack;

    /** The packet id on the disk is another one. */
    public boolean renumbered;

    public int packetId;

    /** Under which it stands on the disk. */
    public int placedPacketId;

    /** The member that has it in flight, of a group's entry that is {@link #MARKED}. */
    public @Nullable Receiver receiver;

    /** What {@code QueuedMessage.bytes} says of its message. */
    public int bytes;

    public long expiresAtMs = Message.NEVER;

    /** The message stands in PAYLOADS under this ingress id. */
    public boolean isReference;

    public int server;
    public long counter;

    /** Of an idle row. */
    static RowNote idle(int bytes) {
        RowNote note = new RowNote();
        note.place = IDLE;
        note.wanted = IDLE;
        note.bytes = bytes;
        return note;
    }

    /** A page brings it, and it stands among the idle rows. */
    public void readBack() {
        isReadBack = true;
    }

    /** Whether it is an idle row still as a page brought it, and nothing else goes with it. */
    boolean isAsRead() {
        return isReadBack
                && place == IDLE
                && !touched
                && !isReference
                && expiresAtMs == Message.NEVER;
    }

    /**
     * Goes on from the row that stands for the entry already. Its append says nothing new, and a
     * row stays released.
     */
    void goOnFrom(RowNote row) {
        place = row.place;
        placedPacketId = row.placedPacketId;
        bytes = row.bytes;
        expiresAtMs = row.expiresAtMs;
        isReference = row.isReference;
        server = row.server;
        counter = row.counter;
        if (wanted == IDLE || place == RELEASED) {
            wanted = place;
            packetId = row.packetId;
            receiver = row.receiver;
        } else {
            renumbered = isInFlight(place) && placedPacketId != packetId;
        }
    }

    public boolean hasIdleRow() {
        return place == IDLE || place == MARKED;
    }

    public static boolean isInFlight(byte place) {
        return place > IDLE;
    }

    /** The status that a digest counts. */
    public static int status(byte place) {
        return switch (place) {
            case IDLE -> Digest.IDLE;
            case RELEASED -> Digest.RELEASED;
            case GOT -> Digest.GOT;
            default -> Digest.IN_FLIGHT;
        };
    }
}

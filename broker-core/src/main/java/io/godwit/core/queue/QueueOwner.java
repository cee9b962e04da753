package io.godwit.core.queue;

import io.godwit.core.packet.ProtocolVersion;
import org.jspecify.annotations.Nullable;

/** The session whose queue it is, as the queue sees it. On the shard that has the session. */
public interface QueueOwner {
    /** Whether the queue outlives the connection. */
    boolean isDurable();

    /** What the drops of the queue are counted under. */
    ProtocolVersion version();

    /** The connection, from its taking the session on, before its CONNACK; null while offline. */
    @Nullable Outlet outlet();

    /** There is room, or something new to send: {@link ClientQueue#pump} is to be called. */
    void pump();

    /** A page of its rows could not be read. */
    void onReadFailed(Throwable failure);

    // ---------------------------------------------------------------- entries of shared groups

    /**
     * An entry of a group was given its packet id.
     *
     * @return whether that is kept, and PUBLISH has to wait for it
     */
    boolean groupEntrySent(QueueEntry entry);

    /**
     * PUBREC came for an entry of a group.
     *
     * @return whether that is kept, and PUBREL has to wait for it
     */
    boolean groupEntryReleased(QueueEntry entry);

    /** The handshake of a group's entry has ended, or the client cannot take it. */
    void groupEntryDone(QueueEntry entry);

    /** A group's entry was not sent on the connection that it was meant for. */
    void groupEntryNotSent(QueueEntry entry);
}

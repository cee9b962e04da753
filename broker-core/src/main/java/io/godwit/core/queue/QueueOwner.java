package io.godwit.core.queue;

import io.godwit.core.packet.ProtocolVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The session whose queue it is, as the queue sees it. On the shard that has the session. */
public interface QueueOwner {
    /** Whether the queue outlives the connection. */
    boolean isDurable();

    /** What the drops of the queue are counted under. */
    ProtocolVersion version();

    /** The connection, from its taking the session on, before its CONNACK; null while offline. */
    @Nullable Outlet outlet();

    /** There is room, or something new to send: {@link Delivery#pump} is to be called. */
    void pump();

    /** It is not durable, and more waits than {@link ClientQueue#BEHIND_SIXTEENTHS} of what may. */
    void onBehind();

    /** A page of its rows could not be read. */
    void onReadFailed(Throwable failure);

    /** The store is to forget this queue, which went before the session's own. */
    void forgetQueue(long queueId);

    // ---------------------------------------------------------------- entries of shared groups

    /**
     * An entry of a group was given its packet id at QoS 2: {@link Delivery#sharedGoesOn} follows
     * when the group has kept that.
     */
    void sharedInFlight(QueueEntry entry);

    /**
     * PUBREC came for an entry of a group: {@link Delivery#sharedGoesOn} follows when the group has
     * let go of it for good.
     */
    void sharedGot(QueueEntry entry);

    /**
     * Called when an entry of a group, handed over or not, is done with here: acknowledged, or the
     * client cannot take it.
     */
    void sharedDone(GroupLink link);

    /**
     * The session ends with an entry of a group in flight at QoS 2.
     *
     * @param hasLeft PUBLISH has left, or may have: nobody else gets it [MQTT-4.8.2-5]
     */
    void sharedEnds(QueueEntry entry, boolean hasLeft);

    /** The session ends with entries that groups have handed over and that never left. */
    void sharedUnsent(List<QueueEntry> entries);
}

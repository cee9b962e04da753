package io.godwit.core.queue;

/** Lets tests look at what a queue could send now. */
public final class QueueProbe {
    private QueueProbe() {}

    /**
     * Finds something that could leave now and that nobody sends or reads: there is none at the end
     * of a turn of the queue's shard.
     *
     * @return empty when there is none
     */
    public static String stalled(ClientQueue queue, Outlet to) {
        InFlight window = queue.window();
        if (!to.isConnected() || !to.canSend() || !window.isSentAgain()) {
            return "";
        }
        Qos2Outgoing outgoing = queue.delivery().qos2;
        if (outgoing.ready != null && !outgoing.ready.isEmpty()) {
            return "QoS 2 messages whose packet ids are persisted";
        }
        Backlog front = queue.front();
        if (!window.hasRoom(to.inFlightMax())
                || front == queue.backlog && outgoing.awaitsPredecessor()) {
            return "";
        }
        QueueEntry next = front.peek();
        if (next != null) {
            return next.mayLeave ? "message " + next.id() + " at QoS " + next.qos : "";
        }
        return isUnread(front) ? "rows that nobody reads" : "";
    }

    /** Whether only rows are left, and no page of them was asked for. */
    private static boolean isUnread(Backlog front) {
        BelowCursor below = front.below;
        DiskRows rows = front.rows;
        boolean isReading =
                below != null && below.reading != null || rows != null && rows.reading != null;
        return !isReading && (below != null && below.onDisk() > 0 || rows != null && rows.isMore);
    }
}

package io.godwit.core.queue;

/** Of what is in flight to one client, what is groups': made when it is asked about. */
final class SharedInFlight {
    private final DurableQueue queue;
    private final QueueOwner owner;
    private final Window inFlight;

    /** All that is in flight to the client. */
    interface Window {
        /** In the order of the message ids. */
        QueueEntry[] inOrder();

        void remove(QueueEntry entry);

        /** A group's goes back to it. */
        void end(QueueEntry entry);

        /** Takes in an entry that has its packet id. */
        void install(QueueEntry entry);

        /** Whether groups have told of entries that are not in the window yet, or will. */
        boolean hasUnreadShared();
    }

    SharedInFlight(DurableQueue queue, QueueOwner owner, Window inFlight) {
        this.queue = queue;
        this.owner = owner;
        this.inFlight = inFlight;
    }

    /** Removes those of QoS 1: nobody waits for their packet ids any more. */
    void removeQos1() {
        for (QueueEntry entry : inFlight.inOrder()) {
            if (entry.source != null && entry.qos == 1) {
                inFlight.remove(entry);
            }
        }
    }

    /** Entries that have no marker here are not this client's any more. */
    void end() {
        for (QueueEntry entry : inFlight.inOrder()) {
            if (entry.source != null && !entry.hasMarker) {
                inFlight.end(entry);
                inFlight.remove(entry);
            }
        }
    }

    /**
     * Whether groups are still to say what the client has of them: at start, or that it is kept
     * that it has one more.
     */
    boolean isAwaited() {
        if (inFlight.hasUnreadShared()) {
            return true;
        }
        for (QueueEntry entry : inFlight.inOrder()) {
            if (entry.isSentOfGroup() && !entry.mayLeave) {
                return true;
            }
        }
        return false;
    }

    /**
     * What the client has of groups at QoS 2, or may have, is the queue's own from now on; the
     * groups let go of it as soon as that is kept. QoS 1 stays theirs.
     */
    void take() {
        for (QueueEntry entry : inFlight.inOrder()) {
            if (entry.isSentOfGroup()) {
                take(entry);
            }
        }
    }

    private void take(QueueEntry entry) {
        QueueEntry own =
                new QueueEntry(
                        queue.queueId(),
                        entry.messageId,
                        entry.message,
                        2,
                        entry.retain,
                        entry.ids,
                        null);
        own.packetId = entry.packetId;
        own.state = QueueEntry.SENT;
        own.hasLeft = entry.hasLeft;
        own.kept = true;
        queue.kept().append(own);
        queue.kept().inFlight(own);
        queue.idsGoOnAbove(own.id());
        inFlight.remove(entry);
        inFlight.install(own);
        owner.sharedTaken(entry);
    }
}

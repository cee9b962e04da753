package io.godwit.core.queue;

/**
 * Picks out what groups' queues have of what is in flight to one client: made when it is asked
 * about.
 */
final class SharedInFlight {
    private final Window inFlight;

    /** All that is in flight to the client. */
    interface Window {
        /** In the order of the message ids. */
        QueueEntry[] inOrder();

        void remove(QueueEntry entry);

        /** A group's goes back to it. */
        void end(QueueEntry entry);
    }

    SharedInFlight(Window inFlight) {
        this.inFlight = inFlight;
    }

    /** Removes those of QoS 1: nobody waits for their packet ids any more. */
    void removeQos1() {
        for (QueueEntry entry : inFlight.inOrder()) {
            if (entry.isGroups() && entry.qos == 1) {
                inFlight.remove(entry);
            }
        }
    }

    /** Removes all: they are not this client's any more. */
    void end() {
        for (QueueEntry entry : inFlight.inOrder()) {
            if (entry.isGroups()) {
                inFlight.end(entry);
                inFlight.remove(entry);
            }
        }
    }
}

package io.godwit.core.queue;

/** Of what is in flight to one client, what is groups': made when it is asked about. */
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
}

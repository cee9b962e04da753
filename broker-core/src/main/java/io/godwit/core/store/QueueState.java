package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Digest;

/**
 * What a queue holds at one position of the journal: its rows and what waits in memory to become
 * rows. Nothing of it is kept up to date for each message; it is worked out when somebody asks.
 *
 * @param position everything up to this record of the journal counts, and nothing behind it
 * @param last id of the last append that was written; clock 0 when there was none
 * @param coverage which ids are here, or known to be gone
 * @param idle messages without a packet id
 * @param inFlight messages with one, and markers of such
 * @param remembered QoS 2 messages that may come again
 * @param bytes of the idle ones, as {@link io.godwit.core.message.QueuedMessage#bytes}
 * @param digest of entries, markers and what it remembers
 * @param records digest of its record, subscriptions, inbound ids and predecessor
 */
public record QueueState(
        long queueId,
        int copySet,
        long position,
        HybridId last,
        Coverage coverage,
        long idle,
        long inFlight,
        long remembered,
        long bytes,
        Digest digest,
        Digest records) {
    /** Takes a state; called on a thread of the store, or at once on the one that asks too much. */
    public interface Reader {
        void onState(QueueState state);

        /** Called when the store has failed, or was closed, or too many wait to be answered. */
        void onFailed(Throwable cause);
    }
}

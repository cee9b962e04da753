package io.godwit.core.store;

import io.godwit.core.message.Digest;
import io.godwit.core.packet.ClientId;
import org.jspecify.annotations.Nullable;

/**
 * Describes by a digest the contents of a queue at one moment of the journal.
 *
 * @param leader server id of the node that led it; 0: this node did
 * @param clientId of the session whose queue it is; null of a group's part, or of a queue without a
 *     record
 * @param isGroup whether it is a part of a shared group's queue that is not set aside
 * @param predecessorId queue id of what is drained before it; 0 for nothing
 * @param digest of the queue's entries, of what it remembers, and of its record, subscriptions and
 *     inbound ids; two copies with equal ones hold the same
 */
public record QueueDigest(
        long queueId,
        int leader,
        @Nullable ClientId clientId,
        boolean isGroup,
        long predecessorId,
        Digest digest) {
    /** Leader of the queues that this node leads. */
    public static final int THIS_NODE = 0;
}

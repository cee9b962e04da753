package io.godwit.core.routing;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import org.jspecify.annotations.Nullable;

/** A QoS 1/2 message of a shared group: idle, or in flight to one member. */
final class GroupEntry {
    /** Above 0; rises with each message of the group. Its message id while the group is durable. */
    final long id;

    final Message message;

    /** While in flight: the lower of the message's QoS and the member's, 1 or 2. */
    int qos;

    /** What the store has of it; null when it has nothing. */
    @Nullable Kept kept;

    GroupEntry(long id, Message message) {
        this.id = id;
        this.message = message;
    }

    /** Of its message id; 0 while the group is not durable. */
    int server() {
        Kept there = kept;
        return there == null ? 0 : there.server;
    }

    /** An entry of a durable group, as the store sees it. */
    static final class Kept extends QueuedMessage {
        private static final int[] NO_IDS = new int[0];

        Kept(long queueId, long messageId, Message message) {
            super(queueId, messageId, message, message.qos, message.retain, NO_IDS);
        }
    }
}

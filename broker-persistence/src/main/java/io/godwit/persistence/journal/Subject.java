package io.godwit.persistence.journal;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.SessionRecord;

/** What an operation is about, where core has no object for it. */
public sealed interface Subject {
    record SessionPut(ClientId clientId, SessionRecord session) implements Subject {}

    /** A session or group that ended. */
    record OfQueue(long queueId) implements Subject {}

    record SubscriptionPut(
            long queueId,
            TopicFilter filter,
            int qos,
            boolean noLocal,
            boolean retainAsPublished,
            int[] ids)
            implements Subject {}

    record SubscriptionGone(long queueId, TopicFilter filter) implements Subject {}

    record GroupPut(TopicFilter filter, int part, long queueId) implements Subject {}

    record RowGone(long queueId, long messageId) implements Subject {}

    record InFlightTo(QueuedMessage entry, Receiver to) implements Subject {}

    record GotGone(long queueId, long messageId) implements Subject {}

    /** See {@link io.godwit.core.store.ShardStore#putMarker}. */
    final class Got implements Subject {
        public final long queueId;
        public final long messageId;
        public final int packetId;
        public final int server;
        public final long counter;

        /** What follows in the window makes it void; only the row thread touches it. */
        public boolean isVoid;

        public Got(long queueId, long messageId, int packetId, int server, long counter) {
            this.queueId = queueId;
            this.messageId = messageId;
            this.packetId = packetId;
            this.server = server;
            this.counter = counter;
        }
    }
}

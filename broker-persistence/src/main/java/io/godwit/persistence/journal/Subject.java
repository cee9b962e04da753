package io.godwit.persistence.journal;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
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

    record GroupPut(TopicFilter filter, long queueId) implements Subject {}

    record RowGone(long queueId, long messageId) implements Subject {}

    record LentGone(long memberQueueId, long messageId) implements Subject {}

    /** See {@link io.godwit.core.store.ShardStore#lent}. */
    final class Lent implements Subject {
        public final long memberQueueId;
        public final long groupQueueId;
        public final long messageId;
        public final int packetId;
        public final boolean released;

        /** What follows in the window makes it void; only the row thread touches it. */
        public boolean isVoid;

        public Lent(
                long memberQueueId,
                long groupQueueId,
                long messageId,
                int packetId,
                boolean released) {
            this.memberQueueId = memberQueueId;
            this.groupQueueId = groupQueueId;
            this.messageId = messageId;
            this.packetId = packetId;
            this.released = released;
        }
    }
}

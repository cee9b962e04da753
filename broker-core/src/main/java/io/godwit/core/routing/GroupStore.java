package io.godwit.core.routing;

import io.godwit.core.message.QueuedMessage;
import io.godwit.core.packet.TopicFilter;

/**
 * What the queue of a durable group asks of the store: on the owner's thread, for one group after
 * the other.
 */
public interface GroupStore {
    /** Of a group that nothing keeps. */
    GroupStore NONE =
            new GroupStore() {
                @Override
                public long nextMessageId() {
                    return 0;
                }

                @Override
                public long putGroup(SharedGroup group) {
                    return 0;
                }

                @Override
                public void removeGroup(TopicFilter filter, long queueId) {}

                @Override
                public void append(QueuedMessage entry) {}

                @Override
                public void remove(QueuedMessage entry) {}

                @Override
                public void removeRow(long queueId, long messageId, int server) {}
            };

    /** Above those of all queues so far, or 0: then the group counts for itself. */
    long nextMessageId();

    /**
     * The group is durable from now on.
     *
     * @return its queue id, new; 0 when there is none, and nothing is kept
     */
    long putGroup(SharedGroup group);

    /** It is durable no more: its queue goes. */
    void removeGroup(TopicFilter filter, long queueId);

    void append(QueuedMessage entry);

    void remove(QueuedMessage entry);

    /** One that the group found in its rows and does not want. */
    void removeRow(long queueId, long messageId, int server);
}

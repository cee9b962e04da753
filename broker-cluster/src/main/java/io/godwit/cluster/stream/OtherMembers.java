package io.godwit.cluster.stream;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
import org.jspecify.annotations.Nullable;

/** Gives a message to other members of shared groups, since those at one node are out of reach. */
public interface OtherMembers {
    /**
     * @param groups whole filters
     * @param receipt counts whoever gets it now; null when nobody waits
     */
    void give(Message message, TopicFilter[] groups, @Nullable Receipt receipt);

    /**
     * Gives a message to the node that has taken over the queues of its groups: it knows whether it
     * has the message.
     *
     * @param taker server id
     */
    void giveTo(int taker, UnansweredForGroups each);
}

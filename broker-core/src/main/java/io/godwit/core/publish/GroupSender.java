package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Taker;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.SharedGroupRef;
import org.jspecify.annotations.Nullable;

/** Sends messages to shared groups, whichever shard owns them. */
public interface GroupSender {
    /**
     * @param receipt waits for the group, and was told already to await it
     */
    void send(SharedGroupRef group, Message message, @Nullable Receipt receipt);

    /** Whether a group may have queues here that this node has adopted. */
    boolean mayHaveAdopted(TopicFilter group);

    /**
     * Asks whether a message of QoS 2 is in an adopted queue of a group, or was.
     *
     * @param group whole filter
     * @param receipt waits for the answer, and was told already to await it: of one that is there
     *     it is told when that is kept
     * @param ifUnknown run on this shard when it is not; has to tell the receipt
     */
    void askAdopted(TopicFilter group, Message message, Receipt receipt, Runnable ifUnknown);

    /** The group as a target that remembers QoS 2 messages. */
    Taker taker(SharedGroupRef group);
}

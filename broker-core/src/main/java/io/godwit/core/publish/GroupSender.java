package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Taker;
import io.godwit.core.message.Message;
import io.godwit.core.routing.SharedGroupRef;
import org.jspecify.annotations.Nullable;

/** Sends messages to shared groups, whichever shard owns them. */
public interface GroupSender {
    /**
     * @param receipt waits for the group, and was told already to await it
     */
    void send(SharedGroupRef group, Message message, @Nullable Receipt receipt);

    /** The group as a target that remembers QoS 2 messages. */
    Taker taker(SharedGroupRef group);
}

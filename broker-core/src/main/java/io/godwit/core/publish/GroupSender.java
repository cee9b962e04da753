package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Taker;
import io.godwit.core.message.Message;
import io.godwit.core.routing.SharedGroupRef;
import org.jspecify.annotations.Nullable;

/** The way to a shared group, whichever shard owns it. */
public interface GroupSender {
    /**
     * @param receipt that waits for the group; already told to await it
     */
    void send(SharedGroupRef group, Message message, @Nullable Receipt receipt);

    /** The group as one that remembers QoS 2 messages. */
    Taker taker(SharedGroupRef group);
}

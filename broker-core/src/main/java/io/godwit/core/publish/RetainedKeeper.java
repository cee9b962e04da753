package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import org.jspecify.annotations.Nullable;

/** Keeps retained messages, on the one shard that owns the retained store. */
public interface RetainedKeeper {
    /**
     * Keeps a retained message, or removes with an empty payload, before it is routed.
     *
     * @param receipt waits for the commit when the message is QoS 1/2
     */
    void retain(Message message, @Nullable Receipt receipt);
}

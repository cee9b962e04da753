package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import org.jspecify.annotations.Nullable;

/** Keeps retained messages, on the one shard that owns the retained store. */
public interface RetainedKeeper {
    /**
     * Keeps a retained message, or removes with an empty payload, before it is routed.
     *
     * @param receipt waits for the commit when the message is QoS 1/2
     * @return its stamp; the one of before when it was kept before a restart; null when it is this
     *     node's alone
     */
    @Nullable HybridId retain(Message message, @Nullable Receipt receipt);

    /**
     * The same of one that has come from another node, unless a later one is here.
     *
     * @param stamp that it was given there
     */
    void retainArrived(Message message, HybridId stamp, @Nullable Receipt receipt);
}

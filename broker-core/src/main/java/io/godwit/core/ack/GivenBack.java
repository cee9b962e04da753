package io.godwit.core.ack;

import io.godwit.core.packet.TopicFilter;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;

/** Tells the shard of a receipt that a shared group does not have its message any more. */
final class GivenBack extends Mail {
    private final Receipt receipt;
    private final TopicFilter group;
    private final int taker;

    /**
     * @param group whole filter
     * @param taker server id of the node that leads the group's queue now
     */
    GivenBack(Receipt receipt, TopicFilter group, int taker) {
        this.receipt = receipt;
        this.group = group;
        this.taker = taker;
    }

    @Override
    protected boolean handle(Shard at, int from) {
        receipt.giveBack(group, taker);
        return true;
    }
}

package io.godwit.core.ack;

import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import java.util.function.BooleanSupplier;

/** Tells the shard of a receipt that a target at another node holds more than its part. */
final class FeedsFull extends Mail {
    private final Receipt receipt;
    private final BooleanSupplier isFull;

    FeedsFull(Receipt receipt, BooleanSupplier isFull) {
        this.receipt = receipt;
        this.isFull = isFull;
    }

    @Override
    protected boolean handle(Shard at, int from) {
        receipt.feedsFull(isFull);
        return true;
    }
}

package io.godwit.core.ack;

import io.godwit.core.packet.ReasonCode;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Tells the shard of a receipt that those of its targets that another shard has counted are done.
 */
final class ReceiptDone extends Mail {
    private final Receipt receipt;
    private final boolean taken;
    private final ReasonCode reason;
    private final @Nullable Takers takers;

    /**
     * @param takers those of these targets that remember the message; null for none
     */
    ReceiptDone(Receipt receipt, boolean taken, ReasonCode reason, @Nullable Takers takers) {
        this.receipt = receipt;
        this.takers = takers;
        this.taken = taken;
        this.reason = reason;
    }

    @Override
    protected boolean handle(Shard at, int from) {
        if (reason != ReasonCode.SUCCESS) {
            receipt.reason = reason;
        }
        receipt.takenBy(takers);
        receipt.targetDone(taken);
        return true;
    }
}

package io.godwit.core.ack;

import io.godwit.core.packet.ReasonCode;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/** To the shard of a receipt: those of its targets that were counted elsewhere are done. */
final class ReceiptDone extends Mail {
    private final Receipt receipt;
    private final boolean taken;
    private final ReasonCode reason;
    private final @Nullable Takers takers;

    /**
     * @param takers who remembers the message, of those targets; null for nobody
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

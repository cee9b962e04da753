package io.godwit.core.ack;

import io.godwit.core.packet.ReasonCode;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;

/** To the shard of a receipt: those of its targets that were counted elsewhere are done. */
final class ReceiptDone extends Mail {
    private final Receipt receipt;
    private final boolean taken;
    private final ReasonCode reason;

    private final boolean isRemembered;

    ReceiptDone(Receipt receipt, boolean taken, ReasonCode reason, boolean isRemembered) {
        this.receipt = receipt;
        this.isRemembered = isRemembered;
        this.taken = taken;
        this.reason = reason;
    }

    @Override
    protected boolean handle(Shard at, int from) {
        if (reason != ReasonCode.SUCCESS) {
            receipt.reason = reason;
        }
        receipt.isRemembered |= isRemembered;
        receipt.targetDone(taken);
        return true;
    }
}

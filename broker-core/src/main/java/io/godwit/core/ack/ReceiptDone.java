package io.godwit.core.ack;

import io.godwit.core.packet.ReasonCode;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;

/** To the shard of a receipt: those of its targets that were counted elsewhere are done. */
final class ReceiptDone extends Mail {
    private final Receipt receipt;
    private final boolean taken;
    private final ReasonCode reason;

    ReceiptDone(Receipt receipt, boolean taken, ReasonCode reason) {
        this.receipt = receipt;
        this.taken = taken;
        this.reason = reason;
    }

    @Override
    protected boolean handle(Shard at, int from) {
        if (reason != ReasonCode.SUCCESS) {
            receipt.reason = reason;
        }
        receipt.targetDone(taken);
        return true;
    }
}

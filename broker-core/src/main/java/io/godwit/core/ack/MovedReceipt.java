package io.godwit.core.ack;

import io.godwit.core.shard.Mailer;

/**
 * A receipt whose session has gone to another shard: it stays where its targets tell it, and passes
 * on what it hears to the receipt that stands for it there.
 */
public final class MovedReceipt {
    private final Receipt arriving;
    private final Receipt left;
    private final Mailer from;
    private final int to;

    private MovedReceipt(Mailer from, int to, Receipt left) {
        this.from = from;
        this.to = to;
        this.left = left;
        this.arriving = left.arriving();
        left.goesOnAs(this);
    }

    /**
     * Leaves a receipt behind.
     *
     * @param from the shard that it belongs to
     * @param to the shard that its session goes to
     * @return the receipt that stands for it there
     */
    public static Receipt leave(Mailer from, int to, Receipt receipt) {
        return new MovedReceipt(from, to, receipt).arriving;
    }

    void onDone() {
        from.send(to, new ReceiptDone(arriving, !left.hasFailed(), left.reason, left.takers()));
    }
}

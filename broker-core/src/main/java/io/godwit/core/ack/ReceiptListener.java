package io.godwit.core.ack;

/** Who sends the acknowledgement that a {@link Receipt} stands for: the publisher's connection. */
public interface ReceiptListener {
    /** Everything that a PUBLISH promises is kept; called on the receipt's shard. */
    void onReceiptDone();
}

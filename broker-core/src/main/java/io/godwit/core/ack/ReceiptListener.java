package io.godwit.core.ack;

/**
 * The publisher's connection, as what sends the acknowledgement that a {@link Receipt} stands for.
 */
public interface ReceiptListener {
    /** Called on the receipt's shard when every target has reached its ack point. */
    void onReceiptDone();
}

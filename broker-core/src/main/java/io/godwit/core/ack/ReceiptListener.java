package io.godwit.core.ack;

import java.util.function.BooleanSupplier;

/**
 * The publisher's connection, as what sends the acknowledgement that a {@link Receipt} stands for.
 */
public interface ReceiptListener {
    /** Called on the receipt's shard when every target has reached its ack point. */
    void onReceiptDone();

    /**
     * The message went to a target at another node that holds more than its part.
     *
     * @param isFull whether it still does; any thread asks
     */
    default void feedsFull(BooleanSupplier isFull) {}
}

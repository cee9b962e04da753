package io.godwit.core.ack;

/**
 * Runs a task of a publisher that has waited, and says who that is.
 *
 * @param publisher whose messages wait
 */
public record PublisherTask(ReceiptListener publisher, Runnable task) implements Runnable {
    @Override
    public void run() {
        task.run();
    }
}

package io.godwit.core.queue;

/**
 * The turn of one queue to send some of what is in flight again: when thousands of clients come
 * back at one moment, each with a window, no turn of the shard sends more than some of it.
 */
final class SendingTurn implements Runnable {
    /** Messages sent before it is the turn of others. */
    private static final int MESSAGES = 100;

    private final Runnable goOn;
    private boolean isCancelled;
    private boolean hasWaited;
    private int left;

    /**
     * @param goOn sends on, when it is this queue's turn
     */
    SendingTurn(Runnable goOn) {
        this.goOn = goOn;
    }

    /** Asks for it; where few do it comes at once, else the queue is told then. */
    void ask(ShardQueues shard) {
        hasWaited = false;
        hasWaited = !shard.sendingAgain.add(this);
    }

    @Override
    public void run() {
        if (!isCancelled) {
            left = MESSAGES;
            if (hasWaited) {
                goOn.run();
            }
        }
    }

    /** Takes one message's place. @return false when it is not, or not any more, its turn */
    boolean take(ShardQueues shard) {
        if (left == 0) {
            return false;
        }
        if (--left == 0) {
            ask(shard);
        }
        return true;
    }

    /** The connection is gone, or the queue goes to another shard: whoever comes next asks anew. */
    void cancel() {
        isCancelled = true;
    }
}

package io.godwit.core.shard;

/** A task that a shard does as mail: behind what stands in its mailbox already. */
final class OwnMail extends Mail {
    private final Runnable task;
    private final int cost;

    /**
     * @param cost units of work (messages) that the task takes
     */
    OwnMail(Runnable task, int cost) {
        this.task = task;
        this.cost = cost;
    }

    @Override
    protected boolean handle(Shard at, int from) {
        task.run();
        return true;
    }

    @Override
    protected int cost() {
        return cost;
    }

    @Override
    protected boolean mayTakeLong() {
        return true;
    }
}

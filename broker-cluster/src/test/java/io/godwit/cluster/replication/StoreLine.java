package io.godwit.cluster.replication;

import io.godwit.persistence.work.Worker;
import java.util.ArrayDeque;

/** A worker of a node's store: one task after the other, each some time after it was its turn. */
final class StoreLine implements Worker {
    private final StoreNode.Process process;
    private final int delayMicros;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    /**
     * @param delayMicros the longest that a task waits for its turn
     */
    StoreLine(StoreNode.Process process, int delayMicros) {
        this.process = process;
        this.delayMicros = delayMicros;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (tasks.size() == 1) {
            next();
        }
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
        process.later(delayNanos / 1_000, () -> execute(task));
    }

    private void next() {
        process.later(process.random().nextInt(delayMicros + 1), this::run);
    }

    private void run() {
        try {
            tasks.element().run();
        } finally {
            tasks.remove();
            if (!tasks.isEmpty()) {
                next();
            }
        }
    }
}

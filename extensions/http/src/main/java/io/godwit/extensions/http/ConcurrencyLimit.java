package io.godwit.extensions.http;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lets so many tasks be under way at a moment; others wait for their turn, and hold no thread. */
final class ConcurrencyLimit {
    private final int max;
    private final Executor executor;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int running;

    /**
     * @param executor begins tasks that had to wait
     */
    ConcurrencyLimit(int max, Executor executor) {
        this.max = max;
        this.executor = executor;
    }

    /** Begins a task in its turn; it ends when its future does. */
    <T> CompletableFuture<T> run(Supplier<CompletableFuture<T>> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Runnable begin = () -> begin(task, result);
        synchronized (this) {
            if (running == max) {
                waiting.add(begin);
                return result;
            }
            running++;
        }
        begin.run();
        return result;
    }

    private <T> void begin(Supplier<CompletableFuture<T>> task, CompletableFuture<T> result) {
        CompletableFuture<T> begun;
        try {
            begun = task.get();
        } catch (RuntimeException e) {
            begun = CompletableFuture.failedFuture(e);
        }
        begun.whenComplete((value, failure) -> {
            leave();
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
        });
    }

    private void leave() {
        Runnable next = next();
        // Not here: a task that ends at once would begin the next one in its own end, and so on.
        if (next != null) executor.execute(next);
    }

    private synchronized @Nullable Runnable next() {
        Runnable next = waiting.poll();
        if (next == null) running--;
        return next;
    }
}

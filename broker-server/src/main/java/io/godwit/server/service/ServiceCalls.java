package io.godwit.server.service;

import io.godwit.extension.service.ServiceFailedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what one extension asks of services, and tells it in its own threads what has come of it.
 */
public final class ServiceCalls {
    private final Executor executor;
    private final int max;
    private final AtomicInteger open = new AtomicInteger();

    /**
     * @param executor the extension's
     * @param max questions that may be open
     */
    public ServiceCalls(Executor executor, int max) {
        this.executor = executor;
        this.max = max;
    }

    /** Asks, unless too much is open. */
    <T> CompletionStage<T> call(Supplier<CompletableFuture<T>> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        if (open.incrementAndGet() > max) {
            open.decrementAndGet();
            answer.completeExceptionally(
                    new ServiceFailedException(
                            ServiceFailedException.Cause.TOO_MUCH,
                            "the extension has " + max + " questions open, as many as it may"));
            return answer.minimalCompletionStage();
        }
        CompletableFuture<T> asked;
        try {
            asked = question.get();
        } catch (RuntimeException e) {
            asked = CompletableFuture.failedFuture(e);
        }
        asked.whenComplete((result, failure) -> {
            open.decrementAndGet();
            complete(answer, result, failure);
        });
        return answer.minimalCompletionStage();
    }

    private <T> void complete(
            CompletableFuture<T> answer, @Nullable T result, @Nullable Throwable failure) {
        try {
            executor.execute(() -> {
                if (failure == null) {
                    answer.complete(result);
                } else {
                    answer.completeExceptionally(shown(failure));
                }
            });
        } catch (RejectedExecutionException stopped) {
            answer.cancel(false); // Nobody waits for it: the extension has stopped.
        }
    }

    private static ServiceFailedException shown(Throwable failure) {
        Throwable cause = Sessions.cause(failure);
        return cause instanceof ServiceFailedException known
                ? known
                : new ServiceFailedException(
                        ServiceFailedException.Cause.REFUSED, String.valueOf(cause.getMessage()));
    }
}

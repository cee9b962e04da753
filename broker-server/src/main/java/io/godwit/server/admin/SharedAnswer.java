package io.godwit.server.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is made once for all who ask while it is made. It may wait for what does not
 * answer, as a disk: those who ask do so for a time only, and it is not begun twice meanwhile. On
 * the admin thread.
 */
final class SharedAnswer {
    private final Supplier<HttpAnswer> make;
    private final Executor where;
    private final long timeoutMs;
    private final HttpAnswer tooLate;
    private @Nullable CompletableFuture<HttpAnswer> underWay;

    /**
     * @param where makes it
     * @param timeoutMs how long one who asks waits
     * @param tooLate what is said then
     */
    SharedAnswer(Supplier<HttpAnswer> make, Executor where, long timeoutMs, String tooLate) {
        this.make = make;
        this.where = where;
        this.timeoutMs = timeoutMs;
        this.tooLate = HttpAnswer.error(HttpResponseStatus.SERVICE_UNAVAILABLE, tooLate);
    }

    CompletableFuture<HttpAnswer> ask() {
        CompletableFuture<HttpAnswer> made = underWay;
        if (made == null || made.isDone()) {
            made = CompletableFuture.supplyAsync(make, where);
            underWay = made;
        }
        return made.copy().completeOnTimeout(tooLate, timeoutMs, TimeUnit.MILLISECONDS);
    }
}

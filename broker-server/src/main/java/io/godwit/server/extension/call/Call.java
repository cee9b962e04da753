package io.godwit.server.extension.call;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One call of an extension. It ends once, with an answer or a failure.
 *
 * @param <A> what the extension answers
 * @param <R> what the broker makes of that
 */
abstract class Call<A, R> {
    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<Call> ENDED =
            AtomicIntegerFieldUpdater.newUpdater(Call.class, "ended");

    final CallKind kind;

    /** When it was submitted, and after that when it began. */
    volatile long sinceNanos;

    /** What the breaker has said; of a call that was not let through it does not learn. */
    Breaker.Admission admission = Breaker.Admission.REFUSED;

    private volatile int ended;

    Call(CallKind kind) {
        this.kind = kind;
    }

    /** Asks the extension, in one of its threads; the only method that runs its code. */
    abstract @Nullable CompletionStage<A> ask() throws Exception;

    /** Checks an answer and turns it into what the broker takes. */
    abstract R convert(A answer) throws BadAnswer;

    /** Takes the answer. Any thread. */
    abstract void onAnswer(R answer);

    /** Is told that there is no answer. Any thread. */
    abstract void onFailure(CallFailure cause);

    /**
     * Returns the client that it is about, for whoever watches calls; empty: none, or not known.
     */
    String clientId() {
        return "";
    }

    /** Ends it; returns false if it has ended before. */
    final boolean end() {
        return ENDED.compareAndSet(this, 0, 1);
    }

    final boolean hasEnded() {
        return ended != 0;
    }
}

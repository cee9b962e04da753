package io.godwit.server.extension.call;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/** Runs calls in one thread, one after the other, until one of them is stuck. */
final class Runner {
    private static final AtomicReferenceFieldUpdater<Runner, Object> CURRENT =
            AtomicReferenceFieldUpdater.newUpdater(Runner.class, Object.class, "current");

    private static final Object STUCK = new Object();

    private final ExtensionCalls calls;

    /** The call whose method runs, STUCK, or null. */
    private volatile @Nullable Object current;

    private volatile @Nullable Thread thread;

    /** What this thread runs next, before anything that waits. Of this thread alone. */
    private @Nullable Call<?, ?> next;

    private boolean takesNext;

    Runner(ExtensionCalls calls) {
        this.calls = calls;
    }

    /**
     * Runs one call.
     *
     * @return false: it was stuck, and another thread has taken this one's place
     */
    <A, R> boolean run(Call<A, R> call) {
        if (call.hasEnded()) {
            return true; // It has waited for too long.
        }
        Thread running = Thread.currentThread();
        thread = running;
        call.sinceNanos = calls.now();
        current = call;
        if (!calls.mayBegin(call)) {
            return CURRENT.compareAndSet(this, call, null);
        }
        CompletionStage<A> stage = null;
        Throwable thrown = null;
        running.setContextClassLoader(calls.loader());
        try {
            stage = call.ask();
        } catch (Throwable failure) {
            thrown = failure;
        }
        boolean isInTime = CURRENT.compareAndSet(this, call, null);
        Thread.interrupted(); // What the extension has left behind.
        takesNext = isInTime;
        calls.onReturn(call, stage, thrown);
        takesNext = false;
        return isInTime;
    }

    /** Takes a call to be run next by this thread, which is asking; false: it has one, or none. */
    boolean offerNext(Call<?, ?> call) {
        if (!takesNext || next != null) {
            return false;
        }
        next = call;
        return true;
    }

    @Nullable Call<?, ?> takeNext() {
        Call<?, ?> taken = next;
        next = null;
        return taken;
    }

    /** Returns the call whose method runs; null: none, or one that is stuck. */
    @Nullable Call<?, ?> running() {
        return current instanceof Call<?, ?> call ? call : null;
    }

    boolean isGivenUp() {
        return current == STUCK;
    }

    /** Gives the thread up and interrupts it, if this call still runs; returns whether it did. */
    boolean giveUp(Call<?, ?> call) {
        if (!CURRENT.compareAndSet(this, call, STUCK)) {
            return false;
        }
        Thread late = thread;
        if (late != null) {
            late.interrupt();
        }
        return true;
    }
}

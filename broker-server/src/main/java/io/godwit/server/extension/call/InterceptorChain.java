package io.godwit.server.extension.call;

import io.godwit.extension.OnFailure;
import io.godwit.extension.intercept.Interception;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A packet that interceptors see one after the other, each what the one before has made. Who begins
 * it keeps the order of a client's packets: the next one begins when this has come to its end.
 *
 * @param <T> the interceptor
 * @param <P> the packet as it sees it
 * @param <C> the packet as the broker has it
 * @param <O> the outcome
 */
abstract class InterceptorChain<T, P, C, O> implements Pause.Held {
    private List<ActiveHook<T>> hooks;
    private final CallKind chainKind;
    private final long bytes;
    private C packet;
    private int next;

    /** Whether it has waited for too long, or too much does: then it fails where it would ask. */
    private boolean isRefused;

    /**
     * @param bytes that the packet takes in memory
     */
    InterceptorChain(List<ActiveHook<T>> hooks, CallKind kind, long bytes, C packet) {
        this.hooks = hooks;
        this.chainKind = kind;
        this.bytes = bytes;
        this.packet = packet;
    }

    /** Asks who comes first, at once or when an extension that is replaced runs again. */
    final void begin() {
        ExtensionCalls paused = ExtensionReviewer.paused(hooks);
        Pause pause = paused == null ? null : paused.paused();
        if (paused == null || pause == null) {
            goOn();
        } else {
            pause.add(this, bytes, paused.now());
        }
    }

    @Override
    public final void begin(@Nullable ExtensionHooks after) {
        if (after == null) {
            goOn();
        } else {
            whenChanged(() -> {
                hooks = hooksOf(after);
                goOn();
            });
        }
    }

    @Override
    public final void refuse() {
        isRefused = true;
        goOn();
    }

    /** Runs something when what is the client's own is of the extensions that run now. */
    abstract void whenChanged(Runnable then);

    /** Returns the interceptors of those that run now. Any thread. */
    abstract List<ActiveHook<T>> hooksOf(ExtensionHooks after);

    /** Asks who comes next, or ends with the packet as it is. */
    private void goOn() {
        if (next == hooks.size()) {
            finish(goes(packet));
            return;
        }
        ActiveHook<T> hook = hooks.get(next++);
        Asking call = new Asking(hook, packet);
        if (!isRefused && hook.calls().reserve(bytes)) {
            call.isHeld = true;
            hook.calls().submit(call);
        } else {
            isRefused = false;
            hook.calls().failFull(call);
        }
    }

    /** Returns the client that it is about. */
    abstract String clientId();

    /** Returns the packet as interceptors see it. */
    abstract P shown(C given);

    /** Asks an interceptor. */
    abstract @Nullable CompletionStage<Interception<P>> ask(T interceptor, P packet)
            throws Exception;

    /**
     * Checks what an interceptor has made.
     *
     * @param before what it was shown
     */
    abstract C made(P made, P before, C given) throws BadAnswer;

    /** Checks an answer that lets the packet go no further. */
    abstract O stopped(Interception<P> answer) throws BadAnswer;

    /** Returns the outcome of a packet that goes on. */
    abstract O goes(C made);

    /** Returns the outcome when there is no answer. */
    abstract O failed(CallFailure cause);

    /** Takes the outcome. Any thread. */
    abstract void finish(O outcome);

    /**
     * @param end the outcome; null: it goes on
     */
    private record Intercepted<C, O>(C packet, @Nullable O end) {}

    private final class Asking extends Call<Interception<P>, Intercepted<C, O>> {
        private final ActiveHook<T> hook;
        private final C given;
        private @Nullable P before;
        boolean isHeld;

        Asking(ActiveHook<T> hook, C given) {
            super(chainKind);
            this.hook = hook;
            this.given = given;
        }

        @Override
        String clientId() {
            return InterceptorChain.this.clientId();
        }

        @Override
        @Nullable CompletionStage<Interception<P>> ask() throws Exception {
            P asked = shown(given);
            before = asked;
            return InterceptorChain.this.ask(hook.target(), asked);
        }

        @Override
        Intercepted<C, O> convert(Interception<P> answer) throws BadAnswer {
            P asked = before;
            return switch (answer) {
                case Interception.Unchanged<P> unchanged -> new Intercepted<>(given, null);
                case Interception.Changed<P> changed -> {
                    if (changed.packet() == null || asked == null) {
                        throw new BadAnswer("the changed packet is null");
                    }
                    yield new Intercepted<>(made(changed.packet(), asked, given), null);
                }
                case Interception.Dropped<P> dropped -> new Intercepted<>(given, stopped(answer));
                case Interception.Refused<P> refused -> new Intercepted<>(given, stopped(answer));
            };
        }

        @Override
        void onAnswer(Intercepted<C, O> answer) {
            release();
            if (answer.end != null) {
                finish(answer.end);
                return;
            }
            packet = answer.packet;
            goOn();
        }

        @Override
        void onFailure(CallFailure cause) {
            release();
            if (hook.onFailure() == OnFailure.PASS) {
                hook.calls().passOver(kind);
                goOn();
            } else {
                finish(failed(cause));
            }
        }

        private void release() {
            if (isHeld) {
                hook.calls().release(bytes);
            }
        }
    }
}

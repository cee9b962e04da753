package io.godwit.server.extension.call;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.extension.OnFailure;
import io.godwit.extension.auth.Authorization;
import io.godwit.extension.client.Client;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One packet of a client that extensions are asked about, one after the other. Of one client it
 * begins when the review before has been answered. It holds a place at the extension that is asked,
 * from the begin at the one that is asked first.
 *
 * @param <O> the outcome
 */
abstract class Review<O> extends Lane.Turn implements Pause.Held {
    final Subject client;
    private final ProtocolVersion version;
    private final Lanes lanes;
    private final long bytes;
    private final Consumer<O> answer;

    /** Where there is a place for it. */
    private @Nullable ExtensionCalls holder;

    private boolean isRefused;
    private @Nullable Client shownClient;

    Review(Subject client, ProtocolVersion version, Lanes lanes, long bytes, Consumer<O> answer) {
        this.client = client;
        this.version = version;
        this.lanes = lanes;
        this.bytes = bytes;
        this.answer = answer;
    }

    /**
     * Puts it behind the reviews of its client.
     *
     * @param first will be asked first; null: nobody is asked
     */
    final void submit(@Nullable ExtensionCalls first) {
        take(first);
        lanes.add(client.clientId(), this);
    }

    private void take(@Nullable ExtensionCalls first) {
        if (first != null) {
            if (first.reserve(bytes)) {
                holder = first;
            } else {
                isRefused = true;
            }
        }
    }

    @Override
    final void begin() {
        ExtensionCalls paused = paused();
        Pause pause = paused == null ? null : paused.paused();
        if (paused == null || pause == null) {
            goOn();
            return;
        }
        letGo(); // Otherwise the extension would not come to rest.
        pause.add(this, bytes, paused.now());
    }

    /** Returns one that is paused and would be asked; null: there is none. */
    abstract @Nullable ExtensionCalls paused();

    /**
     * Has those asked that run now, while nobody was asked yet; returns who is first, null: nobody.
     */
    abstract @Nullable ExtensionCalls askOf(ExtensionHooks next);

    @Override
    public final void begin(@Nullable ExtensionHooks next) {
        if (next == null) {
            goOn();
        } else if (client.setup() instanceof SetUpClient own) {
            own.whenChanged(() -> goOn(next)); // What is its own may be of the one that is gone.
        } else {
            goOn(next);
        }
    }

    private void goOn(ExtensionHooks next) {
        take(askOf(next));
        goOn();
    }

    @Override
    public final void refuse() {
        isRefused = true;
        goOn();
    }

    /** Asks who comes next, or finishes. */
    abstract void goOn();

    /** The outcome when there is no answer. */
    abstract O failed();

    /** The outcome when a call has failed. */
    O failed(CallFailure cause) {
        return failed();
    }

    /** Returns the client as extensions see it. Only for their threads: it takes time to make. */
    final Client shownClient() {
        Client shown = shownClient;
        if (shown == null) {
            shown = Packets.client(client, version);
            shownClient = shown;
        }
        return shown;
    }

    final void ask(ActiveHook<?> hook, Call<?, ?> call) {
        ExtensionCalls calls = hook.calls();
        if (isRefused || !hold(calls)) {
            isRefused = false;
            calls.failFull(call);
            return;
        }
        calls.submit(call);
    }

    private boolean hold(ExtensionCalls calls) {
        if (holder == calls) {
            return true;
        }
        letGo();
        if (!calls.reserve(bytes)) {
            return false;
        }
        holder = calls;
        return true;
    }

    private void letGo() {
        ExtensionCalls held = holder;
        if (held != null) {
            holder = null;
            held.release(bytes);
        }
    }

    final void finish(O outcome) {
        letGo();
        try {
            answer.accept(outcome);
        } finally {
            lanes.end(client.clientId(), this);
        }
    }

    /** A question of this review to one hook. */
    abstract class Question<A, R> extends Call<A, R> {
        private final ActiveHook<?> hook;

        Question(CallKind kind, ActiveHook<?> hook) {
            super(kind);
            this.hook = hook;
        }

        @Override
        final String clientId() {
            return client.clientId().toString();
        }

        @Override
        final void onFailure(CallFailure cause) {
            if (hook.onFailure() == OnFailure.PASS) {
                hook.calls().passOver(kind);
                goOn();
            } else {
                finish(failed(cause));
            }
        }
    }

    /** An authorizer's answer that was checked. */
    record Authorized(Authorization answer, Duration validFor, @Nullable ReasonCode denied) {
        static Authorized of(Authorization answer, LegalReason legal) throws BadAnswer {
            Authorized checked =
                    switch (answer) {
                        case Authorization.Allowed allowed ->
                                new Authorized(answer, allowed.validFor(), null);
                        case Authorization.Denied denied ->
                                new Authorized(
                                        answer, denied.validFor(), legal.of(denied.reason()));
                        case Authorization.Undecided undecided ->
                                new Authorized(answer, undecided.validFor(), null);
                    };
            if (checked.validFor == null) {
                throw new BadAnswer("validFor is null");
            }
            return checked;
        }

        boolean isUndecided() {
            return answer instanceof Authorization.Undecided;
        }

        boolean isToBeRemembered() {
            return !validFor.isNegative() && !validFor.isZero();
        }
    }
}

package io.godwit.server.extension.call;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.review.UnsubscribeOutcome;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.intercept.UnsubscribeInterceptor;
import io.godwit.extension.packet.UnsubscribePacket;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An UNSUBSCRIBE that the interceptors of extensions are asked about. */
final class UnsubscribeReview extends Review<UnsubscribeOutcome> {
    private static final long FILTER_BYTES = 60;

    private List<ActiveHook<UnsubscribeInterceptor>> interceptors;
    private Packet.Unsubscribe unsubscribe;
    private int next;

    UnsubscribeReview(
            ExtensionReviewer reviewer,
            Subject client,
            ProtocolVersion version,
            Packet.Unsubscribe unsubscribe,
            Consumer<UnsubscribeOutcome> answer) {
        super(client, version, reviewer.subscribeLanes(), accountedBytes(unsubscribe), answer);
        this.interceptors = reviewer.unsubscribeInterceptors();
        this.unsubscribe = unsubscribe;
    }

    private static long accountedBytes(Packet.Unsubscribe unsubscribe) {
        long bytes = unsubscribe.properties().accountedBytes();
        for (TopicFilter each : unsubscribe.filters()) {
            bytes += FILTER_BYTES + each.length();
        }
        return bytes;
    }

    void submit() {
        submit(first());
    }

    /** Returns who is asked first; null: nobody. */
    private @Nullable ExtensionCalls first() {
        return interceptors.isEmpty() ? null : interceptors.get(0).calls();
    }

    @Override
    @Nullable ExtensionCalls askOf(ExtensionHooks next) {
        interceptors = next.asked().now(client).unsubscribeInterceptors();
        return first();
    }

    @Override
    @Nullable ExtensionCalls paused() {
        return ExtensionReviewer.paused(interceptors);
    }

    @Override
    void goOn() {
        if (next < interceptors.size()) {
            ActiveHook<UnsubscribeInterceptor> hook = interceptors.get(next++);
            ask(hook, new Intercepting(hook));
        } else {
            finish(new UnsubscribeOutcome.Go(unsubscribe));
        }
    }

    @Override
    UnsubscribeOutcome failed() {
        return new UnsubscribeOutcome.Failed();
    }

    private final class Intercepting
            extends Review<UnsubscribeOutcome>.Question<
                    Interception<UnsubscribePacket>, UnsubscribeOutcome> {
        private final UnsubscribeInterceptor interceptor;
        private final Packet.Unsubscribe given = unsubscribe;

        Intercepting(ActiveHook<UnsubscribeInterceptor> hook) {
            super(CallKind.UNSUBSCRIBE_INTERCEPTOR, hook);
            interceptor = hook.target();
        }

        @Override
        @Nullable CompletionStage<Interception<UnsubscribePacket>> ask() throws Exception {
            return interceptor.onUnsubscribe(shownClient(), Packets.unsubscribe(given));
        }

        @Override
        UnsubscribeOutcome convert(Interception<UnsubscribePacket> answer) throws BadAnswer {
            return switch (answer) {
                case Interception.Unchanged<UnsubscribePacket> unchanged ->
                        new UnsubscribeOutcome.Go(given);
                case Interception.Changed<UnsubscribePacket> changed -> {
                    UnsubscribePacket made = changed.packet();
                    if (made == null) {
                        throw new BadAnswer("the changed UNSUBSCRIBE is null");
                    }
                    yield new UnsubscribeOutcome.Go(Packets.unsubscribe(made, given));
                }
                case Interception.Dropped<UnsubscribePacket> dropped ->
                        new UnsubscribeOutcome.Dropped();
                case Interception.Refused<UnsubscribePacket> refused ->
                        new UnsubscribeOutcome.Refused(LegalReason.UNSUBACK.of(refused.reason()));
            };
        }

        @Override
        void onAnswer(UnsubscribeOutcome answer) {
            if (answer instanceof UnsubscribeOutcome.Go go) {
                unsubscribe = go.unsubscribe();
                goOn();
            } else {
                finish(answer);
            }
        }
    }
}

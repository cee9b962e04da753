package io.godwit.server.extension.call;

import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.extension.OnFailure;
import io.godwit.extension.client.Client;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.intercept.PublishInterceptor;
import io.godwit.extension.packet.PublishPacket;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A message of one extension that interceptors of others see, one after the other, before it is
 * published. It begins when the message before has gone on.
 */
final class InterceptedPublish extends Lane.Turn {
    private final Interceptors interceptors;
    private final Client publisher;
    private final int bytesMax;
    private final Taker taker;
    private ReviewedPublish publish;
    private List<ActiveHook<PublishInterceptor>> hooks = List.of();
    private int next;

    /** Knows who sees what one extension publishes. */
    @FunctionalInterface
    interface Interceptors {
        /** Returns those that run now, in the order in which they are asked. */
        List<ActiveHook<PublishInterceptor>> now();
    }

    /** Takes the end of it; exactly one of its methods is called, once, by any thread. */
    interface Taker {
        void publish(ReviewedPublish made);

        void drop();

        void refuse(ReasonCode reason);
    }

    /**
     * @param publisher as interceptors see it
     * @param bytesMax of topic, payload and properties together
     */
    InterceptedPublish(
            ReviewedPublish publish,
            Interceptors interceptors,
            Client publisher,
            int bytesMax,
            Taker taker) {
        this.publish = publish;
        this.interceptors = interceptors;
        this.publisher = publisher;
        this.bytesMax = bytesMax;
        this.taker = taker;
    }

    @Override
    void begin() {
        hooks = interceptors.now();
        goOn();
    }

    private void goOn() {
        while (next < hooks.size()) {
            ActiveHook<PublishInterceptor> hook = hooks.get(next++);
            if (hook.pattern().matches(publish.topic().bytes())) {
                ask(hook);
                return;
            }
        }
        finish(() -> taker.publish(publish));
    }

    private void ask(ActiveHook<PublishInterceptor> hook) {
        boolean isHeld = hook.calls().reserve(publish.accountedBytes());
        Asking call = new Asking(hook, publish, isHeld);
        if (isHeld) {
            hook.calls().submit(call);
        } else {
            hook.calls().failFull(call);
        }
    }

    private void finish(Runnable outcome) {
        try {
            outcome.run();
        } finally {
            end();
        }
    }

    /**
     * @param end the reason of a refusal, SUCCESS: it was dropped; null: it goes on
     */
    private record Intercepted(ReviewedPublish publish, @Nullable ReasonCode end) {}

    private final class Asking extends Call<Interception<PublishPacket>, Intercepted> {
        private final ActiveHook<PublishInterceptor> hook;
        private final ReviewedPublish given;
        private final boolean isHeld;
        private @Nullable PublishPacket shown;

        Asking(ActiveHook<PublishInterceptor> hook, ReviewedPublish given, boolean isHeld) {
            super(CallKind.PUBLISH_INTERCEPTOR);
            this.hook = hook;
            this.given = given;
            this.isHeld = isHeld;
        }

        @Override
        @Nullable CompletionStage<Interception<PublishPacket>> ask() throws Exception {
            PublishPacket asked = Packets.publish(given);
            shown = asked;
            return hook.target().onPublish(publisher, asked);
        }

        @Override
        Intercepted convert(Interception<PublishPacket> answer) throws BadAnswer {
            return switch (answer) {
                case Interception.Unchanged<PublishPacket> unchanged ->
                        new Intercepted(given, null);
                case Interception.Changed<PublishPacket> changed -> {
                    if (changed.packet() == null) {
                        throw new BadAnswer("the changed PUBLISH is null");
                    }
                    yield new Intercepted(
                            Packets.reviewed(changed.packet(), given, shown, bytesMax), null);
                }
                case Interception.Dropped<PublishPacket> dropped ->
                        new Intercepted(given, ReasonCode.SUCCESS);
                case Interception.Refused<PublishPacket> refused ->
                        new Intercepted(given, LegalReason.PUBACK.of(refused.reason()));
            };
        }

        @Override
        void onAnswer(Intercepted answer) {
            release();
            ReasonCode reason = answer.end;
            if (reason == ReasonCode.SUCCESS) {
                finish(taker::drop);
            } else if (reason != null) {
                finish(() -> taker.refuse(reason));
            } else {
                publish = answer.publish;
                goOn();
            }
        }

        @Override
        void onFailure(CallFailure cause) {
            release();
            if (hook.onFailure() == OnFailure.PASS) {
                hook.calls().passOver(kind);
                goOn();
            } else {
                finish(() -> taker.refuse(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR));
            }
        }

        private void release() {
            if (isHeld) {
                hook.calls().release(given.accountedBytes());
            }
        }
    }
}

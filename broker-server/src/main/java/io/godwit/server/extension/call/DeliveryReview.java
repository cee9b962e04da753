package io.godwit.server.extension.call;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.review.DeliveryOutcome;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.extension.intercept.DeliveryInterceptor;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.packet.PublishPacket;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A PUBLISH on its way to a client that extensions are asked about. */
final class DeliveryReview extends Review<DeliveryOutcome> {
    private ExtensionDeliveries reviewer;
    private ReviewedPublish publish;

    /** The PUBLISH as extensions see it, made in one of their threads; null: not yet. */
    private @Nullable PublishPacket shown;

    private int nextInterceptor;

    DeliveryReview(
            ExtensionDeliveries reviewer,
            Subject receiver,
            ProtocolVersion version,
            ReviewedPublish publish,
            Consumer<DeliveryOutcome> answer) {
        super(receiver, version, reviewer.lanes(), ownBytes(publish), answer);
        this.reviewer = reviewer;
        this.publish = publish;
    }

    /** Returns what waits with it; the payload is the queues', one for all who get it. */
    private static long ownBytes(ReviewedPublish publish) {
        return publish.accountedBytes() - publish.payload().length;
    }

    void submit() {
        submit(first());
    }

    @Override
    @Nullable ExtensionCalls askOf(ExtensionHooks next) {
        reviewer = next.askedAboutDeliveries().now(client);
        return first();
    }

    /** Returns who is asked first; null: nobody. */
    private @Nullable ExtensionCalls first() {
        nextInterceptor = 0;
        ActiveHook<DeliveryInterceptor> first = takeInterceptor();
        if (first == null) {
            return null;
        }
        nextInterceptor--;
        return first.calls();
    }

    @Override
    @Nullable ExtensionCalls paused() {
        for (ActiveHook<DeliveryInterceptor> each : reviewer.interceptors()) {
            boolean isPaused = each.calls().paused() != null;
            if (isPaused && each.pattern().matches(publish.topic().bytes())) {
                return each.calls();
            }
        }
        return null;
    }

    /** Returns the next interceptor that is to see the PUBLISH; null: there is none. */
    private @Nullable ActiveHook<DeliveryInterceptor> takeInterceptor() {
        List<ActiveHook<DeliveryInterceptor>> all = reviewer.interceptors();
        while (nextInterceptor < all.size()) {
            ActiveHook<DeliveryInterceptor> hook = all.get(nextInterceptor++);
            if (hook.pattern().matches(publish.topic().bytes())) {
                return hook;
            }
        }
        return null;
    }

    @Override
    void goOn() {
        ActiveHook<DeliveryInterceptor> interceptor = takeInterceptor();
        if (interceptor == null) {
            finish(new DeliveryOutcome.Go(publish));
        } else {
            ask(interceptor, new Intercepting(interceptor));
        }
    }

    @Override
    DeliveryOutcome failed() {
        return new DeliveryOutcome.Failed();
    }

    @Override
    DeliveryOutcome failed(CallFailure cause) {
        return cause.isOfExtension() ? failed() : new DeliveryOutcome.NotAsked();
    }

    private final class Intercepting
            extends Review<DeliveryOutcome>.Question<Interception<PublishPacket>, Intercepted> {
        private final DeliveryInterceptor interceptor;
        private final ReviewedPublish given = publish;
        private @Nullable PublishPacket packet = shown;

        Intercepting(ActiveHook<DeliveryInterceptor> hook) {
            super(CallKind.DELIVERY_INTERCEPTOR, hook);
            interceptor = hook.target();
        }

        @Override
        @Nullable CompletionStage<Interception<PublishPacket>> ask() throws Exception {
            PublishPacket asked = packet == null ? Packets.publish(given) : packet;
            packet = asked;
            return interceptor.onDelivery(shownClient(), asked);
        }

        @Override
        Intercepted convert(Interception<PublishPacket> answer) throws BadAnswer {
            return switch (answer) {
                case Interception.Unchanged<PublishPacket> unchanged ->
                        new Intercepted(given, packet);
                case Interception.Changed<PublishPacket> changed ->
                        new Intercepted(made(changed.packet()), null);
                case Interception.Dropped<PublishPacket> dropped -> new Intercepted(null, null);
                case Interception.Refused<PublishPacket> refused -> new Intercepted(null, null);
            };
        }

        private ReviewedPublish made(@Nullable PublishPacket made) throws BadAnswer {
            if (made == null) {
                throw new BadAnswer("the changed PUBLISH is null");
            }
            PublishPacket sent =
                    made.qos() == given.qos() ? made : made.change().qos(given.qos()).build();
            return Packets.reviewed(sent, given, packet, reviewer.packetBytesMax());
        }

        @Override
        void onAnswer(Intercepted answer) {
            if (answer.publish == null) {
                finish(new DeliveryOutcome.Dropped());
                return;
            }
            publish = answer.publish;
            shown = answer.shown;
            goOn();
        }
    }

    /**
     * @param publish what goes on; null: nothing
     * @param shown the packet as extensions see it; null: it has to be made
     */
    private record Intercepted(@Nullable ReviewedPublish publish, @Nullable PublishPacket shown) {}
}

package io.godwit.server.extension.call;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.review.Permission;
import io.godwit.core.review.PublishOutcome;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.extension.auth.Authorization;
import io.godwit.extension.auth.PublishAuthorizer;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.intercept.PublishInterceptor;
import io.godwit.extension.packet.PublishPacket;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A PUBLISH or a will that extensions are asked about: interceptors first, then authorizers. */
final class PublishReview extends Review<PublishOutcome> {
    /** Answers about longer topics are not remembered: a thousand of them would be too large. */
    private static final int REMEMBERED_TOPIC_BYTES_MAX = 1_024;

    private final boolean isWill;
    private ExtensionReviewer reviewer;
    private ReviewedPublish publish;

    /** The PUBLISH as extensions see it, made in one of their threads; null: not yet. */
    private @Nullable PublishPacket shown;

    private int nextInterceptor;
    private int nextAuthorizer;

    /** What an authorizer is asked about a PUBLISH. */
    private record Question(int authorizer, Topic topic, int qos, boolean retain) {}

    PublishReview(
            ExtensionReviewer reviewer,
            Subject client,
            ProtocolVersion version,
            ReviewedPublish publish,
            boolean isWill,
            Consumer<PublishOutcome> answer) {
        super(client, version, reviewer.publishLanes(), publish.accountedBytes(), answer);
        this.reviewer = reviewer;
        this.publish = publish;
        this.isWill = isWill;
    }

    void submit() {
        submit(first());
    }

    @Override
    @Nullable ExtensionCalls askOf(ExtensionHooks next) {
        reviewer = next.asked().now(client);
        return first();
    }

    /** Returns who is asked first; null: nobody. */
    private @Nullable ExtensionCalls first() {
        nextInterceptor = isWill ? reviewer.publishInterceptors().size() : 0;
        ActiveHook<?> first = takeInterceptor();
        if (first != null) {
            nextInterceptor--;
        } else if (!reviewer.publishAuthorizers().isEmpty()) {
            first = reviewer.publishAuthorizers().get(0);
        }
        return first == null ? null : first.calls();
    }

    @Override
    @Nullable ExtensionCalls paused() {
        if (!reviewer.isPublishPaused()) {
            return null;
        }
        if (!isWill) {
            for (ActiveHook<PublishInterceptor> each : reviewer.publishInterceptors()) {
                boolean isPaused = each.calls().paused() != null;
                if (isPaused && each.pattern().matches(publish.topic().bytes())) {
                    return each.calls();
                }
            }
        }
        return ExtensionReviewer.paused(reviewer.publishAuthorizers());
    }

    /** Returns the next interceptor that is to see the PUBLISH; null: there is none. */
    private @Nullable ActiveHook<PublishInterceptor> takeInterceptor() {
        List<ActiveHook<PublishInterceptor>> all = reviewer.publishInterceptors();
        while (nextInterceptor < all.size()) {
            ActiveHook<PublishInterceptor> hook = all.get(nextInterceptor++);
            if (hook.pattern().matches(publish.topic().bytes())) {
                return hook;
            }
        }
        return null;
    }

    @Override
    void goOn() {
        ActiveHook<PublishInterceptor> interceptor = takeInterceptor();
        if (interceptor != null) {
            ask(interceptor, new Intercepting(interceptor));
            return;
        }
        List<ActiveHook<PublishAuthorizer>> authorizers = reviewer.publishAuthorizers();
        while (nextAuthorizer < authorizers.size()) {
            ActiveHook<PublishAuthorizer> hook = authorizers.get(nextAuthorizer++);
            Authorized known = remembered(hook);
            if (known == null) {
                ask(hook, new Authorizing(hook));
                return;
            }
            if (!known.isUndecided()) {
                decide(known);
                return;
            }
        }
        finish(
                switch (reviewer.behind()) {
                    case RULES ->
                            new PublishOutcome.Go(
                                    publish,
                                    authorizers.isEmpty()
                                            ? Permission.BY_RULES
                                            : Permission.BY_RULES_ALONE);
                    case NOBODY -> new PublishOutcome.Refused(ReasonCode.NOT_AUTHORIZED);
                    case MISSING -> failed();
                });
    }

    private @Nullable Authorized remembered(ActiveHook<PublishAuthorizer> hook) {
        AuthorizationMemos memos = reviewer.memos();
        return memos.isEmpty()
                ? null
                : memos.get(client, question(hook, publish.topic()), hook.calls().now());
    }

    private Question question(ActiveHook<PublishAuthorizer> hook, Topic topic) {
        return new Question(hook.place(), topic, publish.qos(), publish.retain());
    }

    private void decide(Authorized authorized) {
        ReasonCode denied = authorized.denied();
        finish(
                denied == null
                        ? new PublishOutcome.Go(publish, Permission.GRANTED)
                        : new PublishOutcome.Refused(denied));
    }

    @Override
    PublishOutcome failed() {
        return new PublishOutcome.Failed();
    }

    private final class Intercepting
            extends Review<PublishOutcome>.Question<Interception<PublishPacket>, Intercepted> {
        private final PublishInterceptor interceptor;
        private final ReviewedPublish given = publish;
        private @Nullable PublishPacket packet = shown;

        Intercepting(ActiveHook<PublishInterceptor> hook) {
            super(CallKind.PUBLISH_INTERCEPTOR, hook);
            interceptor = hook.target();
        }

        @Override
        @Nullable CompletionStage<Interception<PublishPacket>> ask() throws Exception {
            PublishPacket asked = packet == null ? Packets.publish(given) : packet;
            packet = asked;
            return interceptor.onPublish(shownClient(), asked);
        }

        @Override
        Intercepted convert(Interception<PublishPacket> answer) throws BadAnswer {
            return switch (answer) {
                case Interception.Unchanged<PublishPacket> unchanged ->
                        new Intercepted(given, packet, null);
                case Interception.Changed<PublishPacket> changed -> {
                    PublishPacket made = changed.packet();
                    if (made == null) {
                        throw new BadAnswer("the changed PUBLISH is null");
                    }
                    yield new Intercepted(
                            Packets.reviewed(made, given, packet, reviewer.packetBytesMax()),
                            null,
                            null);
                }
                case Interception.Dropped<PublishPacket> dropped ->
                        new Intercepted(given, null, new PublishOutcome.Dropped());
                case Interception.Refused<PublishPacket> refused ->
                        new Intercepted(
                                given,
                                null,
                                new PublishOutcome.Refused(
                                        LegalReason.PUBACK.of(refused.reason())));
            };
        }

        @Override
        void onAnswer(Intercepted answer) {
            if (answer.end != null) {
                finish(answer.end);
                return;
            }
            publish = answer.publish;
            shown = answer.shown;
            goOn();
        }
    }

    /**
     * @param shown the packet as extensions see it; null: it has to be made
     * @param end the outcome; null: it goes on
     */
    private record Intercepted(
            ReviewedPublish publish, @Nullable PublishPacket shown, @Nullable PublishOutcome end) {}

    private final class Authorizing
            extends Review<PublishOutcome>.Question<Authorization, Authorized> {
        private final ActiveHook<PublishAuthorizer> hook;
        private final ReviewedPublish given = publish;
        private @Nullable PublishPacket packet = shown;

        Authorizing(ActiveHook<PublishAuthorizer> hook) {
            super(CallKind.PUBLISH_AUTHORIZER, hook);
            this.hook = hook;
        }

        @Override
        @Nullable CompletionStage<Authorization> ask() throws Exception {
            PublishPacket asked = packet == null ? Packets.publish(given) : packet;
            packet = asked;
            return hook.target().authorize(shownClient(), asked);
        }

        @Override
        Authorized convert(Authorization answer) throws BadAnswer {
            return Authorized.of(answer, LegalReason.PUBACK);
        }

        @Override
        void onAnswer(Authorized answer) {
            shown = packet;
            Topic topic = publish.topic();
            if (answer.isToBeRemembered() && topic.length() <= REMEMBERED_TOPIC_BYTES_MAX) {
                // The topic is copied: the shard's own one leads to who has subscribed.
                reviewer.memos()
                        .put(
                                client,
                                question(hook, new Topic(topic.bytes())),
                                answer,
                                hook.calls().now());
            }
            if (answer.isUndecided()) {
                goOn();
            } else {
                decide(answer);
            }
        }
    }
}

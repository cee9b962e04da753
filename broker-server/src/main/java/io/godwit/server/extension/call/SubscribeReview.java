package io.godwit.server.extension.call;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.Permission;
import io.godwit.core.review.SubscribeOutcome;
import io.godwit.core.review.SubscribeOutcome.Decision;
import io.godwit.extension.auth.Authorization;
import io.godwit.extension.auth.SubscribeAuthorizer;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.intercept.SubscribeInterceptor;
import io.godwit.extension.packet.SubscribePacket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A SUBSCRIBE that extensions are asked about: interceptors first, then authorizers about each of
 * its filters.
 */
final class SubscribeReview extends Review<SubscribeOutcome> {
    private static final int REMEMBERED_FILTER_BYTES_MAX = 1_024;
    private static final long FILTER_BYTES = 100;

    private ExtensionReviewer reviewer;
    private final List<Decision> decisions = new ArrayList<>();
    private Packet.Subscribe subscribe;
    private int nextInterceptor;

    /** The next authorizer for the filter that has no decision. */
    private int nextAuthorizer;

    /** What an authorizer is asked about a filter. */
    private record Question(int authorizer, Packet.Subscription subscription) {}

    SubscribeReview(
            ExtensionReviewer reviewer,
            Subject client,
            ProtocolVersion version,
            Packet.Subscribe subscribe,
            Consumer<SubscribeOutcome> answer) {
        super(client, version, reviewer.subscribeLanes(), accountedBytes(subscribe), answer);
        this.reviewer = reviewer;
        this.subscribe = subscribe;
    }

    private static long accountedBytes(Packet.Subscribe subscribe) {
        long bytes = subscribe.properties().accountedBytes();
        for (Packet.Subscription each : subscribe.subscriptions()) {
            bytes += FILTER_BYTES + each.filter().length();
        }
        return bytes;
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
        if (!reviewer.subscribeInterceptors().isEmpty()) {
            return reviewer.subscribeInterceptors().get(0).calls();
        }
        return reviewer.subscribeAuthorizers().isEmpty()
                ? null
                : reviewer.subscribeAuthorizers().get(0).calls();
    }

    @Override
    @Nullable ExtensionCalls paused() {
        ExtensionCalls paused = ExtensionReviewer.paused(reviewer.subscribeInterceptors());
        return paused == null ? ExtensionReviewer.paused(reviewer.subscribeAuthorizers()) : paused;
    }

    @Override
    void goOn() {
        if (nextInterceptor < reviewer.subscribeInterceptors().size()) {
            ActiveHook<SubscribeInterceptor> hook =
                    reviewer.subscribeInterceptors().get(nextInterceptor++);
            ask(hook, new Intercepting(hook));
            return;
        }
        while (decisions.size() < subscribe.subscriptions().size()) {
            if (!decideByMemory()) {
                return;
            }
        }
        finish(new SubscribeOutcome.Go(subscribe, decisions));
    }

    /** Decides about the next filter; returns false if it goes on elsewhere: somebody is asked. */
    private boolean decideByMemory() {
        List<ActiveHook<SubscribeAuthorizer>> authorizers = reviewer.subscribeAuthorizers();
        Packet.Subscription subscription = subscribe.subscriptions().get(decisions.size());
        while (nextAuthorizer < authorizers.size()) {
            ActiveHook<SubscribeAuthorizer> hook = authorizers.get(nextAuthorizer++);
            Authorized known = remembered(hook, subscription);
            if (known == null) {
                ask(hook, new Authorizing(hook, subscription));
                return false;
            }
            if (!known.isUndecided()) {
                decide(known);
                return true;
            }
        }
        switch (reviewer.behind()) {
            case RULES ->
                    decide(
                            new Decision.May(
                                    authorizers.isEmpty()
                                            ? Permission.BY_RULES
                                            : Permission.BY_RULES_ALONE));
            case NOBODY -> decide(new Decision.MayNot(ReasonCode.NOT_AUTHORIZED));
            case MISSING -> {
                finish(failed());
                return false;
            }
        }
        return true;
    }

    private @Nullable Authorized remembered(
            ActiveHook<SubscribeAuthorizer> hook, Packet.Subscription subscription) {
        AuthorizationMemos memos = reviewer.memos();
        return memos.isEmpty()
                ? null
                : memos.get(client, new Question(hook.place(), subscription), hook.calls().now());
    }

    private void decide(Authorized authorized) {
        ReasonCode denied = authorized.denied();
        decide(denied == null ? new Decision.May(Permission.GRANTED) : new Decision.MayNot(denied));
    }

    private void decide(Decision decision) {
        decisions.add(decision);
        nextAuthorizer = 0;
    }

    @Override
    SubscribeOutcome failed() {
        return new SubscribeOutcome.Failed();
    }

    private final class Intercepting
            extends Review<SubscribeOutcome>.Question<Interception<SubscribePacket>, Intercepted> {
        private final SubscribeInterceptor interceptor;
        private final Packet.Subscribe given = subscribe;

        Intercepting(ActiveHook<SubscribeInterceptor> hook) {
            super(CallKind.SUBSCRIBE_INTERCEPTOR, hook);
            interceptor = hook.target();
        }

        @Override
        @Nullable CompletionStage<Interception<SubscribePacket>> ask() throws Exception {
            return interceptor.onSubscribe(shownClient(), Packets.subscribe(given));
        }

        @Override
        Intercepted convert(Interception<SubscribePacket> answer) throws BadAnswer {
            return switch (answer) {
                case Interception.Unchanged<SubscribePacket> unchanged ->
                        new Intercepted(given, null);
                case Interception.Changed<SubscribePacket> changed -> {
                    SubscribePacket made = changed.packet();
                    if (made == null) {
                        throw new BadAnswer("the changed SUBSCRIBE is null");
                    }
                    yield new Intercepted(Packets.subscribe(made, given), null);
                }
                case Interception.Dropped<SubscribePacket> dropped ->
                        new Intercepted(given, new SubscribeOutcome.Dropped());
                case Interception.Refused<SubscribePacket> refused ->
                        new Intercepted(
                                given,
                                new SubscribeOutcome.Refused(
                                        LegalReason.SUBACK.of(refused.reason())));
            };
        }

        @Override
        void onAnswer(Intercepted answer) {
            if (answer.end != null) {
                finish(answer.end);
                return;
            }
            subscribe = answer.subscribe;
            goOn();
        }
    }

    /**
     * @param end the outcome; null: it goes on
     */
    private record Intercepted(Packet.Subscribe subscribe, @Nullable SubscribeOutcome end) {}

    private final class Authorizing
            extends Review<SubscribeOutcome>.Question<Authorization, Authorized> {
        private final ActiveHook<SubscribeAuthorizer> hook;
        private final Packet.Subscription subscription;

        Authorizing(ActiveHook<SubscribeAuthorizer> hook, Packet.Subscription subscription) {
            super(CallKind.SUBSCRIBE_AUTHORIZER, hook);
            this.hook = hook;
            this.subscription = subscription;
        }

        @Override
        @Nullable CompletionStage<Authorization> ask() throws Exception {
            return hook.target().authorize(shownClient(), Packets.subscription(subscription));
        }

        @Override
        Authorized convert(Authorization answer) throws BadAnswer {
            return Authorized.of(answer, LegalReason.SUBACK);
        }

        @Override
        void onAnswer(Authorized answer) {
            if (answer.isToBeRemembered()
                    && subscription.filter().length() <= REMEMBERED_FILTER_BYTES_MAX) {
                reviewer.memos()
                        .put(
                                client,
                                new Question(hook.place(), subscription),
                                answer,
                                hook.calls().now());
            }
            if (!answer.isUndecided()) {
                decide(answer);
            }
            goOn();
        }
    }
}

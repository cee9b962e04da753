package io.godwit.server.extension.call;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.review.PublishOutcome;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.review.Reviewer;
import io.godwit.core.review.SubscribeOutcome;
import io.godwit.core.review.UnsubscribeOutcome;
import io.godwit.extension.auth.PublishAuthorizer;
import io.godwit.extension.auth.SubscribeAuthorizer;
import io.godwit.extension.intercept.PublishInterceptor;
import io.godwit.extension.intercept.SubscribeInterceptor;
import io.godwit.extension.intercept.UnsubscribeInterceptor;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Has extensions review what clients do: interceptors of all extensions one after the other, each
 * sees what the one before has made; then authorizers until one decides. What no authorizer decides
 * the client's rules do.
 *
 * <p>Authorizers' answers are remembered here, so they are forgotten with this object.
 */
final class ExtensionReviewer implements Reviewer {
    private final List<ActiveHook<PublishInterceptor>> publishInterceptors;
    private final List<ActiveHook<PublishAuthorizer>> publishAuthorizers;
    private final List<ActiveHook<SubscribeInterceptor>> subscribeInterceptors;
    private final List<ActiveHook<SubscribeAuthorizer>> subscribeAuthorizers;
    private final List<ActiveHook<UnsubscribeInterceptor>> unsubscribeInterceptors;
    private final ReviewOrder order;
    private final int packetBytesMax;
    private final AuthorizationMemos memos;

    /** Those that run, in the order in which they are asked. */
    private final HookOrder extensions;

    private final AuthorizerOrder authorizers;

    /** Those of the extensions that are asked about PUBLISHes, or may be about those of some. */
    private final ExtensionCalls[] ofPublishes;

    ExtensionReviewer(
            List<ActiveHook<PublishInterceptor>> publishInterceptors,
            List<ActiveHook<PublishAuthorizer>> publishAuthorizers,
            List<ActiveHook<SubscribeInterceptor>> subscribeInterceptors,
            List<ActiveHook<SubscribeAuthorizer>> subscribeAuthorizers,
            List<ActiveHook<UnsubscribeInterceptor>> unsubscribeInterceptors,
            ReviewOrder order,
            int packetBytesMax,
            List<ExtensionHooks.Running> extensions,
            AuthorizerOrder authorizers) {
        this(
                publishInterceptors,
                new HookOrder(authorizers.asked()).sorted(publishAuthorizers),
                subscribeInterceptors,
                new HookOrder(authorizers.asked()).sorted(subscribeAuthorizers),
                unsubscribeInterceptors,
                order,
                packetBytesMax,
                ExtensionHooks.order(extensions),
                authorizers,
                new AuthorizationMemos(),
                ofPublishes(
                        Stream.concat(publishInterceptors.stream(), publishAuthorizers.stream()),
                        extensions));
    }

    private ExtensionReviewer(
            List<ActiveHook<PublishInterceptor>> publishInterceptors,
            List<ActiveHook<PublishAuthorizer>> publishAuthorizers,
            List<ActiveHook<SubscribeInterceptor>> subscribeInterceptors,
            List<ActiveHook<SubscribeAuthorizer>> subscribeAuthorizers,
            List<ActiveHook<UnsubscribeInterceptor>> unsubscribeInterceptors,
            ReviewOrder order,
            int packetBytesMax,
            HookOrder extensions,
            AuthorizerOrder authorizers,
            AuthorizationMemos memos,
            ExtensionCalls[] ofPublishes) {
        this.authorizers = authorizers;
        this.extensions = extensions;
        this.memos = memos;
        this.publishInterceptors = List.copyOf(publishInterceptors);
        this.publishAuthorizers = List.copyOf(publishAuthorizers);
        this.subscribeInterceptors = List.copyOf(subscribeInterceptors);
        this.subscribeAuthorizers = List.copyOf(subscribeAuthorizers);
        this.unsubscribeInterceptors = List.copyOf(unsubscribeInterceptors);
        this.order = order;
        this.packetBytesMax = packetBytesMax;
        this.ofPublishes = ofPublishes;
    }

    private static ExtensionCalls[] ofPublishes(
            Stream<ActiveHook<?>> hooks, List<ExtensionHooks.Running> extensions) {
        Stream<ExtensionCalls> mayBeOfSome =
                extensions.stream()
                        .filter(each -> each.registered().knowsClients())
                        .map(ExtensionHooks.Running::calls);
        return Stream.concat(hooks.map(ActiveHook::calls), mayBeOfSome)
                .distinct()
                .toArray(ExtensionCalls[]::new);
    }

    /** Returns what reviews a client for which extensions have set up something of its own. */
    ExtensionReviewer with(Collection<OwnSetup> own) {
        HookOrder authorizing = new HookOrder(authorizers.asked());
        return new ExtensionReviewer(
                extensions.with(publishInterceptors, own, OwnSetup::publishInterceptors),
                authorizing.with(publishAuthorizers, own, OwnSetup::publishAuthorizers),
                extensions.with(subscribeInterceptors, own, OwnSetup::subscribeInterceptors),
                authorizing.with(subscribeAuthorizers, own, OwnSetup::subscribeAuthorizers),
                extensions.with(unsubscribeInterceptors, own, OwnSetup::unsubscribeInterceptors),
                order,
                packetBytesMax,
                extensions,
                authorizers,
                memos,
                ofPublishes);
    }

    /** Returns what reviews a client now. Any thread: nothing is kept. */
    ExtensionReviewer now(Subject client) {
        return client.setup() instanceof SetUpClient own ? with(own.setups().values()) : this;
    }

    private ExtensionReviewer of(Subject client) {
        return client.setup() instanceof SetUpClient own ? own.reviewer(this) : this;
    }

    /** Whether it is not left to the client's rules alone what may be published. */
    private boolean decidesAboutPublishes() {
        return !publishAuthorizers.isEmpty() || behind() != AuthorizerOrder.Behind.RULES;
    }

    private boolean decidesAboutSubscribes() {
        return !subscribeAuthorizers.isEmpty() || behind() != AuthorizerOrder.Behind.RULES;
    }

    /** Returns who decides about what authorizers leave open. */
    AuthorizerOrder.Behind behind() {
        return authorizers.behind();
    }

    /** Whether there is nobody to ask about any client. */
    boolean isIdle() {
        return publishInterceptors.isEmpty()
                && !decidesAboutPublishes()
                && subscribeInterceptors.isEmpty()
                && unsubscribeInterceptors.isEmpty()
                && !decidesAboutSubscribes();
    }

    @Override
    public boolean isFull() {
        for (ExtensionCalls each : ofPublishes) {
            if (each.isNearlyFull()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the first whose extension is paused; null: there is none. */
    static <T> @Nullable ExtensionCalls paused(List<ActiveHook<T>> hooks) {
        for (ActiveHook<T> each : hooks) {
            if (each.calls().paused() != null) {
                return each.calls();
            }
        }
        return null;
    }

    /** Whether one that is asked about PUBLISHes is paused. */
    boolean isPublishPaused() {
        for (ExtensionCalls each : ofPublishes) {
            if (each.paused() != null) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean seesPublish(Subject client, Topic topic) {
        return of(client).sees(topic);
    }

    private boolean sees(Topic topic) {
        if (decidesAboutPublishes()) {
            return true;
        }
        byte[] bytes = topic.bytes();
        for (int i = 0; i < publishInterceptors.size(); i++) {
            if (publishInterceptors.get(i).pattern().matches(bytes)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void publish(
            Subject client,
            ProtocolVersion version,
            ReviewedPublish publish,
            Consumer<PublishOutcome> answer) {
        new PublishReview(of(client), client, version, publish, false, answer).submit();
    }

    @Override
    public boolean seesWill(Subject client) {
        return of(client).decidesAboutPublishes();
    }

    @Override
    public void will(
            Subject client, ProtocolVersion version, Will will, Consumer<PublishOutcome> answer) {
        new PublishReview(of(client), client, version, Packets.reviewed(will), true, answer)
                .submit();
    }

    @Override
    public boolean seesSubscribes(Subject client) {
        ExtensionReviewer asked = of(client);
        return !asked.subscribeInterceptors.isEmpty() || asked.decidesAboutSubscribes();
    }

    @Override
    public void subscribe(
            Subject client,
            ProtocolVersion version,
            Packet.Subscribe subscribe,
            Consumer<SubscribeOutcome> answer) {
        new SubscribeReview(of(client), client, version, subscribe, answer).submit();
    }

    @Override
    public boolean seesUnsubscribes(Subject client) {
        return !of(client).unsubscribeInterceptors.isEmpty();
    }

    @Override
    public void unsubscribe(
            Subject client,
            ProtocolVersion version,
            Packet.Unsubscribe unsubscribe,
            Consumer<UnsubscribeOutcome> answer) {
        new UnsubscribeReview(of(client), client, version, unsubscribe, answer).submit();
    }

    List<ActiveHook<PublishInterceptor>> publishInterceptors() {
        return publishInterceptors;
    }

    List<ActiveHook<PublishAuthorizer>> publishAuthorizers() {
        return publishAuthorizers;
    }

    List<ActiveHook<SubscribeInterceptor>> subscribeInterceptors() {
        return subscribeInterceptors;
    }

    List<ActiveHook<SubscribeAuthorizer>> subscribeAuthorizers() {
        return subscribeAuthorizers;
    }

    List<ActiveHook<UnsubscribeInterceptor>> unsubscribeInterceptors() {
        return unsubscribeInterceptors;
    }

    Lanes publishLanes() {
        return order.publishes();
    }

    Lanes subscribeLanes() {
        return order.subscribes();
    }

    AuthorizationMemos memos() {
        return memos;
    }

    int packetBytesMax() {
        return packetBytesMax;
    }
}

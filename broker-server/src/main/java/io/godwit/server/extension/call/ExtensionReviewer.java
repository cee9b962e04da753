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
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

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
    private final AuthorizationMemos memos = new AuthorizationMemos();

    /** Those of the extensions that are asked about PUBLISHes. */
    private final ExtensionCalls[] ofPublishes;

    ExtensionReviewer(
            List<ActiveHook<PublishInterceptor>> publishInterceptors,
            List<ActiveHook<PublishAuthorizer>> publishAuthorizers,
            List<ActiveHook<SubscribeInterceptor>> subscribeInterceptors,
            List<ActiveHook<SubscribeAuthorizer>> subscribeAuthorizers,
            List<ActiveHook<UnsubscribeInterceptor>> unsubscribeInterceptors,
            ReviewOrder order,
            int packetBytesMax) {
        this.publishInterceptors = List.copyOf(publishInterceptors);
        this.publishAuthorizers = List.copyOf(publishAuthorizers);
        this.subscribeInterceptors = List.copyOf(subscribeInterceptors);
        this.subscribeAuthorizers = List.copyOf(subscribeAuthorizers);
        this.unsubscribeInterceptors = List.copyOf(unsubscribeInterceptors);
        this.order = order;
        this.packetBytesMax = packetBytesMax;
        this.ofPublishes =
                Stream.concat(publishInterceptors.stream(), publishAuthorizers.stream())
                        .map(ActiveHook::calls)
                        .distinct()
                        .toArray(ExtensionCalls[]::new);
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

    @Override
    public boolean seesPublish(Topic topic) {
        if (!publishAuthorizers.isEmpty()) {
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
        new PublishReview(this, client, version, publish, false, answer).submit();
    }

    @Override
    public boolean seesWills() {
        return !publishAuthorizers.isEmpty();
    }

    @Override
    public void will(
            Subject client, ProtocolVersion version, Will will, Consumer<PublishOutcome> answer) {
        new PublishReview(this, client, version, Packets.reviewed(will), true, answer).submit();
    }

    @Override
    public boolean seesSubscribes() {
        return !subscribeInterceptors.isEmpty() || !subscribeAuthorizers.isEmpty();
    }

    @Override
    public void subscribe(
            Subject client,
            ProtocolVersion version,
            Packet.Subscribe subscribe,
            Consumer<SubscribeOutcome> answer) {
        new SubscribeReview(this, client, version, subscribe, answer).submit();
    }

    @Override
    public boolean seesUnsubscribes() {
        return !unsubscribeInterceptors.isEmpty();
    }

    @Override
    public void unsubscribe(
            Subject client,
            ProtocolVersion version,
            Packet.Unsubscribe unsubscribe,
            Consumer<UnsubscribeOutcome> answer) {
        new UnsubscribeReview(
                        unsubscribeInterceptors,
                        client,
                        version,
                        subscribeLanes(),
                        unsubscribe,
                        answer)
                .submit();
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

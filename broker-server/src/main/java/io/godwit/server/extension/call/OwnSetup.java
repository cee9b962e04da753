package io.godwit.server.extension.call;

import io.godwit.core.auth.AccessControl;
import io.godwit.core.codec.TopicCheck;
import io.godwit.core.packet.TopicFilter;
import io.godwit.extension.auth.PublishAuthorizer;
import io.godwit.extension.auth.SubscribeAuthorizer;
import io.godwit.extension.intercept.DeliveryInterceptor;
import io.godwit.extension.intercept.PublishInterceptor;
import io.godwit.extension.intercept.SubscribeInterceptor;
import io.godwit.extension.intercept.UnsubscribeInterceptor;
import io.godwit.extension.setup.ClientSetup;
import io.godwit.server.extension.PointInterceptor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What one extension has set up for a client, checked. Immutable.
 *
 * @param made as the extension has made it
 * @param access null: no rules
 */
record OwnSetup(
        ExtensionCalls calls,
        ClientSetup made,
        List<ActiveHook<PublishInterceptor>> publishInterceptors,
        List<ActiveHook<SubscribeInterceptor>> subscribeInterceptors,
        List<ActiveHook<UnsubscribeInterceptor>> unsubscribeInterceptors,
        List<ActiveHook<DeliveryInterceptor>> deliveryInterceptors,
        List<ActiveHook<PointInterceptor>> packetInterceptors,
        List<ActiveHook<PublishAuthorizer>> publishAuthorizers,
        List<ActiveHook<SubscribeAuthorizer>> subscribeAuthorizers,
        @Nullable AccessControl access) {
    /**
     * Hooks of clients have places that no hook of all clients has, and no earlier one of theirs:
     * what an authorizer has answered is remembered by its place.
     */
    private static final AtomicInteger PLACE = new AtomicInteger(1 << 20);

    static OwnSetup of(ClientSetup made, ExtensionCalls calls) throws BadAnswer {
        return new OwnSetup(
                calls,
                made,
                hooks(made.publishInterceptors(), calls),
                hooks(made.subscribeInterceptors(), calls),
                hooks(made.unsubscribeInterceptors(), calls),
                hooks(made.deliveryInterceptors(), calls),
                packetHooks(made.packetInterceptors(), calls),
                hooks(made.publishAuthorizers(), calls),
                hooks(made.subscribeAuthorizers(), calls),
                made.rules().isEmpty()
                        ? null
                        : GrantCheck.access(made.rules().get(), "of the setup"));
    }

    private static <T> List<ActiveHook<T>> hooks(
            List<ClientSetup.Hook<T>> made, ExtensionCalls calls) throws BadAnswer {
        List<ActiveHook<T>> all = new ArrayList<>(made.size());
        for (ClientSetup.Hook<T> each : made) {
            byte[] filter = Utf8Text.of(each.topicFilter(), "topic filter");
            if (!TopicCheck.isTopicFilter(filter) || new TopicFilter(filter).isShared()) {
                throw new BadAnswer(
                        "the topic filter '"
                                + each.topicFilter()
                                + "' is not one, or a shared one");
            }
            all.add(
                    new ActiveHook<>(
                            PLACE.incrementAndGet(),
                            each.target(),
                            new FilterPattern(each.topicFilter()),
                            each.onFailure(),
                            calls));
        }
        return List.copyOf(all);
    }

    private static List<ActiveHook<PointInterceptor>> packetHooks(
            List<ClientSetup.PacketHook<?>> made, ExtensionCalls calls) {
        List<ActiveHook<PointInterceptor>> all = new ArrayList<>(made.size());
        for (ClientSetup.PacketHook<?> each : made) {
            PointInterceptor target = new PointInterceptor(each.point(), each.target());
            all.add(
                    new ActiveHook<>(
                            PLACE.incrementAndGet(),
                            target,
                            new FilterPattern("#"),
                            target.onFailure(),
                            calls));
        }
        return List.copyOf(all);
    }
}

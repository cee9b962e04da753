package io.godwit.server.extension.call;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.review.DeliveryOutcome;
import io.godwit.core.review.DeliveryReviewer;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.extension.intercept.DeliveryInterceptor;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Has extensions review what goes to clients: interceptors of all extensions one after the other,
 * each sees what the one before has made.
 */
final class ExtensionDeliveries implements DeliveryReviewer {
    private final List<ActiveHook<DeliveryInterceptor>> interceptors;
    private final HookOrder extensions;
    private final Lanes lanes;
    private final int packetBytesMax;

    /** Those of the extensions that are asked. */
    private final ExtensionCalls[] asked;

    ExtensionDeliveries(
            List<ActiveHook<DeliveryInterceptor>> interceptors,
            HookOrder extensions,
            Lanes lanes,
            int packetBytesMax) {
        this.interceptors = List.copyOf(interceptors);
        this.extensions = extensions;
        this.lanes = lanes;
        this.packetBytesMax = packetBytesMax;
        this.asked =
                interceptors.stream()
                        .map(ActiveHook::calls)
                        .distinct()
                        .toArray(ExtensionCalls[]::new);
    }

    /** Returns what reviews a client for which extensions have set up something of its own. */
    ExtensionDeliveries with(Collection<OwnSetup> own) {
        return new ExtensionDeliveries(
                extensions.with(interceptors, own, OwnSetup::deliveryInterceptors),
                extensions,
                lanes,
                packetBytesMax);
    }

    /** Returns what reviews a client now. Any thread: nothing is kept. */
    ExtensionDeliveries now(Subject client) {
        return client.setup() instanceof SetUpClient own ? with(own.setups().values()) : this;
    }

    private ExtensionDeliveries of(Subject client) {
        return client.setup() instanceof SetUpClient own ? own.deliveries(this) : this;
    }

    @Override
    public boolean seesDelivery(Subject receiver, Topic topic) {
        return of(receiver).sees(topic);
    }

    private boolean sees(Topic topic) {
        if (interceptors.isEmpty()) {
            return false;
        }
        byte[] bytes = topic.bytes();
        for (int i = 0; i < interceptors.size(); i++) {
            if (interceptors.get(i).pattern().matches(bytes)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean isFull(Subject receiver) {
        for (ExtensionCalls each : of(receiver).asked) {
            if (each.isNearlyFull()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void delivery(
            Subject receiver,
            ProtocolVersion version,
            ReviewedPublish publish,
            Consumer<DeliveryOutcome> answer) {
        new DeliveryReview(of(receiver), receiver, version, publish, answer).submit();
    }

    List<ActiveHook<DeliveryInterceptor>> interceptors() {
        return interceptors;
    }

    Lanes lanes() {
        return lanes;
    }

    int packetBytesMax() {
        return packetBytesMax;
    }
}

package io.godwit.server.extension.call;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.review.DeliveryOutcome;
import io.godwit.core.review.DeliveryReviewer;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.extension.intercept.DeliveryInterceptor;
import java.util.List;
import java.util.function.Consumer;

/**
 * Has extensions review what goes to clients: interceptors of all extensions one after the other,
 * each sees what the one before has made.
 */
final class ExtensionDeliveries implements DeliveryReviewer {
    private final List<ActiveHook<DeliveryInterceptor>> interceptors;
    private final Lanes lanes;
    private final int packetBytesMax;

    /** Those of the extensions that are asked. */
    private final ExtensionCalls[] asked;

    ExtensionDeliveries(
            List<ActiveHook<DeliveryInterceptor>> interceptors,
            ReviewOrder order,
            int packetBytesMax) {
        this.interceptors = List.copyOf(interceptors);
        this.lanes = order.deliveries();
        this.packetBytesMax = packetBytesMax;
        this.asked =
                interceptors.stream()
                        .map(ActiveHook::calls)
                        .distinct()
                        .toArray(ExtensionCalls[]::new);
    }

    @Override
    public boolean seesDelivery(Topic topic) {
        byte[] bytes = topic.bytes();
        for (int i = 0; i < interceptors.size(); i++) {
            if (interceptors.get(i).pattern().matches(bytes)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean isFull() {
        for (ExtensionCalls each : asked) {
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
        new DeliveryReview(this, receiver, version, publish, answer).submit();
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

package io.godwit.extension.intercept;

import io.godwit.extension.client.Client;
import io.godwit.extension.packet.PublishPacket;
import java.util.concurrent.CompletionStage;

/** Sees each PUBLISH on its way to a client, and may change it for that client or keep it back. */
@FunctionalInterface
public interface DeliveryInterceptor {
    /**
     * Begins the answer; it may come later, from any thread. For one client calls come in the order
     * of its messages, each after the answer to the one before. What is sent again, since a client
     * has come back, is shown again with {@link PublishPacket#dup}.
     *
     * <p>A changed QoS does not count. A message that is dropped ends as if the client had
     * acknowledged it; one that is refused, too, since there is nobody to tell. What others get,
     * and what is retained, stays as it is.
     *
     * @param receiver the client that gets it
     * @param publish as it would leave, or as the interceptor before has changed it
     */
    CompletionStage<Interception<PublishPacket>> onDelivery(Client receiver, PublishPacket publish)
            throws Exception;
}

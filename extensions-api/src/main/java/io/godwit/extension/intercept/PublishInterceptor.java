package io.godwit.extension.intercept;

import io.godwit.extension.client.Client;
import io.godwit.extension.packet.PublishPacket;
import java.util.concurrent.CompletionStage;

/** Sees each PUBLISH that a client sends, and may change or stop it. */
@FunctionalInterface
public interface PublishInterceptor {
    /**
     * Begins the answer; it may come later, from any thread. For one client calls come in the order
     * of its packets, each after the answer to the one before. A changed QoS is that of the
     * message; the client gets the acknowledgement of its own. A QoS 2 PUBLISH that comes again is
     * not shown.
     *
     * @param publish as the client has sent it, or as the interceptor before has changed it
     */
    CompletionStage<Interception<PublishPacket>> onPublish(Client client, PublishPacket publish)
            throws Exception;
}

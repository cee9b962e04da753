package io.godwit.extension.intercept;

import io.godwit.extension.client.Client;
import io.godwit.extension.packet.UnsubscribePacket;
import java.util.concurrent.CompletionStage;

/** Sees each UNSUBSCRIBE that a client sends, and may change or stop it. */
@FunctionalInterface
public interface UnsubscribeInterceptor {
    /**
     * Begins the answer; it may come later, from any thread. A changed packet has as many filters
     * as the client's. Of a dropped one UNSUBACK says success, and nothing is unsubscribed. One
     * that is refused closes the connection of an MQTT 3.x client, since its UNSUBACK has no
     * reason.
     */
    CompletionStage<Interception<UnsubscribePacket>> onUnsubscribe(
            Client client, UnsubscribePacket unsubscribe) throws Exception;
}

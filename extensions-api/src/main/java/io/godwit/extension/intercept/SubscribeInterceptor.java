package io.godwit.extension.intercept;

import io.godwit.extension.client.Client;
import io.godwit.extension.packet.SubscribePacket;
import java.util.concurrent.CompletionStage;

/** Sees each SUBSCRIBE that a client sends, and may change or stop it. */
@FunctionalInterface
public interface SubscribeInterceptor {
    /**
     * Begins the answer; it may come later, from any thread. A changed packet has as many filters
     * as the client's. Of a dropped one SUBACK grants what was asked for, and nothing is
     * subscribed.
     */
    CompletionStage<Interception<SubscribePacket>> onSubscribe(
            Client client, SubscribePacket subscribe) throws Exception;
}

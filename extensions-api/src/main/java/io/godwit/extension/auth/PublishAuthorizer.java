package io.godwit.extension.auth;

import io.godwit.extension.client.Client;
import io.godwit.extension.packet.PublishPacket;
import java.util.concurrent.CompletionStage;

/** Says whether clients may publish what they publish. */
@FunctionalInterface
public interface PublishAuthorizer {
    /**
     * Begins the answer; it may come later, from any thread. A remembered answer holds for the
     * topic, QoS and RETAIN flag that were asked about, whatever the payload.
     */
    CompletionStage<Authorization> authorize(Client client, PublishPacket publish) throws Exception;
}

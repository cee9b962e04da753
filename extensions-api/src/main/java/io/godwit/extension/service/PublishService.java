package io.godwit.extension.service;

import io.godwit.extension.packet.PublishPacket;
import java.util.concurrent.CompletionStage;

/** Publishes messages of an extension, to whoever in the cluster has subscribed. */
public interface PublishService {
    /**
     * Publishes a message. It is asked for no permission and shown to no interceptor.
     *
     * @return completes when the broker would acknowledge it to a client: then it is delivered, as
     *     for a client's PUBLISH of its QoS. Completes with {@link PublishFailedException} when it
     *     was not taken in.
     */
    CompletionStage<Void> publish(PublishPacket message);
}

package io.godwit.extension.service;

import io.godwit.extension.Preview;
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
    default CompletionStage<Void> publish(PublishPacket message) {
        return publish(message, PublishOptions.defaults());
    }

    /**
     * Publishes a message. It is asked for no permission, and shown to interceptors as the options
     * say. Those that are seen by interceptors are published in the order of the calls, among
     * themselves.
     *
     * @return completes as {@link #publish(PublishPacket)} does, also when an interceptor has
     *     dropped it; with {@link PublishFailedException} when one has refused it, and with 0x83
     *     when one has failed
     */
    @Preview
    CompletionStage<Void> publish(PublishPacket message, PublishOptions options);
}

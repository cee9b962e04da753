package io.godwit.extension.service;

import io.godwit.extension.packet.PublishPacket;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;

/**
 * Reads and changes retained messages. Every node of a cluster has all of them, so reading asks no
 * other node. Answers come in threads of the extension's executor. What is asked beyond 1 000
 * questions without an answer completes with {@link RejectedExecutionException}.
 */
public interface RetainedService {
    /**
     * Finds the retained message of a topic, with what is left of its expiry.
     *
     * @throws IllegalArgumentException the topic is not one
     */
    CompletionStage<Optional<PublishPacket>> get(String topic);

    /**
     * Makes a message the retained one of its topic, and publishes it to whoever has subscribed, as
     * {@link PublishService} does: it completes like that.
     *
     * @param message RETAIN need not be set
     * @throws IllegalArgumentException it has no payload; {@link #remove} is there for that
     */
    CompletionStage<Void> put(PublishPacket message);

    /**
     * Removes the retained message of a topic. As MQTT has it, that is a PUBLISH without payload,
     * which goes to whoever has subscribed; it completes as {@link #put} does.
     *
     * @throws IllegalArgumentException the topic is not one
     */
    CompletionStage<Void> remove(String topic);

    /**
     * Reads retained messages by their topics' bytes, up to 100 messages and about 64 KiB at a
     * time. What stays while all pages are read is seen once.
     *
     * @param topicFilter {@code #} is for all whose topic does not begin with {@code $}
     * @param from {@link Page#next} of the page before; empty: the first
     * @throws IllegalArgumentException the filter is not one, or a shared one
     */
    CompletionStage<Page<PublishPacket>> page(String topicFilter, Optional<String> from);
}

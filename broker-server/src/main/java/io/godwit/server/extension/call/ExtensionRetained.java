package io.godwit.server.extension.call;

import io.godwit.core.codec.TopicCheck;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.service.Page;
import io.godwit.extension.service.PublishService;
import io.godwit.extension.service.RetainedService;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads and changes retained messages for one extension, and answers in its own threads. */
public final class ExtensionRetained implements RetainedService {
    private final Reader reader;
    private final PublishService publishes;
    private final Executor executor;

    /** Reads the retained messages of this process. */
    public interface Reader {
        /** Finds the message of a topic. */
        CompletableFuture<Found> get(Topic topic);

        /**
         * Reads some messages.
         *
         * @param after the last topic of those before; null: from the first on
         */
        CompletableFuture<Found> read(TopicFilter filter, @Nullable Topic after);
    }

    /**
     * Holds what was found.
     *
     * @param isLast whether there is nothing behind it
     */
    public record Found(List<RetainedMessage> messages, boolean isLast) {
        public Found {
            messages = List.copyOf(messages);
        }
    }

    /**
     * Holds a retained message.
     *
     * @param payload not to be changed
     * @param properties those that go to subscribers
     * @param expirySeconds what is left; -1: it does not expire
     */
    public record RetainedMessage(
            Topic topic, byte[] payload, byte[] properties, int qos, long expirySeconds) {}

    /**
     * @param publishes the extension's
     * @param executor the extension's: answers are completed there
     */
    public ExtensionRetained(Reader reader, PublishService publishes, Executor executor) {
        this.reader = reader;
        this.publishes = publishes;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Optional<PublishPacket>> get(String topic) {
        return answered(
                reader.get(topic(topic)),
                found -> found.messages().stream().map(Packets::retained).findFirst());
    }

    private static Topic topic(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (!TopicCheck.isTopicName(bytes)) {
            throw new IllegalArgumentException("the topic '" + text + "' is not one");
        }
        return new Topic(bytes);
    }

    @Override
    public CompletionStage<Void> put(PublishPacket message) {
        if (message.payload().isEmpty()) {
            throw new IllegalArgumentException(
                    "a retained message without payload would be removed: see remove()");
        }
        return publishes.publish(message.change().retain(true).build());
    }

    @Override
    public CompletionStage<Void> remove(String topic) {
        return publishes.publish(
                PublishPacket.to(topic(topic).toString()).qos(1).retain(true).build());
    }

    @Override
    public CompletionStage<Page<PublishPacket>> page(String topicFilter, Optional<String> from) {
        byte[] bytes = topicFilter.getBytes(StandardCharsets.UTF_8);
        if (!TopicCheck.isTopicFilter(bytes) || TopicFilter.of(topicFilter).isShared()) {
            throw new IllegalArgumentException(
                    "the topic filter '" + topicFilter + "' is not one, or a shared one");
        }
        return answered(
                reader.read(
                        new TopicFilter(bytes), from.map(ExtensionRetained::topic).orElse(null)),
                ExtensionRetained::page);
    }

    private static Page<PublishPacket> page(Found found) {
        List<PublishPacket> items = found.messages().stream().map(Packets::retained).toList();
        return new Page<>(
                items, found.isLast() ? Optional.empty() : Optional.of(items.getLast().topic()));
    }

    private <T> CompletionStage<T> answered(
            CompletableFuture<Found> asked, Function<Found, T> conversion) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        asked.whenComplete((found, failure) -> {
            try {
                executor.execute(() -> complete(answer, found, failure, conversion));
            } catch (RejectedExecutionException stopped) {
                answer.completeExceptionally(stopped);
            }
        });
        return answer.minimalCompletionStage();
    }

    private static <T> void complete(
            CompletableFuture<T> answer,
            @Nullable Found found,
            @Nullable Throwable failure,
            Function<Found, T> conversion) {
        try {
            if (found == null) {
                answer.completeExceptionally(
                        failure == null ? new IllegalStateException("no answer") : failure);
            } else {
                answer.complete(conversion.apply(found));
            }
        } catch (RuntimeException unexpected) {
            answer.completeExceptionally(unexpected);
        }
    }
}

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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads and changes retained messages for one extension, and answers in its own threads. */
public final class ExtensionRetained implements RetainedService {
    /** Questions that may wait for their answer. */
    static final int QUESTIONS_MAX = 1_000;

    private final AtomicInteger questions = new AtomicInteger();
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
        Topic asked = topic(topic);
        return answered(
                () -> reader.get(asked),
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
        TopicFilter filter = new TopicFilter(bytes);
        Topic after = from.map(ExtensionRetained::topic).orElse(null);
        return answered(() -> reader.read(filter, after), ExtensionRetained::page);
    }

    private static Page<PublishPacket> page(Found found) {
        List<PublishPacket> items = found.messages().stream().map(Packets::retained).toList();
        return new Page<>(
                items, found.isLast() ? Optional.empty() : Optional.of(items.getLast().topic()));
    }

    private <T> CompletionStage<T> answered(
            Supplier<CompletableFuture<Found>> question, Function<Found, T> conversion) {
        if (questions.incrementAndGet() > QUESTIONS_MAX) {
            questions.decrementAndGet();
            return CompletableFuture.failedStage(
                    new RejectedExecutionException(
                            QUESTIONS_MAX + " questions about retained messages wait"));
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        question.get()
                .whenComplete((found, failure) -> {
                    questions.decrementAndGet();
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

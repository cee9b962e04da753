package io.godwit.server.extension.call;

import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.service.PublishFailedException;
import io.godwit.extension.service.PublishService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Publishes the messages of one extension, and tells it in its own threads what became of them. */
public final class ExtensionPublishes implements PublishService {
    private final Publisher publisher;
    private final Executor executor;
    private final int bytesMax;

    /** Publishes messages of this process. */
    @FunctionalInterface
    public interface Publisher {
        /**
         * Publishes a message.
         *
         * @param done told once, by any thread: null, or why it was not taken in
         */
        void publish(ReviewedPublish message, Consumer<@Nullable ReasonCode> done);
    }

    /**
     * @param executor the extension's: answers are completed there
     * @param bytesMax of topic, payload and properties together
     */
    public ExtensionPublishes(Publisher publisher, Executor executor, int bytesMax) {
        this.publisher = publisher;
        this.executor = executor;
        this.bytesMax = bytesMax;
    }

    @Override
    public CompletionStage<Void> publish(PublishPacket message) {
        ReviewedPublish made;
        try {
            made = Packets.published(message, bytesMax);
        } catch (IllegalArgumentException bad) {
            return CompletableFuture.failedStage(
                    new PublishFailedException(
                            ReasonCode.UNSPECIFIED_ERROR.code(), String.valueOf(bad.getMessage())));
        }
        CompletableFuture<Void> answer = new CompletableFuture<>();
        publisher.publish(made, refusal -> complete(answer, refusal));
        return answer.minimalCompletionStage();
    }

    private void complete(CompletableFuture<Void> answer, @Nullable ReasonCode refusal) {
        try {
            executor.execute(() -> {
                if (refusal == null) {
                    answer.complete(null);
                } else {
                    answer.completeExceptionally(
                            new PublishFailedException(
                                    refusal.code(), "the message was refused: " + refusal));
                }
            });
        } catch (RejectedExecutionException stopped) {
            answer.cancel(false); // Nobody waits for it: the extension has stopped.
        }
    }
}

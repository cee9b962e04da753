package io.godwit.server.extension.call;

import io.godwit.core.packet.ReasonCode;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.extension.client.Client;
import io.godwit.extension.client.Origin;
import io.godwit.extension.packet.MqttVersion;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.service.PublishFailedException;
import io.godwit.extension.service.PublishOptions;
import io.godwit.extension.service.PublishService;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Publishes the messages of one extension, and tells it in its own threads what became of them. */
public final class ExtensionPublishes implements PublishService {
    /** Messages that may wait to be seen by interceptors. */
    private static final int INTERCEPTED_MAX = 10_000;

    /** Bytes of these. */
    private static final long INTERCEPTED_BYTES_MAX = 16L << 20;

    private final Publisher publisher;
    private final Executor executor;
    private final int bytesMax;
    private final InterceptedPublish.Interceptors interceptors;
    private final Client shown;
    private final Lane intercepted = new Lane();
    private final AtomicLong interceptedBytes = new AtomicLong();

    /** Publishes messages of this process. */
    public interface Publisher {
        /**
         * Publishes a message.
         *
         * @param done told once, by any thread: null, or why it was not taken in
         */
        void publish(ReviewedPublish message, Consumer<@Nullable ReasonCode> done);

        /** Counts a message that an interceptor has dropped. */
        void dropped();
    }

    /**
     * @param id of the extension
     * @param hooks returns what is asked at the moment
     * @param executor the extension's: answers are completed there
     * @param bytesMax of topic, payload and properties together
     */
    public ExtensionPublishes(
            String id,
            Publisher publisher,
            Supplier<@Nullable ExtensionHooks> hooks,
            Executor executor,
            int bytesMax) {
        this.publisher = publisher;
        this.interceptors =
                () -> {
                    ExtensionHooks now = hooks.get();
                    return now == null ? List.of() : now.behind(id);
                };
        this.shown =
                new Client(
                        "",
                        MqttVersion.V5,
                        null,
                        List.of(),
                        Map.of(),
                        new Origin("", "extension:" + id, false, null));
        this.executor = executor;
        this.bytesMax = bytesMax;
    }

    @Override
    public CompletionStage<Void> publish(PublishPacket message, PublishOptions options) {
        ReviewedPublish made;
        try {
            made = Packets.published(message, bytesMax);
        } catch (IllegalArgumentException bad) {
            return CompletableFuture.failedStage(
                    new PublishFailedException(
                            ReasonCode.UNSPECIFIED_ERROR.code(), String.valueOf(bad.getMessage())));
        }
        CompletableFuture<Void> answer = new CompletableFuture<>();
        if (options.isIntercepted()) {
            intercept(made, answer);
        } else {
            publisher.publish(made, refusal -> complete(answer, refusal));
        }
        return answer.minimalCompletionStage();
    }

    private void intercept(ReviewedPublish message, CompletableFuture<Void> answer) {
        long bytes = message.accountedBytes();
        if (interceptedBytes.addAndGet(bytes) > INTERCEPTED_BYTES_MAX
                || intercepted.size() >= INTERCEPTED_MAX) {
            interceptedBytes.addAndGet(-bytes);
            complete(answer, ReasonCode.QUOTA_EXCEEDED);
            return;
        }
        InterceptedPublish.Taker taker =
                new InterceptedPublish.Taker() {
                    @Override
                    public void publish(ReviewedPublish made) {
                        interceptedBytes.addAndGet(-bytes);
                        publisher.publish(made, refusal -> complete(answer, refusal));
                    }

                    @Override
                    public void drop() {
                        interceptedBytes.addAndGet(-bytes);
                        publisher.dropped();
                        complete(answer, null);
                    }

                    @Override
                    public void refuse(ReasonCode reason) {
                        interceptedBytes.addAndGet(-bytes);
                        complete(answer, reason);
                    }
                };
        intercepted.add(new InterceptedPublish(message, interceptors, shown, bytesMax, taker));
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

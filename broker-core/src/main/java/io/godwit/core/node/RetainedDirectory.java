package io.godwit.core.node;

import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Retained;
import io.godwit.core.routing.RetainedScan;
import io.godwit.core.routing.RetainedStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Answers questions about the retained messages of this node, from any thread, by the shard that
 * owns them and in slices. Whoever asks bounds how many questions wait; a shard that has stopped
 * never answers. Answers are completed by the shard: whoever waits goes on elsewhere.
 */
public final class RetainedDirectory {
    /** Topics that are looked at in a slice. */
    private static final int SLICE = 200;

    private final BrokerShard owner;

    /**
     * Holds some retained messages.
     *
     * @param messages by the bytes of their topics
     * @param nowMs epoch milliseconds of the broker's clock, for their expiry
     * @param isLast whether there are none behind them
     */
    public record Some(List<Message> messages, long nowMs, boolean isLast) {
        public Some {
            messages = List.copyOf(messages);
        }
    }

    /** Bounds what is read at once. */
    public record Bounds(int messagesMax, long bytesMax) {}

    RetainedDirectory(BrokerShard owner) {
        this.owner = owner;
    }

    /**
     * Finds the message of one topic.
     *
     * @return with one message or none
     */
    public CompletableFuture<Some> get(Topic topic) {
        return ask((store, answer) -> {
            Retained found = store.get(topic, owner.sureMs());
            answer.complete(some(found == null ? List.of() : List.of(found.message()), true));
        });
    }

    /**
     * Reads the messages that a filter matches.
     *
     * @param filter not a shared one
     * @param after the last topic of those before; null: from the first on
     * @param bounds the bytes may be exceeded by one message
     */
    public CompletableFuture<Some> read(TopicFilter filter, @Nullable Topic after, Bounds bounds) {
        return ask((store, answer) -> {
            RetainedScan scan = after == null ? store.scan(filter) : store.scan(filter, after);
            List<Message> found = new ArrayList<>();
            owner.slice(() -> collect(scan, found, bounds, answer));
        });
    }

    /** Looks through one slice; returns whether that was enough. */
    private boolean collect(
            RetainedScan scan, List<Message> found, Bounds bounds, CompletableFuture<Some> answer) {
        // One step yields one message at the most, so a slice never overfills the answer.
        int steps = Math.min(SLICE, bounds.messagesMax() - found.size());
        scan.next(steps, owner.sureMs(), retained -> found.add(retained.message()));
        int fitting = fitting(found, bounds.bytesMax());
        boolean isFull = fitting < found.size() || found.size() >= bounds.messagesMax();
        if (!isFull && !scan.isDone()) {
            return false;
        }
        boolean isLast = fitting == found.size() && scan.isDone();
        answer.complete(some(found.subList(0, fitting), isLast));
        return true;
    }

    private static int fitting(List<Message> found, long bytesMax) {
        long bytes = 0;
        for (int i = 0; i < found.size(); i++) {
            bytes += found.get(i).accountedBytes();
            if (bytes > bytesMax) {
                return Math.max(1, i);
            }
        }
        return found.size();
    }

    private Some some(List<Message> messages, boolean isLast) {
        return new Some(messages, owner.sureMs(), isLast);
    }

    private interface Question {
        void ask(RetainedStore store, CompletableFuture<Some> answer);
    }

    private CompletableFuture<Some> ask(Question question) {
        CompletableFuture<Some> answer = new CompletableFuture<>();
        owner.execute(() -> {
            owner.enter();
            question.ask(owner.indexOwner().retained(), answer);
        });
        return answer;
    }
}

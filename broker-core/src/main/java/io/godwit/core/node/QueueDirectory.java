package io.godwit.core.node;

import io.godwit.core.packet.ClientId;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.WaitingPage;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Shows what waits in the queues of this node's sessions, to any thread. */
public final class QueueDirectory {
    private final ClientDirectory clients;

    public QueueDirectory(ClientDirectory clients) {
        this.clients = clients;
    }

    /**
     * Some of what waits in a queue.
     *
     * @param next behind which the next page begins; null: nothing follows
     */
    public record Page(List<WaitingPage.Entry> entries, WaitingPage.@Nullable Place next) {}

    /**
     * Reads some of what waits for a client, in order, and takes nothing of it.
     *
     * @param after behind which it begins; null: with the oldest
     * @param max entries at most
     * @param bytesMax of rows that are read; one may go beyond
     * @return empty when there is no session
     */
    public CompletableFuture<Optional<Page>> read(
            ClientId clientId, WaitingPage.@Nullable Place after, int max, long bytesMax) {
        CompletableFuture<Optional<Page>> answer = new CompletableFuture<>();
        WaitingPage.Taker taker =
                new WaitingPage.Taker() {
                    @Override
                    public void onPage(
                            List<WaitingPage.Entry> entries, WaitingPage.@Nullable Place next) {
                        answer.complete(Optional.of(new Page(entries, next)));
                    }

                    @Override
                    public void onFailure(String why) {
                        answer.completeExceptionally(new IllegalStateException(why));
                    }
                };
        clients.onOwner(
                clientId,
                (owner, session) -> {
                    ClientQueue queue = session.queueIfMade();
                    if (queue == null) {
                        taker.onPage(List.of(), null);
                    } else {
                        WaitingPage.read(
                                queue,
                                after,
                                max,
                                bytesMax,
                                () -> !session.isEnded() && session.owner() == owner.index(),
                                taker);
                    }
                },
                () -> answer.complete(Optional.empty()));
        return answer;
    }
}

package io.godwit.core.node;

import io.godwit.core.packet.ClientId;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.QueueRemoval;
import io.godwit.core.queue.WaitingPage;
import io.godwit.core.session.Session;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Shows what waits in the queues of this node's sessions, and removes it, for any thread. */
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

    /**
     * Tells what was removed from a queue.
     *
     * @param removed messages that were, persisted by now
     * @param inFlight messages that were not, since they are in flight
     * @param upToClock of the last message id that {@link #purge} removes; 0: there is nothing
     * @param isEnd whether nothing is left of what it removes
     */
    public record Removed(long removed, int inFlight, long upToClock, boolean isEnd) {}

    /**
     * Removes messages from what waits for a client.
     *
     * @return empty when there is no session
     */
    public CompletableFuture<Optional<Removed>> remove(
            ClientId clientId, List<WaitingPage.Place> places) {
        return new Removal(
                        clientId,
                        (queue, upTo, host) -> QueueRemoval.remove(queue, places, host),
                        0)
                .begin();
    }

    /**
     * Removes what waits for a client: what has come until now, and not what comes meanwhile.
     *
     * @param upToClock {@link Removed#upToClock} of the purge that this one goes on with; 0: none
     * @param max about so many messages at most
     * @return empty when there is no session
     */
    public CompletableFuture<Optional<Removed>> purge(ClientId clientId, long upToClock, int max) {
        return new Removal(
                        clientId,
                        (queue, upTo, host) -> QueueRemoval.purge(queue, upTo, max, host),
                        upToClock)
                .begin();
    }

    private interface Kind {
        void begin(ClientQueue queue, long upToClock, QueueRemoval.Host host);
    }

    /** A removal, which follows the session from shard to shard. */
    private final class Removal {
        private static final int SHARDS_MAX = 4;

        private final CompletableFuture<Optional<Removed>> answer = new CompletableFuture<>();
        private final ClientId clientId;
        private final Kind kind;
        private long upTo;
        private long before;
        private int begun;

        Removal(ClientId clientId, Kind kind, long upToClock) {
            this.clientId = clientId;
            this.kind = kind;
            this.upTo = upToClock;
        }

        CompletableFuture<Optional<Removed>> begin() {
            if (begun++ == SHARDS_MAX) {
                answer.completeExceptionally(
                        new IllegalStateException(
                                "the client comes and goes; "
                                        + before
                                        + " messages were removed, or are going to be"));
                return answer;
            }
            clients.onOwner(clientId, this::beginAt, () -> answer.complete(Optional.empty()));
            return answer;
        }

        private void beginAt(BrokerShard owner, Session session) {
            ClientQueue queue = session.queueIfMade();
            if (queue == null) {
                answer.complete(Optional.of(new Removed(before, 0, upTo, true)));
                return;
            }
            upTo = upTo == 0 ? QueueRemoval.lastClock(queue) : upTo;
            kind.begin(queue, upTo, new RemovalHost(this, owner, session));
        }
    }

    private record RemovalHost(Removal of, BrokerShard owner, Session session)
            implements QueueRemoval.Host {
        @Override
        public boolean isHere() {
            return ClientDirectory.isOn(owner, session);
        }

        @Override
        public void later(Runnable slice) {
            owner.execute(() -> {
                owner.enter();
                slice.run();
            });
        }

        @Override
        public void onRemoved(int removed, int inFlight, boolean isEnd) {
            of.answer.complete(
                    Optional.of(new Removed(of.before + removed, inFlight, of.upTo, isEnd)));
        }

        @Override
        public void onMoved(int removed) {
            of.before += removed;
            of.begin();
        }

        @Override
        public void onFailure(String why) {
            of.answer.completeExceptionally(new IllegalStateException(why));
        }
    }
}

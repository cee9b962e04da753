package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverMessages.Forward;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.ack.Receipt;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.SessionMoves;
import io.godwit.core.takeover.Forwarded;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What goes after the sessions that were given: {@link Forwards}, wired to shards and links. */
final class NodeForwards {
    private final NodeTakeovers node;
    private final ForwardRoom room;
    private final Forwards forwards;

    NodeForwards(NodeTakeovers node) {
        this.node = node;
        room = ForwardRoom.of(() -> node.owner().load());
        forwards = new Forwards(this::offer, room);
    }

    ForwardRoom room() {
        return room;
    }

    // ---------------------------------------------------------------- what shards say; by mail

    /**
     * A message goes after what was given.
     *
     * @param keptAt shard that the publish came in at, if it must be kept there before: else its
     *     client would send it again under another ingress id after a crash; -1 = at none
     */
    void forward(
            SessionMoves.Given to,
            boolean mayComeAgain,
            Forwarded what,
            int keptAt,
            @Nullable Consumer<Boolean> whenTaken) {
        SessionForwards.Hold hold = keptAt < 0 ? null : new SessionForwards.Hold();
        node.owner()
                .execute(() ->
                        forwards.send(
                                to.server(), to.changes(), mayComeAgain, what, hold, whenTaken));
        if (hold != null) {
            BrokerShard at = node.shard(keptAt);
            at.execute(() ->
                    at.afterCommit(durable -> {
                        if (durable) {
                            node.owner().execute(() -> forwards.release(hold));
                        }
                    }));
        }
    }

    /** What goes after what was given goes to another node from now on. */
    void elsewhere(ClientId clientId, long given, SessionMoves.Given to) {
        node.owner().execute(() -> forwards.elsewhere(clientId, given, to.server(), to.changes()));
    }

    /** The same to this node itself, where the session is told when it has all of it. */
    void here(ClientId clientId, long given, long changes, boolean mayWait) {
        int self = node.self().server();
        Runnable whenDone = () -> node.answer(clientId, to -> to.caughtUp(clientId, changes));
        node.owner()
                .execute(() -> {
                    forwards.elsewhere(clientId, given, self, changes);
                    boolean waits =
                            mayWait
                                    ? forwards.whenSent(clientId, changes, whenDone)
                                    : forwards.whenDone(clientId, changes, self, whenDone);
                    if (!waits) {
                        whenDone.run();
                    }
                });
    }

    // ---------------------------------------------------------------- messages; by mail

    /** A former home has passed a message on. */
    void arrived(PeerLink from, Forward forward) {
        Receipt receipt = forward.number() == 0 ? null : new ForwardAnswer(from, forward);
        node.answer(
                forward.what().clientId(),
                to -> to.forwarded(forward.changes(), forward.what(), receipt));
    }

    /** A new home has answered. */
    void forwarded(long number, boolean isTaken) {
        node.owner().execute(() -> forwards.forwarded(number, isTaken));
    }

    // ---------------------------------------------------------------- at the owner

    /** See {@link Forwards#linked}. */
    void linked(int server) {
        forwards.linked(server);
    }

    /** See {@link Forwards#retry}. */
    void retry() {
        forwards.retry();
    }

    /** See {@link Forwards#pastForgotten}. */
    void pastForgotten(ClientId clientId, long changes, Set<Integer> servers, int asks) {
        forwards.pastForgotten(clientId, changes, servers, asks);
    }

    /** See {@link Forwards#whenDone}. */
    boolean whenDone(ClientId clientId, long changes, int asks, Runnable task) {
        return forwards.whenDone(clientId, changes, asks, task);
    }

    /**
     * @return false when its link has no room
     */
    private boolean offer(int server, Forward forward) {
        if (server == node.self().server()) {
            Receipt receipt = forward.number() == 0 ? null : new Taken(forward);
            node.answer(
                    forward.what().clientId(),
                    to -> to.forwardedBack(forward.changes(), forward.what(), receipt));
            return true;
        }
        PeerLink link = node.link(server);
        return link == null
                || link.hasRoom(TrafficClass.APPENDS) && link.offer(TakeoverMessages.of(forward));
    }

    /** Says that a message is taken in which has come back to this node. */
    private final class Taken extends Receipt {
        private final long number;

        Taken(Forward forward) {
            super(null, 0, forward.what().message().qos, forward.mayComeAgain());
            this.number = forward.number();
        }

        @Override
        public void onDone() {
            forwarded(number, !hasFailed());
        }
    }
}

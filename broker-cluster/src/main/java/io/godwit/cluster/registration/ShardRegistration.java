package io.godwit.cluster.registration;

import io.godwit.cluster.registration.RegistrationMessage.OfStandIn;
import io.godwit.cluster.registration.RegistrationMessage.ToEdge;
import io.godwit.cluster.registration.RegistrationMessage.ToLeader;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.auth.Security.SessionOwner;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The registrations of one shard: its connections ask by the placement, the client ids of its slots
 * are granted by the registry. All of it runs on the shard's thread.
 */
public final class ShardRegistration {
    private final RegistrationOutbox outbox;
    private final EdgePlacement placement;
    private final LeaderRegistry registry;
    private final LeaderRegistry standIn;

    ShardRegistration(
            NodeStart self,
            int shard,
            int shards,
            RegistrationTimes times,
            SessionOwner sessionOwner,
            ShardTurns turns,
            Leaders leaders,
            RemoteOpener opener,
            LocalClaims registrar,
            RegistrationAccount account,
            RegistrationOutbox.OwnShards ownShards) {
        outbox = new RegistrationOutbox(self, shard, shards, times, turns, ownShards, this::onAway);
        GrantedIds granted = new GrantedIds(account);
        DecidedWills decided = new DecidedWills();
        EdgeRegistrations registrations =
                new EdgeRegistrations(
                        self, shard, shards, leaders, outbox, account, granted, decided);
        placement =
                new EdgePlacement(
                        self,
                        shard,
                        shards,
                        times,
                        sessionOwner,
                        turns,
                        leaders,
                        opener,
                        outbox,
                        registrations);
        registry =
                new LeaderRegistry(
                        self, shard, shards, times, turns, leaders, registrar, outbox, account,
                        false, granted, decided);
        standIn =
                new LeaderRegistry(
                        self, shard, shards, times, turns, leaders, registrar, outbox, account,
                        true, granted, decided);
    }

    public EdgePlacement placement() {
        return placement;
    }

    public LeaderRegistry registry() {
        return registry;
    }

    /** Returns what grants in the place of leaders that are out of reach. */
    LeaderRegistry standIn() {
        return standIn;
    }

    /** Counts the bytes that wait for links, for the account of memory. */
    public long waitingBytes() {
        return outbox.waitingBytes();
    }

    /** Counts the bytes of CONNECTs that are remembered, for the account of memory. */
    public long connectBytes() {
        return registry.connectBytes() + standIn.connectBytes();
    }

    /**
     * Looks at what is to be done in time.
     *
     * @param passedMs since it was called last, while this process ran
     * @param hasEnded knows which servers have ended
     */
    public void onTick(long passedMs, IntPredicate hasEnded) {
        outbox.gone(passedMs, hasEnded).forEach(registry::onGone);
        placement.onTick(passedMs);
    }

    /**
     * Takes up changes of leaders, and whether this node acts for its slots. Each shard is told,
     * also at its start. Durable connections of slots that are lost are closed before.
     *
     * @param slots that may have changed
     */
    public void onLeadersChanged(BitSet slots) {
        registry.onLeadersChanged(slots);
        standIn.onLeadersChanged(slots);
        placement.onLeadersChanged(slots);
    }

    void onMessages(NodeStart from, List<RegistrationMessage> messages) {
        for (RegistrationMessage each : messages) {
            if (each instanceof OfStandIn of) {
                onMessage(from, of.message(), true);
            } else {
                onMessage(from, each, false);
            }
        }
    }

    private void onMessage(NodeStart from, RegistrationMessage message, boolean isOfStandIn) {
        switch (message) {
            case ToEdge m -> placement.onMessage(from, m, isOfStandIn);
            case ToLeader m -> (isOfStandIn ? standIn : registry).onMessage(from, m);
            case OfStandIn m -> throw new IllegalArgumentException("of a stand-in twice: " + m);
        }
    }

    // ---------------------------------------------------------------- links

    void onUp(PeerLink link, Resumed resumed) {
        NodeStart older = outbox.olderThan(link.peer());
        outbox.onUp(link, resumed); // First: slots that wait for the older start wait for this one.
        if (older != null) {
            onEnded(older);
        }
        placement.onHeard(link.peer());
    }

    void onDown(PeerLink link, List<Unconfirmed> mine) {
        outbox.onDown(link, mine);
    }

    void onSilent(NodeStart node) {
        outbox.onSilent(node);
    }

    void onHeard(NodeStart node) {
        outbox.onHeard(node);
        placement.onHeard(node);
    }

    private void onAway(NodeStart node) {
        registry.onAway(node);
        standIn.onAway(node);
    }

    private void onEnded(NodeStart node) {
        outbox.onEnded(node);
        registry.onEnded(node);
        standIn.onEnded(node);
        placement.onEnded(node);
    }

    /** Notes that a server does not belong to the cluster any more. */
    void onForgotten(int server) {
        NodeStart node = outbox.start(server);
        if (node != null) {
            onEnded(node);
        }
    }
}

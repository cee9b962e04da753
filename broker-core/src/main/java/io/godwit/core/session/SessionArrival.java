package io.godwit.core.session;

import io.godwit.core.ack.Taker;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.Subscribing;
import io.godwit.core.index.YoungerSubscriptions;
import io.godwit.core.message.CameBefore;
import io.godwit.core.message.KnownBefore;
import io.godwit.core.metrics.Metric;
import io.godwit.core.publish.Qos2Receipt;
import io.godwit.core.queue.Filling;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Recovery.KeptSubscription;
import io.godwit.core.store.SessionMoves;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A session that comes from another node, from its header: usable at once, its queue follows. */
public final class SessionArrival {
    /** Streams that had been seen, times filters: some 20 KB. */
    private static final int BEFORE_MAX = 2_000;

    private SessionArrival() {}

    /**
     * Makes the session, under a queue id of this node: an id that has been here before may still
     * be on its way out of the store.
     *
     * @param at of the shard that is to own it
     * @param from server id of its home until now
     * @param changes number of the grant for which it comes
     * @param stayed how it was here before
     * @param whenKept called when a restart would find it here, and messages are routed to it
     * @return null when this start has no more queue ids now
     */
    public static @Nullable Session make(
            SessionContext at,
            SessionHeader header,
            int from,
            long changes,
            Stay stayed,
            Runnable whenKept) {
        long queueId = at.ids().nextQueueId();
        if (queueId == 0) {
            return null;
        }
        Session session =
                new Session(
                        header.clientId(),
                        header.record().generation().clock(),
                        queueId,
                        at,
                        header.record().version(),
                        header.record().expirySeconds());
        SessionMoves.Filling filling =
                header.lastId() == 0
                        ? null
                        : new SessionMoves.Filling(
                                HybridId.NONE,
                                new HybridId(header.lastId(), HybridId.SERVER_MAX),
                                header.inFlightUpTo());
        SessionMoves before = header.record().moves();
        boolean wasHere = before.former().stream().anyMatch(each -> each.server() == at.serverId());
        SessionMoves moves =
                FormerOrder.of(before, new SessionMoves.Home(from, changes), at.serverId(), stayed);
        session.life().arrivedFrom(header.record(), moves.with(filling, null), changes);
        if (filling != null) {
            Filling.begin(session.queue(), null, filling);
            session.queue().rememberArrived(header.remembered());
        }
        List<Subscription> subscriptions = new ArrayList<>();
        YoungerSubscriptions younger = at.subscribing().younger();
        KnownBefore all = younger.arrived(!wasHere, null, from, at.serverId());
        int filters = header.subscriptions().size();
        for (KeptSubscription each : header.subscriptions()) {
            Subscription subscription =
                    Subscription.of(
                            session,
                            each.filter(),
                            each.qos(),
                            each.noLocal(),
                            each.retainAsPublished(),
                            each.ids(),
                            cameBefore(
                                    each,
                                    all,
                                    sent -> younger.arrived(!wasHere, sent, from, at.serverId()),
                                    filters));
            session.subscriptions().recovered(subscription);
            subscriptions.add(subscription);
        }
        session.comesTwice();
        session.tookBefore(header.taken());
        session.subscribedBefore(header.subscriptions());
        session.comesDirectly(moves);
        session.waitsWithCopy(FormerOrder.wasBehind(before, at.serverId()));
        at.sessions().add(session);
        header.received().forEach(each -> receive(at, session, each));
        at.shard().counters().increment(Metric.SESSIONS_ARRIVED);
        Subscribing.arrive(at.subscribing(), session, subscriptions, whenKept);
        return session;
    }

    /**
     * What came for none of its filters. It stands in the store with each: a session with many is
     * not to fill that.
     *
     * @param all what came for none at all
     */
    private static @Nullable KnownBefore cameBefore(
            KeptSubscription of,
            @Nullable KnownBefore all,
            Function<CameBefore, @Nullable KnownBefore> sent,
            int filters) {
        if (of.filter().isShared()) {
            return null;
        }
        KnownBefore before = of.before() == null ? all : sent.apply(of.before());
        CameBefore came = before == null ? null : before.came();
        return came != null && (long) came.size() * filters > BEFORE_MAX ? null : before;
    }

    /** A QoS 2 PUBLISH whose PUBREL has not come. */
    private static void receive(SessionContext at, Session session, SessionHeader.Received each) {
        Inbound inbound =
                new Inbound(
                        session.queueId(),
                        each.packetId(),
                        each.ingressServer(),
                        each.ingressCounter());
        session.store().putInbound(inbound);
        if (each.isTaken()) {
            session.store().inboundTaken(inbound);
        }
        Qos2Receipt receipt = session.recoverInbound(inbound);
        IngressId publish = new IngressId(each.ingressServer(), each.ingressCounter());
        Taker everyone = at.router().adopt(publish);
        if (everyone != null) {
            receipt.recovered(new Takers(publish.server(), publish.counter(), everyone));
        }
    }
}

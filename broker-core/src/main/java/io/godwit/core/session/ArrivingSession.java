package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.Subscriber;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.session.HeldMessages.Held;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.Recovery.KeptSubscription;
import io.godwit.core.store.SessionMoves;
import io.godwit.core.store.SessionMoves.Home;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a session that has come from another node: while its former home passes messages on,
 * each comes by two ways. See {@link Arrival}. A class of its own, and no object, since every
 * session has one.
 */
abstract class ArrivingSession extends Subscriber implements ArrivedTarget {
    /** Null when nothing comes round by a former home. */
    private @Nullable Arrival arrival;

    ArrivingSession(ClientId clientId, long generation, int owner, boolean durable) {
        super(clientId, generation, owner, durable);
    }

    /** From now on messages may come directly, and by its former home. */
    public void comesTwice() {
        arrival = new Arrival(subscriptions().all(), subscribing().load(), subscribing().shard());
    }

    /**
     * The same of a session that was kept; called at start.
     *
     * @param moves of which there are some
     */
    public void comesTwice(List<KeptSubscription> kept, SessionMoves moves) {
        comesTwice();
        Arrival known = Objects.requireNonNull(arrival);
        long came = moves.former().getLast().changes();
        for (KeptSubscription each : kept) {
            if (each.since() >= came) {
                known.ways.subscribedHere(each.filter());
            }
        }
        subscribedBefore(kept);
        comesDirectly(moves);
    }

    /** What it has taken where it was before, and may come to it here, too. */
    void tookBefore(List<IngressId> taken) {
        Arrival known = arrival;
        if (known != null) {
            taken.forEach(known::tookBefore);
        }
    }

    /** What it has taken since it came here, or before; empty when nothing comes round. */
    final Collection<IngressId> takenSinceItCame() {
        Arrival known = arrival;
        return known == null ? List.of() : known.taken();
    }

    /** Which filters it has only had since it was at one of its former homes. */
    void subscribedBefore(List<KeptSubscription> all) {
        Arrival known = arrival;
        if (known != null) {
            known.ways.subscribedBefore(all);
        }
    }

    /** Of those that it has subscribed to here, the number of this home's grant. */
    @Override
    protected final long since(TopicFilter filter) {
        Arrival known = arrival;
        return known == null || filter.isShared() ? 0 : known.ways.since(filter, homeChanges());
    }

    /**
     * For the filters that an earlier copy of it has had here they have come directly without a
     * break: that is their order, until {@link #directIsComplete}. Not for those that it has
     * subscribed to elsewhere since: of these the copy has passed on what nobody wanted there.
     *
     * @param moves of which the copy is known, if there is one
     */
    void comesDirectly(SessionMoves moves) {
        Arrival known = arrival;
        if (known != null && moves.stayed() != 0) {
            known.ways.directFirst(subscriptions().all(), moves);
        }
    }

    /** See {@link Arrival#waitsWithCopy()}. */
    void waitsWithCopy(boolean isBehind) {
        Arrival known = arrival;
        if (known != null && rules().holds(Rule.RETURN_WAITS)) {
            known.waitsWithCopy(isBehind);
        }
    }

    abstract SessionMoves moves();

    /**
     * The former homes by which comes what is older than what waits here, and has waited here
     * before; none when nothing does.
     */
    public List<Home> waitsFor() {
        Arrival known = arrival;
        return known == null || !known.waits() ? List.of() : moves().inOrder();
    }

    /** Whether what the copy that was here has passed on waits, too. */
    public boolean waitsWithCopy() {
        Arrival known = arrival;
        return known != null && known.waitsWithCopy();
    }

    /** See {@link SessionMoves#waited}: of this stay, before the session goes on. */
    public long waited() {
        Arrival known = arrival;
        if (known == null || !known.isFollowed() || !rules().holds(Rule.RETURN_WAITS)) {
            return 0;
        }
        return moves().stayed() == 0 ? homeChanges() : moves().waited();
    }

    /**
     * Takes out what waits in this copy and goes on waiting in the session that is back.
     *
     * @param both also what waits to come round; else what waits to come directly alone
     */
    public @Nullable StillWaiting stillWaiting(boolean both) {
        Arrival known = arrival;
        return known == null ? null : StillWaiting.of(known, owner(), both);
    }

    /** It goes on waiting in this session, which is back. */
    public void goesOnWaiting(StillWaiting what) {
        what.goOn(this, arrival, subscribing().shard());
    }

    /**
     * Whatever is older than what waits here, and has waited here before, has come round.
     *
     * @param isKnown else it is only not waited for any longer
     */
    public void roundIsComplete(boolean isKnown) {
        Arrival known = arrival;
        if (known == null || !known.waits()) {
            return;
        }
        List<Held> direct = known.roundIsComplete();
        List<Held> round = known.othersAreComplete();
        if (!isKnown && !(direct.isEmpty() && round.isEmpty())) {
            subscribing().shard().counters().increment(Metric.ORDER_GIVEN_UP);
        }
        ArrivedMessages.deliverLast(this, known, direct);
        ArrivedMessages.deliver(this, known, round);
    }

    /** No former home keeps anything: what has come round may still wait to come directly. */
    public void isOldest() {
        Arrival known = arrival;
        if (known == null) {
            return;
        }
        if (rules().holds(Rule.RETURN_WAITS)) {
            ArrivedMessages.deliverLater(this, known, known.isOldest());
            ArrivedMessages.deliver(this, known, known.othersAreComplete());
        } else {
            followsNoMore();
        }
    }

    /** It goes back to the home that has passed on to this one. */
    public void goesBack() {
        Arrival known = arrival;
        if (known == null) {
            return;
        }
        if (!rules().holds(Rule.RETURN_WAITS)) {
            followsNoMore();
        } else if (moves().waited() == 0 || FormerOrder.isByLast(moves())) {
            ArrivedMessages.deliverLater(this, known, known.goesBack());
        }
    }

    /** See {@link RecordedSession#homeChanges}. */
    abstract long homeChanges();

    /** Whatever was sent here before the session was back has come. */
    public void directIsComplete() {
        Arrival known = arrival;
        if (known != null) {
            ArrivedMessages.deliver(this, known, known.directIsComplete());
        }
    }

    /**
     * Its former homes pass nothing on any more. What they have may be on its way for a second
     * time, over a link that was silent for a while: {@link #comesNoMore} follows.
     */
    public void comesOnce() {
        Arrival known = arrival;
        if (known == null) {
            return;
        }
        ArrivedMessages.deliverLast(this, known, known.followsNoMore());
        if (!isAway()) {
            known.over();
        }
    }

    /** Nothing that they have passed on is on its way any more. */
    public void comesNoMore() {
        Arrival known = arrival;
        if (known == null || !known.isOver() || isAway()) {
            return;
        }
        arrival = null;
        known.leaveShard();
        known.toForget().forEach(id -> forgetIngress(id.server(), id.counter()));
    }

    /** Nothing of it is delivered any more. */
    final void dropArrival() {
        Arrival known = arrival;
        arrival = null;
        if (known != null) {
            ArrivedMessages.dropped(subscribing().shard(), known.end());
            known.leaveShard();
        }
    }

    /**
     * Keeps a publisher's last word on a message until nothing comes round any more: what a former
     * home passes on may come behind it.
     *
     * @return false when nothing comes round
     */
    final boolean forgetsLater(int ingressServer, long ingressCounter) {
        Arrival known = arrival;
        if (known != null) {
            known.forgetLater(ingressServer, ingressCounter);
        }
        return known != null;
    }

    /** What it does not forget yet although its publishers have said so. */
    final Set<IngressId> toForget() {
        Arrival known = arrival;
        return known == null ? Set.of() : known.toForget();
    }

    /** What comes directly does not wait to come round, too. */
    public void followsNoMore() {
        Arrival known = arrival;
        if (known != null) {
            ArrivedMessages.deliverLater(this, known, known.followsNoMore());
        }
    }

    @Override
    protected void unsubscribed(TopicFilter filter) {
        Arrival known = arrival;
        if (known != null) {
            ArrivedMessages.deliverIfWanted(this, known, known.unsubscribed(filter));
        }
    }

    @Override
    protected void qosRaised(TopicFilter filter) {
        Arrival known = arrival;
        if (known != null) {
            known.ways.directAlone(filter);
        }
    }

    /**
     * Delivers what a former home has passed on.
     *
     * @param changes number of the grant for which that one has given it
     */
    public void deliverRound(
            long changes,
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt) {
        Arrival known = arrival;
        if (known == null) {
            deliverNow(message, qos, retain, ids, receipt);
        } else {
            ArrivedMessages.round(this, known, changes, message, qos, retain, ids, receipt);
        }
    }

    /** Delivers what went after it when it was elsewhere, and has come back to this node itself. */
    public void deliverBack(
            Message message, int qos, boolean retain, int[] ids, @Nullable Receipt receipt) {
        Arrival known = arrival;
        if (known == null) {
            deliverNow(message, qos, retain, ids, receipt);
        } else {
            ArrivedMessages.back(this, known, message, qos, retain, ids, receipt);
        }
    }

    @Override
    public Rules rules() {
        return subscribing().shard().rules();
    }

    @Override
    public boolean wants(Topic topic) {
        return subscriptions().all().stream()
                .anyMatch(each -> !each.filter.isShared() && each.filter.matches(topic));
    }

    @Override
    public final void deliver(
            Message message, int qos, boolean retain, int[] ids, @Nullable Receipt receipt) {
        Arrival known = arrival;
        if (known == null
                || !ArrivedMessages.direct(this, known, message, qos, retain, ids, receipt)) {
            deliver(message, qos, retain, ids, receipt, null);
        }
    }

    @Override
    public final void deliverNow(
            Message message, int qos, boolean retain, int[] ids, @Nullable Receipt receipt) {
        deliver(message, qos, retain, ids, receipt, null);
    }

    /**
     * Delivers at once.
     *
     * @param source the entry of the shared group that the message comes from; null for none
     */
    abstract void deliver(
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt,
            @Nullable PartEntry source);

    /** A page of its queue has come from its former home. */
    final void paged(CopyPage page) {
        Arrival known = arrival;
        if (known != null) {
            ArrivedMessages.paged(this, known, page);
        }
    }

    final void arrivalLeaves() {
        Arrival known = arrival;
        if (known != null) {
            known.leaveShard();
        }
    }

    /** What waits is on the session's new shard. */
    final void arrivalArrives() {
        Arrival known = arrival;
        if (known != null) {
            known.arrive(subscribing().load(), subscribing().shard());
        }
    }

    /** It is at home here again. */
    final void comesBack() {
        Arrival known = arrival;
        if (known != null) {
            known.comesBack();
        }
    }
}

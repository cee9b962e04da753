package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.Subscriber;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.Recovery.KeptSubscription;
import io.godwit.core.store.SessionMoves;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
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
        arrival =
                new Arrival(
                        new ArrivedFilters(subscriptions().all()),
                        new ArrivedFilters(subscriptions().all()),
                        subscribing().load(),
                        subscribing().shard());
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
                known.subscribedHere(each.filter());
            }
        }
        subscribedBefore(kept);
        comesDirectly(moves.stayed());
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
            known.subscribedBefore(all);
        }
    }

    /** Of those that it has subscribed to here, the number of this home's grant. */
    @Override
    protected final long since(TopicFilter filter) {
        Arrival known = arrival;
        return known == null || filter.isShared() ? 0 : known.since(filter, homeChanges());
    }

    /**
     * For the filters that an earlier copy of it has had here they have come directly without a
     * break: that is their order, until {@link #directIsComplete}. Not for those that it has
     * subscribed to elsewhere since: of these the copy has passed on what nobody wanted there.
     *
     * @param stayed number of the grant for which the copy was given; 0 = there is none
     */
    void comesDirectly(long stayed) {
        Arrival known = arrival;
        if (known != null && stayed != 0) {
            known.directFirst(subscriptions().all(), stayed);
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
            known.directAlone(List.of(filter));
        }
    }

    /** Delivers what its former home has passed on. */
    public void deliverRound(
            Message message, int qos, boolean retain, int[] ids, @Nullable Receipt receipt) {
        Arrival known = arrival;
        if (known == null) {
            deliverNow(message, qos, retain, ids, receipt);
        } else {
            ArrivedMessages.round(this, known, message, qos, retain, ids, receipt);
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

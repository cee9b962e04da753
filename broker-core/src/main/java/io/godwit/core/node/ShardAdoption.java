package io.godwit.core.node;

import io.godwit.core.ack.EveryNode;
import io.godwit.core.ack.Taker;
import io.godwit.core.ack.Takers;
import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.publish.Qos2Receipt;
import io.godwit.core.routing.Subscription;
import io.godwit.core.session.Session;
import io.godwit.core.shard.SliceBudget;
import io.godwit.core.store.CopyStore.Adoptable;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.time.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes up those sessions of an {@link Adoption} that belong to one shard, in two steps: first what
 * they have, then, when their subscriptions are in the index, their client ids and what is due. On
 * the shard's thread, but for what the store tells.
 */
final class ShardAdoption {
    /** Queues of one commit. */
    static final int BATCH = 200;

    /** Sessions of one slice. */
    static final int SLICE = 100;

    /** After so long a client id with a claim under way is looked at again. */
    private static final long CLAIMED_MS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(ShardAdoption.class);

    /** Takes what this shard has of the adoption, on the shard that owns the topic index. */
    interface Listener {
        /** Takes what follows from some sessions that were taken up. */
        void onTakenUp(TakenUp some);

        /** Notes that all sessions were taken up. */
        void onAllTakenUp();

        /** Notes that all sessions wait for their clients. */
        void onDone(int sessions);
    }

    /** What follows from sessions that were taken up, for the shard that owns the topic index. */
    static final class TakenUp {
        final List<Subscription> subscriptions = new ArrayList<>();

        /** By ingress id, the queues that remember the message. */
        final Map<IngressId, Takers> remembered = new LinkedHashMap<>();

        /** Ingress ids of QoS 2 messages and Wills that these sessions may publish again. */
        final Set<IngressId> publishes = new LinkedHashSet<>();

        private void remember(List<KeptIngress> all, Taker taker) {
            for (KeptIngress each : all) {
                IngressId id = each.ingress();
                Takers known = remembered.get(id);
                if (known == null) {
                    remembered.put(id, new Takers(id.server(), id.counter(), taker));
                } else {
                    known.add(taker);
                }
            }
        }
    }

    /** A session that was taken up and does not wait for its client yet. */
    private record Waiting(Session session, boolean owesWills) {}

    private final BrokerShard shard;

    /** Owns the topic index. */
    private final BrokerShard owner;

    private final List<Adoptable> queues;
    private final Epoch epoch;
    private final Listener listener;
    private final KeptSessions kept = new KeptSessions();
    private final ArrayDeque<Recovery.KeptSession> told = new ArrayDeque<>();
    private final ArrayDeque<Waiting> takenUp = new ArrayDeque<>();

    /** Those whose client id has a claim under way. */
    private final ArrayDeque<Waiting> claimed = new ArrayDeque<>(0);

    private int next;
    private int sessions;

    /** Sessions of this node with the same client ids that began before, and those later. */
    private int older;

    private int younger;

    /**
     * @param owner of the topic index
     * @param queues of sessions whose slots belong to the shard
     * @param epoch under which this node leads them
     */
    ShardAdoption(
            BrokerShard shard,
            BrokerShard owner,
            List<Adoptable> queues,
            Epoch epoch,
            Listener listener) {
        this.shard = shard;
        this.owner = owner;
        this.queues = queues;
        this.epoch = epoch;
        this.listener = listener;
    }

    /** Adopts the queues of the next commit, until there are none. */
    void adoptNext() {
        if (next == queues.size()) {
            owner.execute(listener::onAllTakenUp);
            return;
        }
        int end = Math.min(queues.size(), next + BATCH);
        Told batch = new Told();
        for (Adoptable each : queues.subList(next, end)) {
            if (each.predecessorId() != 0) {
                batch.left++;
            }
            batch.left++;
        }
        for (Adoptable each : queues.subList(next, end)) {
            if (each.predecessorId() != 0) {
                shard.store().adopt(each.predecessorId(), epoch, batch);
            }
            shard.store().adopt(each.queueId(), epoch, batch);
        }
        next = end;
    }

    /** What the store tells of the queues of one commit, on its thread. */
    private final class Told implements Recovery {
        private final List<KeptSession> all = new ArrayList<>(BATCH);
        private int left;

        @Override
        public void session(KeptSession session) {
            all.add(session);
        }

        @Override
        public void adopted(long queueId) {
            if (--left == 0) {
                shard.execute(() -> onTold(all));
            }
        }

        @Override
        public void group(TopicFilter filter, Recovery.KeptGroupPart part) {}

        @Override
        public void retained(Message message, HybridId stamp) {}
    }

    private void onTold(List<Recovery.KeptSession> all) {
        told.addAll(all);
        shard.slice(this::takeUpSome);
    }

    private boolean takeUpSome() {
        TakenUp some = new TakenUp();
        SliceBudget budget = new SliceBudget(shard.node().time(), SLICE);
        boolean goesOn = !told.isEmpty();
        while (goesOn) {
            takeUp(told.remove(), some);
            goesOn = budget.spend() && !told.isEmpty();
        }
        owner.execute(() -> listener.onTakenUp(some));
        if (!told.isEmpty()) {
            return false;
        }
        adoptNext();
        return true;
    }

    private void takeUp(Recovery.KeptSession of, TakenUp to) {
        SessionRecord record = of.record();
        if (record.isAside()) {
            shard.counters().increment(Metric.SESSIONS_SET_ASIDE);
            return;
        }
        Session session = kept.create(of, shard);
        boolean owesWills;
        if (record.expirySeconds() == 0) {
            owesWills = KeptSessions.recoverWills(session, of);
            session.life().recoveredEnded(record, shard.sureMs());
        } else {
            // What had come before them came by streams to the former leader.
            of.subscriptions()
                    .forEach(each -> to.subscriptions.add(kept.subscribe(session, each, null)));
            takeUpQueue(session, of, to);
            shard.sessions().add(session);
            session.life().takeUp(record, shard.sureMs());
            owesWills = KeptSessions.recoverWills(session, of);
        }
        takeUpPublishes(session, of, to);
        takenUp.add(new Waiting(session, owesWills));
        sessions++;
    }

    private static void takeUpQueue(Session session, Recovery.KeptSession of, TakenUp to) {
        Recovery.KeptPredecessor predecessor = of.predecessor();
        session.recoverQueue(of.queue(), of.remembered(), predecessor);
        to.remember(of.remembered(), session);
        if (predecessor != null) {
            to.remember(predecessor.remembered(), session);
        }
    }

    /** Whoever remembers one of its publishes is told by way of every node when it is over. */
    private void takeUpPublishes(Session session, Recovery.KeptSession of, TakenUp to) {
        EveryNode others = shard.node().cluster().others();
        KeptSessions.recoverInbound(
                session, of, (id, receipt) -> publishes(id, receipt, others, to));
        for (IngressId id : session.life().willsThatMayBeRemembered()) {
            to.publishes.add(id);
            if (others != null) {
                session.life().willTakenBy(id, new Takers(id.server(), id.counter(), others));
            }
        }
    }

    private static void publishes(
            IngressId id, Qos2Receipt receipt, @Nullable EveryNode others, TakenUp to) {
        to.publishes.add(id);
        if (others != null) {
            receipt.recovered(new Takers(id.server(), id.counter(), others));
        }
    }

    // ---------------------------------------------------------------- client ids

    /** Has the sessions wait for their clients: their subscriptions are in the index. */
    void goOn() {
        shard.slice(this::goOnWithSome);
    }

    private boolean goOnWithSome() {
        SliceBudget budget = new SliceBudget(shard.node().time(), SLICE);
        while (!takenUp.isEmpty()) {
            Waiting each = takenUp.remove();
            if (shard.registrar().isClaimed(each.session.clientId())) {
                claimed.add(each);
            } else {
                goOn(each);
            }
            if (!budget.spend() && !takenUp.isEmpty()) {
                return false;
            }
        }
        if (claimed.isEmpty()) {
            logOthers();
            owner.execute(() -> listener.onDone(sessions));
        } else {
            takenUp.addAll(claimed);
            claimed.clear();
            shard.timers().arm(Timer.of(nowMs -> goOn()), shard.nowMs() + CLAIMED_MS);
        }
        return true;
    }

    private void goOn(Waiting of) {
        Session session = of.session;
        if (session.isEnded()) {
            KeptSessions.publishWillsAgain(session, shard);
            return;
        }
        Session other = shard.registrar().find(session.clientId());
        if (other != null && session.life().isOlderThan(other.generation())) {
            giveWay(session, other);
            return;
        }
        if (other != null) {
            older++;
            shard.takeover().setAside(other);
        }
        shard.registrar().recovered(session);
        long offlineMs = session.life().goOn(shard.sureMs());
        if (of.owesWills) {
            KeptSessions.publishWillsAgain(session, shard);
        }
        if (session.life().isDue(offlineMs)) {
            KeptSessions.catchUp(session, shard);
        }
    }

    /**
     * Takes back a session whose client has connected here later: as its leader would have done, it
     * ends when the other one began with Clean Start and is not durable.
     */
    private void giveWay(Session session, Session other) {
        younger++;
        if (other.isDurable()) {
            session.life().setAside();
        } else {
            session.life().end(false);
        }
    }

    private void logOthers() {
        if (older + younger > 0) {
            LOG.warn(
                    "This node had sessions of adopted client ids: {} that began earlier, and are set"
                            + " aside or ended, and {} that began later, and count instead",
                    older,
                    younger);
        }
    }
}

package io.godwit.core.node;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.IndexOwner;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.publish.Qos2Receipt;
import io.godwit.core.routing.RetainedStore;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.session.OwedWill;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionHeader;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.Recovery.KeptGroupPart;
import io.godwit.core.store.SessionMoves;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.takeover.Registrar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes up everything that was kept, on one thread, before the shards run. Each session waits with
 * the shard of its registrar until its client comes. What has to be sent or published follows from
 * here, on the shards' own threads.
 */
public final class Restart implements Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Restart.class);

    /** The most filters that are looked up, so that sessions with the same one share it. */
    private static final int SHARED_FILTERS_MAX = 100_000;

    private final BrokerShard[] shards;
    private final long sureMs;
    private final Map<TopicFilter, TopicFilter> filters = new HashMap<>();
    private final RestartedIngress ingress;
    private final RestartedGroups groups;
    private final List<List<Session>> due = new ArrayList<>();

    /**
     * Sessions that were given to other nodes: whether one of them has come back since is known
     * when all were told of.
     */
    private final Map<ClientId, List<KeptSession>> given = new LinkedHashMap<>();

    private int sessions;
    private int retained;

    private Restart(NodeContext node, BrokerShard[] shards) {
        this.shards = shards;
        this.sureMs = node.time().sureMs();
        this.ingress = new RestartedIngress(shards, node.serverId(), node.cluster());
        this.groups = new RestartedGroups(shards, sureMs, ingress, node.cluster().others() != null);
        for (int i = 0; i < shards.length; i++) {
            due.add(new ArrayList<>());
        }
    }

    /** Reads the whole store. */
    public static void run(NodeContext context, BrokerShard[] shards) {
        Restart restart = new Restart(context, shards);
        context.store().recover(restart);
        restart.end();
        context.load().onRecovered();
    }

    private void end() {
        given.values().forEach(this::takeUpGiven);
        groups.end();
        ingress.end();
        for (int i = 0; i < shards.length; i++) {
            BrokerShard shard = shards[i];
            // An empty list, too: what was told to the store here goes out with this turn.
            shard.execute(new Due(shard, due.get(i))::begin);
        }
        RetainedStore kept = shards[TopicIndex.OWNER].indexOwner().retained();
        if (kept.isAboveLimits()) {
            LOG.warn(
                    "{} retained messages with {} bytes exceed limits.retained-messages or"
                            + " limits.retained-bytes. All are kept, but messages for new topics are not"
                            + " retained until there are fewer",
                    kept.size(),
                    kept.bytes());
        }
        if (sessions > 0 || retained > 0) {
            LOG.info("Restored {} sessions and {} retained messages", sessions, retained);
        }
    }

    @Override
    public void group(TopicFilter filter, KeptGroupPart part) {
        groups.add(filter, part);
    }

    @Override
    public void session(KeptSession kept) {
        SessionMoves.Given to = kept.record().moves().given();
        if (to == null || SessionMoves.Given.ASIDE.equals(to)) {
            takeUp(kept);
        } else {
            given.computeIfAbsent(kept.clientId(), id -> new ArrayList<>(1)).add(kept);
        }
    }

    /**
     * A session that has come back to this node may have an earlier copy here, which it was to drop
     * when it had arrived: all of that has come with it.
     */
    private void takeUpGiven(List<KeptSession> copies) {
        ClientId clientId = copies.getFirst().clientId();
        Session here =
                shards[Registrar.shardOf(clientId, shards.length)].registrar().find(clientId);
        for (KeptSession each : copies) {
            boolean isOfHere =
                    here != null && here.key().generation().equals(each.record().generation());
            long back = here != null && isOfHere ? here.life().homeChanges() : 0;
            boolean isEarlier =
                    back > changes(each)
                            || copies.stream()
                                    .anyMatch(other ->
                                            isSame(other, each) && changes(other) > changes(each));
            takeUp(isEarlier ? ended(each) : each);
        }
    }

    private static boolean isSame(KeptSession a, KeptSession b) {
        return a.record().generation().equals(b.record().generation());
    }

    /** Number of the grant for which it was given. */
    private static long changes(KeptSession copy) {
        SessionMoves.Given to = copy.record().moves().given();
        return to == null ? 0 : to.changes();
    }

    /** Nothing is left of it but the wills that it owes. */
    private static KeptSession ended(KeptSession copy) {
        SessionRecord of = copy.record();
        SessionRecord record =
                new SessionRecord(
                        of.queueId(),
                        of.generation(),
                        of.stamp(),
                        of.epoch(),
                        of.version(),
                        0,
                        of.disconnectedAtMs(),
                        null,
                        of.owedWills(),
                        SessionMoves.NONE);
        return new KeptSession(
                copy.clientId(), record, List.of(), copy.inbound(), null, List.of(), null);
    }

    private void takeUp(KeptSession kept) {
        int at = Registrar.shardOf(kept.clientId(), shards.length);
        BrokerShard shard = shards[at];
        SessionRecord record = kept.record();
        Session session =
                new Session(
                        kept.clientId(),
                        record.generation().clock(),
                        record.queueId(),
                        shard.sessionContext(),
                        record.version(),
                        record.expirySeconds());
        if (record.expirySeconds() == 0) {
            recoverWills(session, kept, shard);
            session.life().recoveredEnded(record, sureMs);
            ingress.owed(session);
            shard.takeover().moves().kept().recoveredEnded(session);
            return;
        }
        SessionMoves.Given to = record.moves().given();
        if (SessionMoves.Given.ASIDE.equals(to)) {
            // Kept for its operator, and nobody's; but former homes need not keep it, too.
            shard.takeover().moves().kept().recoveredAside(kept.clientId(), record.moves());
            return;
        }
        for (KeptSubscription subscription : kept.subscriptions()) {
            subscribe(session, subscription, to == null);
        }
        KeptPredecessor predecessor = kept.predecessor();
        session.recoverQueue(
                kept.queue(),
                to == null ? groups.inFlightTo(session) : 0,
                kept.remembered(),
                predecessor,
                record.moves().filling());
        ingress.add(session, kept.remembered());
        if (predecessor != null) {
            ingress.add(session, predecessor.remembered());
        }
        shard.sessions().add(session);
        if (to != null) {
            session.life().recoveredAway(record, sureMs);
            shard.takeover().moves().kept().recoveredGiven(session, to, SessionHeader.of(kept));
            recoverWills(session, kept, shard);
            ingress.owed(session);
            recoverInbound(session, kept, ingress::given);
            return;
        }
        shard.registrar().recovered(session);
        sessions++;
        long offlineMs = session.life().recovered(record, sureMs);
        recoverWills(session, kept, shard);
        ingress.owed(session);
        recoverInbound(session, kept, ingress::published);
        if (session.life().isDue(offlineMs)) {
            due.get(at).add(session);
        }
        shard.takeover().moves().kept().recovered(session, kept.subscriptions());
    }

    private static void recoverInbound(
            Session session, KeptSession kept, BiConsumer<IngressId, Qos2Receipt> told) {
        for (Inbound inbound : kept.inbound()) {
            if (inbound.packetId != OwedWill.PACKET_ID) {
                IngressId id = new IngressId(inbound.ingressServer, inbound.ingressCounter);
                told.accept(id, session.recoverInbound(inbound));
            }
        }
    }

    private static void recoverWills(Session session, KeptSession kept, BrokerShard shard) {
        boolean owes = kept.record().expirySeconds() == 0 || !kept.record().owedWills().isEmpty();
        for (Inbound inbound : kept.inbound()) {
            if (inbound.packetId == OwedWill.PACKET_ID) {
                session.life().recoverWill(inbound);
                owes = true;
            }
        }
        if (owes) {
            shard.execute(() -> {
                if (session.owner() == shard.index()) {
                    session.life().publishWillAgain(); // Else its client was quicker.
                }
            });
        }
    }

    /**
     * @param joins false for a session of another node: groups here go on without it
     */
    private void subscribe(Session session, KeptSubscription kept, boolean joins) {
        Subscription subscription =
                Subscription.of(
                        session,
                        shared(kept.filter()),
                        kept.qos(),
                        kept.noLocal(),
                        kept.retainAsPublished(),
                        kept.ids(),
                        session.subscribing().younger().recovered(kept.before()));
        session.subscriptions().recovered(subscription);
        if (!joins && subscription.filter.isShared()) {
            session.subscriptions().recoveredWithoutGroups();
            return;
        }
        IndexOwner index = shards[TopicIndex.OWNER].indexOwner();
        if (subscription.filter.isShared()) {
            groups.join(index, session, subscription);
        } else {
            index.add(subscription);
        }
    }

    private TopicFilter shared(TopicFilter filter) {
        TopicFilter known = filters.get(filter);
        if (known != null) {
            return known;
        }
        if (filters.size() < SHARED_FILTERS_MAX) {
            filters.put(filter, filter);
        }
        return filter;
    }

    @Override
    public void retainedIngress(List<KeptIngress> remembered) {
        IndexOwner owner = shards[TopicIndex.OWNER].indexOwner();
        owner.ingress().recovered(remembered);
        ingress.add(owner.ingress(), remembered);
    }

    @Override
    public void retained(Message message, HybridId stamp) {
        BrokerShard shard = shards[TopicIndex.OWNER];
        shard.indexOwner().recovered(message, stamp, sureMs);
        retained++;
    }

    @Override
    public void retainedGone(Topic topic, HybridId stamp) {
        shards[TopicIndex.OWNER].indexOwner().recoveredDeletion(topic, stamp);
    }

    /** Does what came due while the broker was down, slice by slice on the shard's thread. */
    private static final class Due {
        private static final int SLICE = 200;

        private final BrokerShard shard;
        private final List<Session> sessions;
        private int next;

        Due(BrokerShard shard, List<Session> sessions) {
            this.shard = shard;
            this.sessions = sessions;
        }

        void begin() {
            if (!sessions.isEmpty()) {
                shard.slice(this::slice);
            }
        }

        private boolean slice() {
            int end = Math.min(sessions.size(), next + SLICE);
            while (next < end) {
                Session session = sessions.get(next++);
                if (session.owner() == shard.index()) {
                    session.life().catchUp(); // Else its client was quicker.
                }
            }
            return next == sessions.size();
        }
    }
}

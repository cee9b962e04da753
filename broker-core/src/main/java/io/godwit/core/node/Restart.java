package io.godwit.core.node;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.IndexOwner;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.RetainedStore;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.session.OwedWill;
import io.godwit.core.session.Session;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.Recovery.KeptGroupPart;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.takeover.Registrar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    private int sessions;
    private int aside;
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
        if (aside > 0) {
            LOG.warn(
                    "{} sessions in the data folder are set aside and not served. To look at them,"
                            + " stop the broker and run: godwit store export",
                    aside);
        }
    }

    @Override
    public void group(TopicFilter filter, KeptGroupPart part) {
        groups.add(filter, part);
    }

    @Override
    public void stream(int server, long start, long position) {
        shards[0].node().cluster().applied(server, start, position);
    }

    @Override
    public void session(KeptSession kept) {
        SessionRecord record = kept.record();
        if (record.isAside()) {
            int at = Registrar.shardOf(kept.clientId(), shards.length);
            shards[at].counters().increment(Metric.SESSIONS_SET_ASIDE);
            aside++; // Kept for its operator, and nobody's.
            return;
        }
        takeUp(kept);
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
            return;
        }
        for (KeptSubscription subscription : kept.subscriptions()) {
            subscribe(session, subscription);
        }
        KeptPredecessor predecessor = kept.predecessor();
        session.recoverQueue(
                kept.queue(), groups.inFlightTo(session), kept.remembered(), predecessor);
        ingress.add(session, kept.remembered());
        if (predecessor != null) {
            ingress.add(session, predecessor.remembered());
        }
        shard.sessions().add(session);
        shard.registrar().recovered(session);
        sessions++;
        long offlineMs = session.life().recovered(record, sureMs);
        recoverWills(session, kept, shard);
        ingress.owed(session);
        recoverInbound(session, kept);
        if (session.life().isDue(offlineMs)) {
            due.get(at).add(session);
        }
    }

    private void recoverInbound(Session session, KeptSession kept) {
        for (Inbound inbound : kept.inbound()) {
            if (inbound.packetId != OwedWill.PACKET_ID) {
                IngressId id = new IngressId(inbound.ingressServer, inbound.ingressCounter);
                ingress.published(id, session.recoverInbound(inbound));
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

    private void subscribe(Session session, KeptSubscription kept) {
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

package io.godwit.core.node;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.index.IndexOwner;
import io.godwit.core.message.KnownBefore;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.RetainedStore;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.session.Session;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.Recovery.KeptGroupPart;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.store.ShardStore;
import io.godwit.core.takeover.Registrar;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes up everything that was kept, on one thread, before the shards run. Each session waits with
 * the shard of its registrar until its client comes. What has to be sent or published follows from
 * here, on the shards' own threads.
 */
public final class Restart implements Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Restart.class);

    private final BrokerShard[] shards;
    private final Cluster cluster;
    private final long sureMs;
    private final KeptSessions kept = new KeptSessions();
    private final RestartedIngress ingress;
    private final RestartedGroups groups;
    private final List<List<Session>> due = new ArrayList<>();

    private int sessions;
    private int aside;
    private int yielded;
    private int retained;

    private Restart(NodeContext node, BrokerShard[] shards) {
        this.shards = shards;
        this.cluster = node.cluster();
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
        if (yielded > 0) {
            LOG.info(
                    "{} sessions are copies from now on: other nodes have taken over their slots",
                    yielded);
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
    public void session(KeptSession of) {
        if (of.record().isAside()) {
            int at = Registrar.shardOf(of.clientId(), shards.length);
            shards[at].counters().increment(Metric.SESSIONS_SET_ASIDE);
            aside++; // Kept for its operator, and nobody's.
            return;
        }
        Epoch leader = cluster.newerLeader(of.clientId().slot());
        if (leader != null && of.record().expirySeconds() > 0) {
            yieldTo(leader, of);
        } else {
            takeUp(of);
        }
    }

    /** The start before has ended before it did so, or could. */
    private void yieldTo(Epoch leader, KeptSession of) {
        ShardStore store = shards[Registrar.shardOf(of.clientId(), shards.length)].store();
        KeptPredecessor before = of.predecessor();
        if (before != null) {
            store.yieldTo(before.queue().queueId(), leader);
        }
        store.yieldTo(of.record().queueId(), leader);
        yielded++;
    }

    private void takeUp(KeptSession of) {
        int at = Registrar.shardOf(of.clientId(), shards.length);
        BrokerShard shard = shards[at];
        SessionRecord record = of.record();
        Session session = kept.create(of, shard);
        if (record.expirySeconds() == 0) {
            recoverWills(session, of, shard);
            session.life().recoveredEnded(record, sureMs);
            ingress.owed(session);
            return;
        }
        for (KeptSubscription subscription : of.subscriptions()) {
            subscribe(session, subscription);
        }
        KeptPredecessor predecessor = of.predecessor();
        session.recoverQueue(of.queue(), of.remembered(), predecessor);
        ingress.add(session, of.remembered());
        if (predecessor != null) {
            ingress.add(session, predecessor.remembered());
        }
        shard.sessions().add(session);
        shard.registrar().recovered(session);
        sessions++;
        long offlineMs = session.life().recovered(record, sureMs);
        recoverWills(session, of, shard);
        ingress.owed(session);
        KeptSessions.recoverInbound(session, of, ingress::published);
        if (session.life().isDue(offlineMs)) {
            due.get(at).add(session);
        }
    }

    private static void recoverWills(Session session, KeptSession of, BrokerShard shard) {
        if (KeptSessions.recoverWills(session, of)) {
            shard.execute(() -> KeptSessions.publishWillsAgain(session, shard));
        }
    }

    private void subscribe(Session session, KeptSubscription of) {
        KnownBefore before = session.subscribing().younger().recovered(of.before());
        Subscription subscription = kept.subscribe(session, of, before);
        IndexOwner index = shards[TopicIndex.OWNER].indexOwner();
        if (subscription.filter.isShared()) {
            groups.join(index, session, subscription);
        } else {
            index.add(subscription);
        }
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
                KeptSessions.catchUp(sessions.get(next++), shard);
            }
            return next == sessions.size();
        }
    }
}

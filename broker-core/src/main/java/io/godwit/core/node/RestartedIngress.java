package io.godwit.core.node;

import io.godwit.core.ack.Taker;
import io.godwit.core.ack.Takers;
import io.godwit.core.group.SharedGroup;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.publish.Qos2Receipt;
import io.godwit.core.session.NodeGroups;
import io.godwit.core.session.Session;
import io.godwit.core.store.KeptIngress;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Connects the QoS 2 messages that queues remember from an earlier start with their publishers: one
 * that a publisher of this node has not released yet is told to it, so that its PUBREL reaches
 * these queues. One that nobody can send again is forgotten: its publisher was transient, or its
 * PUBREL was the last thing that was heard of it. In a cluster another node may have inherited it
 * with an imported store, so that this is known when all nodes have told what they have. What came
 * in through another node is that node's to release. Without a cluster an entry that a group has
 * handed over is one of this store's, though its server id may have been another one then.
 */
final class RestartedIngress {
    private final BrokerShard[] shards;
    private final int serverId;
    private final Cluster cluster;
    private final NodeGroups groups;
    private final Map<IngressId, Takers> takers = new LinkedHashMap<>();

    /** By ingress id, the publisher that may send the message again. */
    private final Map<IngressId, Publisher> publishers = new LinkedHashMap<>();

    /** Holds ids of entries that shared groups pass on to other nodes, or hand over to sessions. */
    private final Set<IngressId> passedOn = new LinkedHashSet<>(0);

    private interface Publisher {
        void takenBy(Takers takers);
    }

    RestartedIngress(BrokerShard[] shards, int serverId, Cluster cluster) {
        this.shards = shards;
        this.cluster = cluster;
        this.serverId = serverId;
        groups = new NodeGroups(shards[0], shards[0].node().groups());
    }

    void add(Taker taker, List<KeptIngress> remembered) {
        remembered.forEach(each -> add(each.ingress(), taker));
    }

    void add(SharedGroup group, List<KeptIngress> remembered) {
        if (!remembered.isEmpty()) {
            Taker taker = groups.taker(group);
            remembered.forEach(each -> add(each.ingress(), taker));
        }
    }

    private void add(IngressId id, Taker taker) {
        Takers known = takers.get(id);
        if (known == null) {
            takers.put(id, new Takers(id.server(), id.counter(), taker));
        } else {
            known.add(taker);
        }
    }

    /** Notes a PUBLISH that had no PUBREL yet. */
    void published(IngressId id, Qos2Receipt receipt) {
        publishers.put(id, receipt::recovered);
    }

    /**
     * Notes an entry of a shared group that was to go to another node, or to a session: the group
     * says when it is over.
     */
    void passedOn(HybridId entry) {
        passedOn.add(shards[0].ids().passedOn(entry));
    }

    /** Notes the wills of a session that not every target has taken in. */
    void owed(Session session) {
        for (IngressId id : session.life().willsThatMayBeRemembered()) {
            publishers.put(id, all -> session.life().willTakenBy(id, all));
        }
    }

    /** Ends the restart: connects queues and publishers, now that everything was told of. */
    void end() {
        BrokerShard shard = shards[0];
        cluster.mayBeSentAgain(publishers.keySet());
        cluster.mayBeSentAgain(passedOn);
        Taker others = cluster.others();
        if (others != null) {
            publishers.keySet().forEach(id -> add(id, others));
        }
        takers.forEach((id, all) -> {
            Publisher publisher = publishers.get(id);
            if (publisher != null) {
                publisher.takenBy(all);
            } else if (others == null && (id.server() == serverId || id.isOfEntry())) {
                if (!passedOn.contains(id)) {
                    shard.execute(() -> all.forget(shard));
                }
            } else {
                cluster.remembered(id, all);
            }
        });
    }
}

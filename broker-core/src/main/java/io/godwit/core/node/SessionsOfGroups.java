package io.godwit.core.node;

import io.godwit.core.ack.EveryNode;
import io.godwit.core.ack.Takers;
import io.godwit.core.group.HandOverAnswer;
import io.godwit.core.id.IngressId;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.session.HandOverAsk;
import io.godwit.core.session.HandOverQuestions;
import io.godwit.core.session.NodeGroups;
import io.godwit.core.session.Session;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.Receiver;
import io.godwit.core.takeover.Registrar;

/**
 * Finds the sessions that shared groups were handing entries over to: here, where this node acts
 * for their slots, or by way of the cluster.
 */
final class SessionsOfGroups implements HandOverQuestions {
    private final BrokerShard[] shards;
    private final Cluster cluster;

    SessionsOfGroups(BrokerShard[] shards, Cluster cluster) {
        this.shards = shards;
        this.cluster = cluster;
    }

    @Override
    public void ask(TopicFilter group, Receiver to, IngressId id, HandOverAsk.Taker taker) {
        if (cluster.actsFor(to.clientId().slot())) {
            askHere(group, to, id, taker);
        } else {
            cluster.askLeader(group, to, id, answer -> taker.answered(answer, null));
        }
    }

    /** Asks a session of this node. Any thread; see {@link #ask}. */
    void askHere(TopicFilter group, Receiver to, IngressId id, HandOverAsk.Taker taker) {
        ClientId clientId = to.clientId();
        if (!cluster.actsFor(clientId.slot())) {
            taker.answered(HandOverAnswer.UNKNOWN, null);
            return;
        }
        BrokerShard registrar = shards[Registrar.shardOf(clientId, shards.length)];
        registrar.execute(() -> {
            Session session = registrar.registrar().find(clientId);
            if (session != null && session.key().equals(to.session())) {
                ask(group, session, id, taker);
            } else {
                // Sessions of a slot leave when this node has seen that it acts for it no more.
                boolean isGone = cluster.actsFor(clientId.slot());
                taker.answered(isGone ? HandOverAnswer.GONE : HandOverAnswer.UNKNOWN, null);
            }
        });
    }

    /** Goes by way of the group: behind what it has sent to the session. */
    private void ask(TopicFilter group, Session session, IngressId id, HandOverAsk.Taker taker) {
        BrokerShard at = shards[NodeGroups.shardOf(group, shards.length)];
        at.execute(() -> at.send(session.owner(), new HandOverAsk(session, id, taker)));
    }

    @Override
    public void over(Shard from, IngressId id) {
        EveryNode others = cluster.others();
        if (others != null) {
            new Takers(id.server(), id.counter(), others).forget(from);
        }
    }
}

package io.godwit.cluster.broker;

import io.godwit.core.id.Epoch;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.session.Session;
import io.godwit.core.shard.Sliced;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Makes sessions of one registrar copies of another node's, which has taken their slots over, in
 * slices. Those that are online on this shard come first, in one turn: their connections end when
 * the shard hears of the new leader, which comes behind. On the shard's thread.
 */
final class YieldedSessions implements Sliced {
    /** Sessions of one slice: about a millisecond. */
    static final int SLICE = 100;

    private final BrokerShard shard;
    private final List<Session> sessions;
    private final Epoch leader;
    private final ArrayDeque<Session> left = new ArrayDeque<>();
    private Runnable whenDone = () -> {};

    /**
     * @param leader epoch under which the other node leads the sessions' queues
     */
    YieldedSessions(BrokerShard shard, List<Session> sessions, Epoch leader) {
        this.shard = shard;
        this.sessions = sessions;
        this.leader = leader;
    }

    /**
     * @param then run when all are copies, perhaps at once
     */
    void begin(Runnable then) {
        whenDone = then;
        for (Session each : sessions) {
            if (each.owner() == shard.index() && each.isOnline()) {
                shard.takeover().yieldTo(each, leader);
            } else {
                left.add(each);
            }
        }
        if (left.isEmpty()) {
            then.run();
        } else {
            shard.slice(this);
        }
    }

    @Override
    public boolean slice() {
        for (int i = 0; i < SLICE && !left.isEmpty(); i++) {
            shard.takeover().yieldTo(left.remove(), leader);
        }
        if (left.isEmpty()) {
            whenDone.run();
        }
        return left.isEmpty();
    }
}

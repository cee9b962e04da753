package io.godwit.cluster.broker;

import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.leadership.SlotLeaders;
import io.godwit.cluster.publish.SwitchOvers;
import java.util.BitSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds slots that were taken over by a node which this one does not hear, while it has a link to
 * the node where its messages for their sessions went until now. That one has given these sessions
 * up once all others have switched over that the new leader hears: it answers for messages that are
 * for them, and takes back their filters. So what is published here would reach neither. Publishers
 * wait until this node has switched over, too, or the slots have another leader. Until then answers
 * of the former leader do not count: what it has answered for would not be sent to the new one.
 *
 * <p>On the shard that owns the topic index.
 */
final class MissedTakeOvers {
    private static final Logger LOG = LoggerFactory.getLogger(MissedTakeOvers.class);

    private final int self;
    private final SwitchOvers switchOvers;
    private final IntPredicate isLinked;
    private final BitSet slots = new BitSet(0);
    private Set<Integer> sources = Set.of();

    /**
     * @param self server id of this node
     * @param isLinked whether there is a link to a node, by its server id
     */
    MissedTakeOvers(int self, SwitchOvers switchOvers, IntPredicate isLinked) {
        this.self = self;
        this.switchOvers = switchOvers;
        this.isLinked = isLinked;
    }

    /**
     * Takes in who leads the slots, or which links there are.
     *
     * @return whether there are such slots
     */
    boolean look(SlotLeaders leaders) {
        boolean before = !slots.isEmpty();
        Set<Integer> takers = new TreeSet<>();
        Set<Integer> from = new TreeSet<>();
        for (int slot = 0; slot < leaders.size(); slot++) {
            Epoch epoch = leaders.epoch(slot);
            if (epoch == null || !isUnswitched(slot, epoch)) {
                slots.clear(slot);
                continue;
            }
            int source = switchOvers.source(slot, epoch.from());
            if (leaders.state(slot) != SlotLeaders.State.ELSEWHERE && isLinked.test(source)) {
                slots.set(slot);
                takers.add(epoch.server());
            }
            if (slots.get(slot)) {
                from.add(source);
            }
        }
        sources = from;
        boolean now = !slots.isEmpty();
        if (now && !before) {
            LOG.warn(
                    "Publishers wait at this node: nodes with server ids {} have taken sessions over, and are out of reach",
                    takers);
        } else if (before && !now) {
            LOG.info("Publishers go on: all sessions that were taken over are known");
        }
        return now;
    }

    /** Returns the server ids of the nodes where messages for their sessions went until now. */
    Set<Integer> sources() {
        return sources;
    }

    private boolean isUnswitched(int slot, Epoch epoch) {
        return epoch.from() != 0
                && epoch.server() != self
                && !switchOvers.hasSwitched(slot, epoch.server());
    }
}

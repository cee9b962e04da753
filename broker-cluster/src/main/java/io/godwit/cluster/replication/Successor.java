package io.godwit.cluster.replication;

import java.util.BitSet;

/** Takes slots over. On the shard that owns the topic index. */
public interface Successor {
    /**
     * Takes over the slots of some copy sets that a leader leads: this node has whole copies of
     * their sessions, and no live node hears the leader. The copy sets are demoted: they have to be
     * refilled once when that is done, or when nothing comes of it ({@link NodeCopies#refill}). All
     * these slots have to get rows of this node: members refuse the leader's copies until then.
     *
     * @param leader server id of the node that is gone
     */
    void takeOver(int leader, BitSet copySets);
}

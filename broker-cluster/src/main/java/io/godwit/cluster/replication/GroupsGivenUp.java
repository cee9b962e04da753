package io.godwit.cluster.replication;

/** Gives up the queues of this node's shared groups. On the shard that owns the topic index. */
public interface GroupsGivenUp {
    /**
     * Another node has adopted its copies of these queues: they are not served here any more.
     *
     * @param taker server id of that node
     * @param then run on the same shard when that is on this node's disk
     */
    void giveUp(int taker, Runnable then);
}

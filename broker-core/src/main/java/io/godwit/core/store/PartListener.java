package io.godwit.core.store;

/** Takes what this node says to the other copies of its queues. */
public interface PartListener {
    /**
     * A part of this node's own was written to the journal, not always synced yet; on the commit
     * thread, in the order of positions. Nothing in it is above what is durably reserved.
     *
     * @param position of the record: the part's place in the stream of its replica set
     * @param replicaSet whose copies it is for
     * @param body to be sent as it is, for {@link ShardStore#apply}
     */
    void onPart(long position, int replicaSet, byte[] body);
}

package io.godwit.core.store;

/** Takes what this node says to the other copies of its queues. */
public interface PartListener {
    /**
     * A part of this node's own was written to the journal, not always synced yet; on the commit
     * thread, in the order of positions. Nothing in it is above what is durably reserved.
     *
     * @param position the part's number among all of this start, from 1: its place in the streams
     *     that it goes into
     * @param replicaSet whose copies it is for
     * @param body to be sent as it is, for {@link ShardStore#apply}
     */
    void onPart(long position, int replicaSet, byte[] body);
}

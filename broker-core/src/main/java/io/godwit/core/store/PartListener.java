package io.godwit.core.store;

/** Takes the parts that go to the other copies of this node's queues. */
public interface PartListener {
    /**
     * Called when a part of this node's own was written to the journal, not always synced yet; on
     * the commit thread, in the order of positions. Nothing in it is above a ceiling that is
     * synced.
     *
     * @param position the part's number among all of this start, from 1: its place in the streams
     *     that it goes into
     * @param replicaSet the replica set whose copies the part is for
     * @param body the bytes to send as they are, for {@link ShardStore#apply}
     */
    void onPart(long position, int replicaSet, byte[] body);
}

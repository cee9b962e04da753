package io.godwit.core.store;

/** Takes the parts that go to the copies of this node's queues. On the commit thread. */
public interface PartListener {
    /** Whether a copy set has copies now: its parts are told of. */
    default boolean wants(int copySet) {
        return true;
    }

    /**
     * Called when a part of this node's own was written to the journal, not always synced yet.
     * Nothing in it is above a ceiling that is synced.
     *
     * @param number of the part among all of this start, from 1
     * @param copySet the copy set that the part is of
     * @param body the bytes to send as they are, for {@link ShardStore#apply}
     */
    void onPart(long number, int copySet, byte[] body);

    /**
     * Called when all parts of a commit that had any were told of, before anybody hears that the
     * commit is kept.
     *
     * @param position of the journal up to which these parts reach
     */
    default void onCommit(long position) {}
}

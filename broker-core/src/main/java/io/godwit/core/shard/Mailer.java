package io.godwit.core.shard;

/** A shard's way to the other shards of its node. */
public interface Mailer {
    /** Index of the shard that sends. */
    int index();

    /** Shards of the node. */
    int shards();

    /** Sends mail; it leaves at the end of this turn. To itself it is handled at once. */
    void send(int shard, Mail mail);

    /**
     * Sends mail that leaves after everything that was sent before, to whichever shard: who handles
     * it, and then sends mail of its own, overtakes none of it.
     */
    void sendAfterAll(int shard, Mail mail);
}

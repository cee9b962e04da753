package io.godwit.core.shard;

/** A shard's way to the other shards of its node. */
public interface Mailer {
    /** Index of the shard that sends. */
    int index();

    /** How many shards the node has. */
    int shards();

    /**
     * Sends mail, which leaves at the end of this turn. What a shard sends to itself is handled at
     * once.
     */
    void send(int shard, Mail mail);

    /**
     * Sends mail that leaves after everything that was sent before, to whichever shard: who handles
     * it, and then sends mail of its own, overtakes none of it.
     */
    void sendAfterAll(int shard, Mail mail);
}

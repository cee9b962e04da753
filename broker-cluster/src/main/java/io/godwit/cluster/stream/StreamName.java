package io.godwit.cluster.stream;

/**
 * Streams of a node by number: 0 carries filters and what is retained, from the shard that owns
 * both to its like; the others carry publishes, one from each shard.
 */
public final class StreamName {
    /** Filters and retained messages. */
    public static final int SHARED = 0;

    private StreamName() {}

    /** The publishes of a shard. */
    public static int ofShard(int shard) {
        return shard + 1;
    }

    /** The shard whose stream it is. */
    public static int comesFrom(int stream) {
        return stream == SHARED ? 0 : stream - 1;
    }

    /**
     * Where a stream arrives: always at the same shard.
     *
     * @param shards of the node that gets it
     */
    public static int arrivesAt(int stream, int shards) {
        return stream == SHARED ? 0 : (stream - 1) % shards;
    }
}

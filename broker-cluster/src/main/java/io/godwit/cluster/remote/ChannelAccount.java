package io.godwit.cluster.remote;

/** The account of memory that the channels of a shard are charged to. */
public interface ChannelAccount {
    /** Changes the bytes that wait for a link: it is down, or takes no more. */
    void waiting(long change);

    /** Changes the bytes that clients have sent and that their connections do not read now. */
    void held(long change);

    /** Whether memory is short: no window grows, and those that have grown shrink. */
    boolean isAlarm();

    /** Bytes of all windows of this shard as an edge, which its clients' sockets may hold. */
    long edgeWindowsMax();

    /** Bytes of all windows of this shard as a leader, which its connections may hold. */
    long leaderWindowsMax();
}

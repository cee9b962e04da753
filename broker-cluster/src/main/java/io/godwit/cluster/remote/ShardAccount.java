package io.godwit.cluster.remote;

import io.godwit.core.load.ShardLoad;

/**
 * Charges channels to the account of a shard. What an edge has given to a socket counts there, as
 * outgoing bytes of that socket.
 */
final class ShardAccount implements ChannelAccount {
    private final ShardLoad load;

    ShardAccount(ShardLoad load) {
        this.load = load;
    }

    @Override
    public void waiting(long change) {
        load.peers(change);
    }

    @Override
    public void held(long change) {
        load.held(change);
    }

    @Override
    public boolean isAlarm() {
        return load.isMemoryAlarm();
    }

    @Override
    public long edgeWindowsMax() {
        return load.outboundBytesMax() / 2;
    }

    @Override
    public long leaderWindowsMax() {
        return load.partialBytesMax() / 2;
    }
}

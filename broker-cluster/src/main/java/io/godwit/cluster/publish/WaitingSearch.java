package io.godwit.cluster.publish;

import io.godwit.cluster.stream.OutStream;
import io.godwit.core.shard.Shard;
import java.util.ArrayDeque;

/**
 * Looks through what one shard keeps for nodes out of reach, some records at a time: a long stream
 * does not keep the shard from its clients.
 */
final class WaitingSearch implements Runnable {
    private static final int RECORDS_AT_ONCE = 4_096;

    private record Place(int server, OutStream stream) {}

    private final Shard shard;
    private final WaitingPublishers found;
    private final Runnable then;
    private final ArrayDeque<Place> places = new ArrayDeque<>();

    /** The next position in the first stream. */
    private long next;

    /**
     * @param then run on the shard when all of it was looked at
     */
    WaitingSearch(Shard shard, ShardPeers peers, WaitingPublishers found, Runnable then) {
        this.shard = shard;
        this.found = found;
        this.then = then;
        for (PeerStreams peer : peers.all()) {
            peer.outOfReach().forEach(stream -> places.add(new Place(peer.server, stream)));
        }
    }

    @Override
    public void run() {
        Place place = places.peek();
        if (place == null) {
            then.run();
            return;
        }
        next = place.stream.addWaiting(found.of(place.server), next, RECORDS_AT_ONCE);
        if (next == 0) {
            places.remove();
        }
        shard.execute(this);
    }
}

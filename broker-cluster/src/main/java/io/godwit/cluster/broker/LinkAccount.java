package io.godwit.cluster.broker;

import io.godwit.cluster.stream.ArrivingNames;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.time.Timer;
import java.util.Collection;
import java.util.function.LongSupplier;

/**
 * Charges what links hold of this node's memory: what has come and is not taken in, what waits to
 * leave beside the publishes, which their streams keep and are charged with, and the names that
 * they have brought lately. Each link bounds these by itself. On the shard that owns the topic
 * index.
 */
final class LinkAccount extends Timer {
    private static final long LOOK_MS = 100;

    private final BrokerShard shard;
    private final Collection<PeerLink> links;
    private final ArrivingNames names;
    private final LongSupplier others;

    /**
     * @param links those that are open now
     * @param names those that they have brought
     * @param others bytes of parts that followers have not confirmed, and of questions that wait
     */
    LinkAccount(
            BrokerShard shard,
            Collection<PeerLink> links,
            ArrivingNames names,
            LongSupplier others) {
        this.others = others;
        this.shard = shard;
        this.links = links;
        this.names = names;
    }

    void begin() {
        shard.timers().arm(this, shard.nowMs() + LOOK_MS);
    }

    @Override
    protected void onTimer(long nowMs) {
        long bytes = others.getAsLong();
        for (PeerLink link : links) {
            bytes += link.waitingBytes(TrafficClass.APPENDS);
            bytes += link.waitingBytes(TrafficClass.CONTROL);
            bytes += link.waitingBytes(TrafficClass.CONNECTIONS);
            bytes += link.waitingBytes(TrafficClass.QUESTIONS);
            for (TrafficClass each : TrafficClass.values()) {
                bytes += link.receivedBytes(each);
            }
        }
        shard.load().links(bytes);
        shard.load().names(names.bytes());
        shard.timers().arm(this, nowMs + LOOK_MS);
    }
}

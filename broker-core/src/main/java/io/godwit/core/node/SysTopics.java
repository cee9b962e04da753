package io.godwit.core.node;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The {@code $SYS} topics that Mosquitto's users know, as retained messages; a topic is published
 * when its value has changed. {@code $SYS/broker/} is of this node; {@code $SYS/cluster/} of all
 * nodes that it reaches, as they last said. Load averages are per minute, over 1, 5 and 15 minutes.
 */
final class SysTopics {
    private static final int[] AVERAGE_MINUTES = {1, 5, 15};

    private static final String NODE = "$SYS/broker/";
    private static final String CLUSTER = "$SYS/cluster/";

    private final BrokerShard shard;
    private final BrokerShard[] shards;
    private final long intervalMs;
    private final long startedMs;
    private final Map<String, String> published = new HashMap<>();
    private final Map<String, LoadAverage> averages = new HashMap<>();
    private long nextMs;
    private long lastMs;
    private long clientsMaximum;

    private static final class LoadAverage {
        final LongSupplier counter;
        final double[] perMinute = new double[AVERAGE_MINUTES.length];
        long last;

        LoadAverage(LongSupplier counter) {
            this.counter = counter;
            this.last = counter.getAsLong();
        }
    }

    /**
     * @param version what {@code $SYS/broker/version} says
     */
    SysTopics(BrokerShard shard, BrokerShard[] shards, long intervalMs, String version) {
        this.shard = shard;
        this.shards = shards;
        this.intervalMs = intervalMs;
        this.startedMs = shard.nowMs();
        this.lastMs = startedMs;
        publish(NODE + "version", version);
        average("messages/received", Metric.PACKETS_RECEIVED);
        average("messages/sent", Metric.PUBLISH_SENT);
        average("publish/received", Metric.PUBLISH_RECEIVED);
        average("publish/sent", Metric.PUBLISH_SENT);
        average("bytes/received", Metric.BYTES_RECEIVED);
        average("bytes/sent", Metric.BYTES_SENT);
        average("connections", Metric.CONNECTS);
        shard.node().cluster().counts(); // From now on the others tell theirs.
    }

    private void average(String name, Metric of) {
        averages.put(name, new LoadAverage(() -> total(of)));
    }

    /** Publishes what has changed; called on every tick of the index's shard. */
    void onTick(long nowMs) {
        clientsMaximum = Math.max(clientsMaximum, connected());
        if (nowMs < nextMs) {
            return;
        }
        nextMs = nowMs + intervalMs;
        publish(NODE + "uptime", (nowMs - startedMs) / 1000 + " seconds");
        // Read once: alone in its cluster, a node has the same under both.
        NodeCounts own = ofNode();
        publishNode(own);
        publishCluster(own);
        double minutes = (nowMs - lastMs) / 60_000.0;
        lastMs = nowMs;
        if (minutes > 0) {
            averages.forEach((name, average) -> publishAverages(name, average, minutes));
        }
    }

    private void publishNode(NodeCounts own) {
        publish(NODE, own);
        publish(NODE + "clients/maximum", clientsMaximum);
        publish(NODE + "shared_subscriptions/count", shard.node().index().groups());
    }

    private void publishCluster(NodeCounts own) {
        NodeCounts all = new NodeCounts();
        all.join(own);
        List<NodeCounts> others = shard.node().cluster().counts();
        others.forEach(all::join);
        publish(CLUSTER, all);
        publish(CLUSTER + "nodes/count", 1 + others.size());
    }

    private void publish(String under, NodeCounts counts) {
        for (NodeCount each : NodeCount.values()) {
            publish(under + each.topic(), counts.get(each));
        }
        long connected = counts.get(NodeCount.CONNECTED);
        long away = counts.get(NodeCount.SESSIONS) - connected;
        publish(under + "clients/active", connected);
        publish(under + "clients/disconnected", away);
        publish(under + "clients/inactive", away);
        publish(under + "messages/stored", counts.get(NodeCount.STORED));
    }

    private void publishAverages(String name, LoadAverage average, double minutes) {
        long now = average.counter.getAsLong();
        double perMinute = (now - average.last) / minutes;
        average.last = now;
        for (int i = 0; i < AVERAGE_MINUTES.length; i++) {
            double old = Math.exp(-minutes / AVERAGE_MINUTES[i]);
            average.perMinute[i] = perMinute + old * (average.perMinute[i] - perMinute);
            long hundredths = Math.round(average.perMinute[i] * 100);
            publish(
                    NODE + "load/" + name + "/" + AVERAGE_MINUTES[i] + "min",
                    hundredths / 100 + "." + (hundredths % 100 < 10 ? "0" : "") + hundredths % 100);
        }
    }

    private void publish(String topic, long value) {
        publish(topic, Long.toString(value));
    }

    private void publish(String topic, String value) {
        if (value.equals(published.put(topic, value))) {
            return;
        }
        shard.router()
                .publishOwn(
                        new Message(
                                Topic.of(topic),
                                value.getBytes(StandardCharsets.UTF_8),
                                PublishFrame.NO_PROPERTIES,
                                0,
                                true,
                                Message.NEVER,
                                null,
                                shard.node().serverId(),
                                shard.ids().nextIngressCounter()));
    }

    private NodeCounts ofNode() {
        NodeCounts counts = new NodeCounts();
        for (BrokerShard each : shards) {
            counts.add(each.load(), each.counters());
        }
        return counts;
    }

    private long connected() {
        long sum = 0;
        for (BrokerShard each : shards) {
            sum += each.load().onlineSessions();
        }
        return sum;
    }

    private long total(Metric metric) {
        long sum = 0;
        for (BrokerShard each : shards) {
            sum += each.counters().total(metric);
        }
        return sum;
    }
}

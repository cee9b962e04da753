package io.godwit.core.node;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The {@code $SYS} topics that Mosquitto's users know, as retained messages; a topic is published
 * when its value has changed. Load averages are per minute, over 1, 5 and 15 minutes.
 */
final class SysTopics {
    private static final int[] AVERAGE_MINUTES = {1, 5, 15};

    private final BrokerShard shard;
    private final BrokerShard[] shards;
    private final long intervalMs;
    private final long startedMs;
    private final Map<String, String> published = new HashMap<>();
    private final Map<String, LongSupplier> values = new HashMap<>();
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
        publish("version", version);
        gauges();
        counters();
    }

    private void gauges() {
        values.put("clients/total", () -> load(ShardLoad::sessions));
        values.put("clients/connected", () -> load(ShardLoad::onlineSessions));
        values.put("clients/active", () -> load(ShardLoad::onlineSessions));
        values.put(
                "clients/disconnected",
                () -> load(ShardLoad::sessions) - load(ShardLoad::onlineSessions));
        values.put(
                "clients/inactive",
                () -> load(ShardLoad::sessions) - load(ShardLoad::onlineSessions));
        values.put("clients/maximum", () -> clientsMaximum);
        values.put("subscriptions/count", () -> load(ShardLoad::subscriptions));
        values.put("shared_subscriptions/count", () -> shard.node().index().groups());
        values.put("retained messages/count", () -> shard.indexOwner().retained().size());
        values.put("store/messages/count", () -> load(ShardLoad::queuedMessages));
        values.put("store/messages/bytes", () -> load(ShardLoad::queuedBytes));
        values.put("messages/stored", () -> load(ShardLoad::queuedMessages));
    }

    private void counters() {
        counter("clients/expired", null, Metric.SESSIONS_EXPIRED);
        counter("messages/received", "messages/received", Metric.PACKETS_RECEIVED);
        counter("messages/sent", "messages/sent", Metric.PUBLISH_SENT);
        counter("publish/messages/received", "publish/received", Metric.PUBLISH_RECEIVED);
        counter("publish/messages/sent", "publish/sent", Metric.PUBLISH_SENT);
        counter("bytes/received", "bytes/received", Metric.BYTES_RECEIVED);
        counter("bytes/sent", "bytes/sent", Metric.BYTES_SENT);
        averages.put("connections", new LoadAverage(() -> total(Metric.CONNECTS)));
        values.put(
                "publish/messages/dropped",
                () ->
                        total(Metric.DROPPED_QOS0_SLOW)
                                + total(Metric.DROPPED_QUEUE_FULL)
                                + total(Metric.DROPPED_EXPIRED)
                                + total(Metric.DROPPED_TOO_LARGE)
                                + total(Metric.DROPPED_GROUP_FULL));
    }

    private void counter(String topic, @Nullable String average, Metric metric) {
        values.put(topic, () -> total(metric));
        if (average != null) {
            averages.put(average, new LoadAverage(() -> total(metric)));
        }
    }

    /** Publishes what has changed; called on every tick of the index's shard. */
    void onTick(long nowMs) {
        clientsMaximum = Math.max(clientsMaximum, load(ShardLoad::onlineSessions));
        if (nowMs < nextMs) {
            return;
        }
        nextMs = nowMs + intervalMs;
        publish("uptime", (nowMs - startedMs) / 1000 + " seconds");
        values.forEach((topic, value) -> publish(topic, Long.toString(value.getAsLong())));
        double minutes = (nowMs - lastMs) / 60_000.0;
        lastMs = nowMs;
        if (minutes > 0) {
            averages.forEach((name, average) -> publishAverages(name, average, minutes));
        }
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
                    "load/" + name + "/" + AVERAGE_MINUTES[i] + "min",
                    hundredths / 100 + "." + (hundredths % 100 < 10 ? "0" : "") + hundredths % 100);
        }
    }

    private void publish(String topic, String value) {
        if (value.equals(published.put(topic, value))) {
            return;
        }
        shard.router()
                .publishOwn(
                        new Message(
                                Topic.of("$SYS/broker/" + topic),
                                value.getBytes(StandardCharsets.UTF_8),
                                PublishFrame.NO_PROPERTIES,
                                0,
                                true,
                                Message.NEVER,
                                null,
                                shard.node().serverId(),
                                shard.ids().nextIngressCounter()),
                        null);
    }

    private long load(ToLongFunction<ShardLoad> gauge) {
        long sum = 0;
        for (BrokerShard each : shards) {
            sum += gauge.applyAsLong(each.load());
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

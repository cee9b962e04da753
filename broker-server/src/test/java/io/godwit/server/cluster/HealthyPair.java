package io.godwit.server.cluster;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A publisher and a subscriber without durable sessions at one node, which nobody loses: a message
 * at QoS 1 every five milliseconds, and how long each takes from one to the other.
 */
final class HealthyPair implements AutoCloseable {
    private static final long PAUSE_NANOS = 5_000_000;
    private static final String TOPIC = "healthy";

    private final Mqtt5AsyncClient subscriber;
    private final Mqtt5AsyncClient publisher;
    private final AtomicBoolean ends = new AtomicBoolean();
    private final Thread thread = new Thread(this::publish, TOPIC);
    private long[] tookNanos = new long[1024];
    private int count;

    HealthyPair(ClusterProcesses cluster, int node) {
        subscriber = ClusterClients.builder(cluster, node, "healthy-subscriber").buildAsync();
        publisher = ClusterClients.builder(cluster, node, "healthy-publisher").buildAsync();
    }

    void begin() {
        subscriber.connect().join();
        subscriber
                .subscribeWith()
                .topicFilter(TOPIC)
                .qos(MqttQos.AT_LEAST_ONCE)
                .callback(this::heard)
                .send()
                .join();
        publisher.connect().join();
        thread.start();
    }

    private synchronized void heard(Mqtt5Publish publish) {
        if (count == tookNanos.length) {
            tookNanos = Arrays.copyOf(tookNanos, 2 * count);
        }
        long sent = ByteBuffer.wrap(publish.getPayloadAsBytes()).getLong();
        tookNanos[count++] = System.nanoTime() - sent;
    }

    private void publish() {
        while (!ends.get()) {
            byte[] payload = ByteBuffer.allocate(Long.BYTES).putLong(System.nanoTime()).array();
            publisher.publishWith().topic(TOPIC).qos(MqttQos.AT_LEAST_ONCE).payload(payload).send();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Says how long the messages took that have come since the last call. */
    synchronized String times() {
        long[] sorted = Arrays.copyOf(tookNanos, count);
        count = 0;
        Arrays.sort(sorted);
        if (sorted.length == 0) {
            return "no message came";
        }
        return String.format(
                "%,d messages took %.1f ms (50 %%), %.1f ms (99 %%), %.1f ms (longest)",
                sorted.length,
                sorted[sorted.length / 2] / 1e6,
                sorted[sorted.length * 99 / 100] / 1e6,
                sorted[sorted.length - 1] / 1e6);
    }

    @Override
    public void close() {
        ends.set(true);
        publisher.disconnect();
        subscriber.disconnect();
    }
}

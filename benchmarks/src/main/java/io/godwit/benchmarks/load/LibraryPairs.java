package io.godwit.benchmarks.load;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.eclipse.paho.client.mqttv3.IMqttMessageListener;
import org.eclipse.paho.client.mqttv3.MqttClient;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;

/**
 * Pairs of an ordinary client library (Eclipse Paho, its blocking client), each publisher on a
 * thread of its own and with one message outstanding at QoS 1 and 2: a write and a read of the
 * broker for each packet, and more threads than the machine has cores.
 */
final class LibraryPairs implements Closeable {
    private static final int PAYLOAD_BYTES = 100;
    private static final long LATENCY_MAX_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long LIMIT_SECONDS = 120;

    private final int qos;
    private final int pairs;
    private final List<MqttClient> publishers = new ArrayList<>();
    private final List<MqttClient> subscribers = new ArrayList<>();
    private final ExecutorService threads;
    private final Recorder latency = new Recorder(LATENCY_MAX_NANOS, 3);
    private volatile CountDownLatch missing = new CountDownLatch(0);

    /** From publish to the subscriber's callback, nanoseconds. */
    record Run(double perSecond, Histogram latency) {}

    LibraryPairs(BrokerProcess broker, int qos, int pairs) throws IOException {
        this.qos = qos;
        this.pairs = pairs;
        threads = Executors.newFixedThreadPool(pairs);
        String at = "tcp://127.0.0.1:" + broker.address().getPort();
        try {
            for (int i = 0; i < pairs; i++) {
                MqttClient subscriber = connect(at, "subscriber-" + i);
                subscribers.add(subscriber);
                IMqttMessageListener listener = (topic, message) -> arrived(message.getPayload());
                subscriber.subscribe("library/" + i, qos, listener);
                publishers.add(connect(at, "publisher-" + i));
            }
        } catch (MqttException e) {
            close();
            throw new IOException(broker.name() + ": " + e, e);
        }
    }

    private static MqttClient connect(String at, String id) throws MqttException {
        MqttClient client = new MqttClient(at, id, new MemoryPersistence());
        MqttConnectOptions options = new MqttConnectOptions();
        options.setMqttVersion(MqttConnectOptions.MQTT_VERSION_3_1_1);
        // It counts a message as in flight for a while after publish() has returned.
        options.setMaxInflight(1_000);
        client.connect(options);
        return client;
    }

    private void arrived(byte[] payload) {
        long nanos = System.nanoTime() - ByteBuffer.wrap(payload).getLong();
        latency.recordValue(Math.clamp(nanos, 0, LATENCY_MAX_NANOS));
        missing.countDown();
    }

    /** Sends so many messages, and returns when all have come. */
    Run run(int messages) throws IOException {
        int each = messages / pairs;
        missing = new CountDownLatch(each * pairs);
        latency.reset();
        long start = System.nanoTime();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            MqttClient publisher = publishers.get(i);
            String topic = "library/" + i;
            all.add(
                    threads.submit(() -> {
                        publish(publisher, topic, each);
                        return null;
                    }));
        }
        try {
            for (Future<?> publisher : all) publisher.get();
            if (!missing.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException(missing.getCount() + " messages are missing");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Run(each * pairs / seconds, latency.getIntervalHistogram());
    }

    private void publish(MqttClient publisher, String topic, int messages) throws MqttException {
        for (int i = 0; i < messages; i++) {
            byte[] payload = new byte[PAYLOAD_BYTES];
            ByteBuffer.wrap(payload).putLong(System.nanoTime());
            publisher.publish(topic, payload, qos, false);
        }
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        try {
            for (MqttClient each : publishers) each.disconnect();
            for (MqttClient each : subscribers) each.disconnect();
        } catch (MqttException e) {
            throw new IOException(e);
        }
    }
}

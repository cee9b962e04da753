package io.godwit.benchmarks.load.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A client with a durable session that has a list of nodes and wants to be connected always. It
 * publishes QoS 1 messages to the topic of another client, gets those of its own topic, and when
 * its connection ends or a node refuses it, it tries the next node of its list at once; after the
 * last it waits 20 ms and begins again. After the CONNACK it sends again what is unacknowledged, in
 * order, or else a new message.
 *
 * <p>A virtual thread connects and reads; publishing is for one other thread.
 */
final class Roamer implements Closeable {
    private static final int CONNECT_TIMEOUT_MS = 5_000;
    private static final long PAUSE_MS = 20;
    private static final int WINDOW = 20;
    private static final int PAYLOAD_BYTES = 100;

    private final int number;
    private final List<InetSocketAddress> nodes;
    private final byte[] target;
    private final History history = new History();
    private final Outages outages;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Message> unacknowledged = new ArrayDeque<>();
    private final Thread thread;
    private @Nullable Client client;
    private long published;
    private long acknowledged;
    private int at;
    private long lostNanos;
    private volatile boolean stopped;
    private volatile boolean subscribed;
    private volatile long refusals;

    /** Where the times go for which clients were without a node. */
    interface Outages {
        /** From the end of a connection to the CONNACK of the next. */
        void connected(long nanos);

        /** From the end of a connection to the first PUBACK of the next. */
        void served(long nanos);
    }

    /**
     * @param target number of the client that gets what this one publishes
     * @param nodes where it connects, in this order
     */
    Roamer(int number, int target, List<InetSocketAddress> nodes, Outages outages) {
        this.number = number;
        this.nodes = nodes;
        this.target = topic(target).getBytes(UTF_8);
        this.outages = outages;
        thread = Thread.ofVirtual().name("roamer-" + number).unstarted(this::run);
    }

    static String clientId(int client) {
        return "roamer-" + client;
    }

    private static String topic(int client) {
        return "roamers/" + client;
    }

    void start() {
        thread.start();
    }

    /** Connected, and its first subscription is granted. */
    boolean isReady() {
        return subscribed;
    }

    /** What has come of the one who publishes to it. */
    History history() {
        return history;
    }

    /** CONNECTs that failed or were refused. */
    long refusals() {
        return refusals;
    }

    /**
     * Publishes one message if it is connected and has room.
     *
     * @return whether it did
     */
    boolean publish() {
        lock.lock();
        try {
            Client now = client;
            if (now == null || unacknowledged.size() >= WINDOW) return false;
            publishNew(now);
            return true;
        } catch (IOException e) {
            return false; // The reader notices, too; the message waits for the next connection.
        } finally {
            lock.unlock();
        }
    }

    private void publishNew(Client to) throws IOException {
        Message message = Message.numbered(target, 1, number, published++, PAYLOAD_BYTES);
        unacknowledged.add(message);
        to.publish(message, false);
        to.flush();
    }

    /** Messages acknowledged so far: those with lower numbers. */
    long acknowledged() {
        lock.lock();
        try {
            return acknowledged;
        } finally {
            lock.unlock();
        }
    }

    boolean isSettled() {
        lock.lock();
        try {
            return unacknowledged.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (!stopped) {
            try (Client opened = Client.connect(nodes.get(at), setup())) {
                if (!subscribed) subscribe(opened);
                opened.timeoutMs(0);
                resume(opened);
                while (true) onPacket(opened, opened.read());
            } catch (IOException e) {
                onEnd();
            }
        }
    }

    private Client.Setup setup() {
        return new Client.Setup(clientId(number), false, CONNECT_TIMEOUT_MS, 0);
    }

    private void subscribe(Client opened) throws IOException {
        opened.subscribe(1, topic(number), 1);
        opened.read(Packet.SUBACK);
    }

    private void resume(Client opened) throws IOException {
        lock.lock();
        try {
            if (lostNanos != 0) outages.connected(System.nanoTime() - lostNanos);
            for (Message message : unacknowledged) opened.publish(message, true);
            if (unacknowledged.isEmpty() && subscribed) publishNew(opened);
            opened.flush();
            client = opened;
        } finally {
            lock.unlock();
        }
        subscribed = true;
    }

    private void onPacket(Client from, Packet packet) throws IOException {
        if (packet.type() == Packet.PUBLISH) {
            history.received(Message.number(packet));
            from.acknowledge(Packet.PUBACK, packet.packetId());
        } else if (packet.type() == Packet.PUBACK) {
            onPubAck(packet.packetId());
        }
    }

    private void onPubAck(int packetId) throws IOException {
        lock.lock();
        try {
            Message first = unacknowledged.poll();
            if (first == null || first.packetId() != packetId) {
                throw new IOException("roamer-" + number + ": PUBACK " + packetId);
            }
            acknowledged++;
            if (lostNanos != 0) outages.served(System.nanoTime() - lostNanos);
            lostNanos = 0;
        } finally {
            lock.unlock();
        }
    }

    private void onEnd() {
        lock.lock();
        try {
            if (client == null) refusals++;
            else if (lostNanos == 0) lostNanos = System.nanoTime();
            client = null;
        } finally {
            lock.unlock();
        }
        at = (at + 1) % nodes.size();
        if (at == 0) pause();
    }

    private void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            stopped = true;
        }
    }

    @Override
    public void close() {
        stopped = true;
        lock.lock();
        try {
            if (client != null) client.close();
        } finally {
            lock.unlock();
        }
    }
}

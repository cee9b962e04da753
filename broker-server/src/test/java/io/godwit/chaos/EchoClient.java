package io.godwit.chaos;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A client that has subscribed to the topic that it publishes to, at QoS 1, and notes how long each
 * message was under way and what was wrong with it. An interceptor may put a number behind the
 * payload, its version, which must not fall.
 */
final class EchoClient implements AutoCloseable {
    private static final int PUBLISH = 3;
    private static final int PUBACK = 4;
    private static final int PACKET_IDS = 65_535;
    private static final int TIMEOUT_MS = 60_000;

    private final String id;
    private final String topic;
    private final boolean isMarked;
    private final Socket socket;
    private final DataOutputStream out;
    private final DataInputStream in;
    private final ReentrantLock writing = new ReentrantLock();
    private final CountDownLatch ready = new CountDownLatch(2);
    private final List<String> faults = new ArrayList<>();
    private long[] latencies = new long[64];
    private volatile int received;
    private volatile int acknowledged;
    private volatile boolean isClosing;
    private int sent;
    private long last;
    private long version;

    /**
     * @param isMarked whether a version must stand behind each payload
     */
    EchoClient(int port, String id, String topic, boolean isMarked) throws IOException {
        this.id = id;
        this.topic = topic;
        this.isMarked = isMarked;
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        out = new DataOutputStream(socket.getOutputStream());
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        Thread.ofVirtual().start(this::read);
        ByteArrayOutputStream connect = new ByteArrayOutputStream();
        DataOutputStream body = new DataOutputStream(connect);
        body.writeUTF("MQTT");
        body.write(new byte[] {4, 2, 0, 0}); // 3.1.1, clean session, no keep alive
        body.writeUTF(id);
        write(1 << 4, connect.toByteArray());
        ByteArrayOutputStream subscribe = new ByteArrayOutputStream();
        body = new DataOutputStream(subscribe);
        body.writeShort(1);
        body.writeUTF(topic);
        body.write(1);
        write(8 << 4 | 2, subscribe.toByteArray());
    }

    void awaitReady() throws InterruptedException {
        if (!ready.await(TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(id + " was not subscribed in time");
        }
    }

    private void write(int head, byte[] body) throws IOException {
        writing.lock();
        try {
            ByteArrayOutputStream packet = new ByteArrayOutputStream(body.length + 5);
            packet.write(head);
            for (int left = body.length; ; left >>>= 7) {
                packet.write(left > 127 ? left & 127 | 128 : left);
                if (left <= 127) {
                    break;
                }
            }
            packet.write(body);
            out.write(packet.toByteArray());
        } finally {
            writing.unlock();
        }
    }

    /** Publishes the next message; one thread calls it. */
    void publish() throws IOException {
        ByteArrayOutputStream publish = new ByteArrayOutputStream();
        DataOutputStream body = new DataOutputStream(publish);
        body.writeUTF(topic);
        sent++;
        body.writeShort(1 + sent % PACKET_IDS);
        body.write((sent + " " + System.nanoTime()).getBytes(US_ASCII));
        write(PUBLISH << 4 | 2, publish.toByteArray());
    }

    private void read() {
        try {
            while (true) {
                int head = in.readUnsignedByte();
                int length = 0;
                int shift = 0;
                int next;
                do {
                    next = in.readUnsignedByte();
                    length |= (next & 127) << shift;
                    shift += 7;
                } while (next > 127);
                byte[] body = in.readNBytes(length);
                switch (head >> 4) {
                    case PUBLISH -> onPublish(body);
                    case PUBACK -> acknowledged++;
                    default -> ready.countDown();
                }
            }
        } catch (IOException e) {
            if (!isClosing) {
                fault("its connection has ended: " + e);
            }
        }
    }

    private void onPublish(byte[] body) throws IOException {
        long now = System.nanoTime();
        int at = 2 + ((body[0] & 0xFF) << 8 | body[1] & 0xFF);
        write(PUBACK << 4, Arrays.copyOfRange(body, at, at + 2));
        String[] words = new String(body, at + 2, body.length - at - 2, US_ASCII).split(" ", -1);
        long number = Long.parseLong(words[0]);
        if (number != last + 1) {
            fault(number <= last ? number + " came again" : number + " came behind " + last);
        }
        last = number;
        if (isMarked && words.length != 3) {
            fault(number + " has " + (words.length - 2) + " marks");
        } else if (isMarked) {
            long its = Long.parseLong(words[2]);
            if (its < version) {
                fault(number + " is of version " + its + ", behind one of " + version);
            }
            version = its;
        }
        if (received == latencies.length) {
            latencies = Arrays.copyOf(latencies, 2 * received);
        }
        latencies[received] = now - Long.parseLong(words[1]);
        received++;
    }

    private void fault(String text) {
        synchronized (faults) {
            faults.add(id + ": " + text);
        }
    }

    boolean isDone() {
        return received >= sent && acknowledged >= sent;
    }

    int received() {
        return received;
    }

    int sent() {
        return sent;
    }

    /** Version that the last message was marked with. */
    long version() {
        return version;
    }

    /** Returns the faults that it has found; to be called once nothing is under way. */
    List<String> faults() {
        synchronized (faults) {
            List<String> all = new ArrayList<>(faults);
            if (received < sent) {
                all.add(id + ": " + (sent - received) + " of " + sent + " messages are missing");
            }
            if (acknowledged < sent) {
                all.add(id + ": " + (sent - acknowledged) + " PUBACKs are missing");
            }
            return all;
        }
    }

    /** Nanoseconds of what was received from a place on, while nothing is under way. */
    long[] latencies(int from) {
        return Arrays.copyOfRange(latencies, Math.min(from, received), received);
    }

    @Override
    public void close() throws IOException {
        isClosing = true;
        socket.close();
    }
}

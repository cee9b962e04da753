package io.godwit.server.launch;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.Semaphore;

/**
 * A small MQTT 5.0 client for {@link Rehearsal}: it acknowledges what it gets, and a publisher
 * waits for acknowledgements only when many are missing.
 */
final class RehearsalClient implements AutoCloseable {
    private static final int WINDOW = 500;
    private static final int TIMEOUT_MS = 20_000;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final Semaphore window = new Semaphore(WINDOW);
    private final Semaphore received = new Semaphore(0);
    private final Semaphore answered = new Semaphore(0);

    RehearsalClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(TIMEOUT_MS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    /** Another body of a packet than bytes that are there already. */
    private interface Body {
        void write(DataOutputStream body) throws IOException;
    }

    private void send(int first, boolean now, Body body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        body.write(new DataOutputStream(bytes));
        synchronized (out) {
            out.write(first);
            int rest = bytes.size();
            for (; rest > 127; rest >>= 7) {
                out.write(rest & 127 | 128);
            }
            out.write(rest);
            bytes.writeTo(out);
            if (now) {
                out.flush();
            }
        }
    }

    /** Connects with a session that outlives the connection by a minute. */
    void connect(String id) throws IOException, InterruptedException {
        send(
                0x10,
                true,
                body -> {
                    body.writeUTF("MQTT");
                    body.write(new byte[] {5, 2, 0, 60, 5, 17, 0, 0, 0, 60});
                    body.writeUTF(id);
                });
        Thread.ofVirtual().start(this::read);
        answered.acquire();
    }

    void subscribe(String filter) throws IOException, InterruptedException {
        send(
                0x82,
                true,
                body -> {
                    body.write(new byte[] {0, 1, 0});
                    body.writeUTF(filter);
                    body.write(2);
                });
        answered.acquire();
    }

    void publish(String topic, int qos, int packetId) throws IOException, InterruptedException {
        if (qos > 0 && !window.tryAcquire()) {
            synchronized (out) {
                out.flush();
            }
            window.acquire();
        }
        send(
                0x30 | qos << 1,
                packetId % 20 == 0,
                body -> {
                    body.writeUTF(topic);
                    if (qos > 0) {
                        body.writeShort(packetId);
                    }
                    body.write(new byte[100]); // no properties, 99 bytes of payload
                });
    }

    /** Returns when so many messages have come. */
    void await(int messages) throws InterruptedException {
        received.acquire(messages);
    }

    private void read() {
        try {
            for (int first = in.read(); first >= 0; first = in.read()) {
                int length = 0;
                int shift = 0;
                int part = 128;
                for (; part > 127; shift += 7) {
                    part = in.readUnsignedByte();
                    length |= (part & 127) << shift;
                }
                byte[] body = new byte[length];
                in.readFully(body);
                handle(first, body);
            }
        } catch (IOException e) {
            // The rehearsal is over.
        }
    }

    private void handle(int first, byte[] body) throws IOException {
        switch (first >> 4) {
            case 3 -> {
                int qos = first >> 1 & 3;
                int at = 2 + ((body[0] & 255) << 8 | body[1] & 255);
                if (qos > 0) {
                    answer(qos == 1 ? 0x40 : 0x50, body, at);
                }
                received.release();
            }
            case 5 -> answer(0x62, body, 0);
            case 6 -> answer(0x70, body, 0);
            case 4, 7 -> window.release();
            default -> answered.release();
        }
    }

    private void answer(int first, byte[] from, int at) throws IOException {
        send(first, in.available() == 0, body -> body.write(from, at, 2));
    }

    @Override
    public void close() throws IOException {
        send(0xE0, true, body -> {});
        socket.close();
    }
}

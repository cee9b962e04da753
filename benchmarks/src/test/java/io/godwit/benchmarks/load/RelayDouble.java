package io.godwit.benchmarks.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Just enough of a broker, with faults on demand: a thread per connection, exact filters, PUBLISH
 * passed on as it came.
 */
final class RelayDouble implements Closeable {
    /** What it does with a PUBLISH, told by its number (from 0). */
    enum Fault {
        NONE,
        LOSES_EACH_TENTH,
        REPEATS_EACH_TENTH,
        CLOSES_AT_THE_TENTH,
        WRITES_BYTE_BY_BYTE
    }

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Map<String, Queue<Peer>> subscribers = new ConcurrentHashMap<>();
    private final ServerWires wires;
    private final Fault fault;
    private int publishes;
    private int acknowledged;

    RelayDouble(Fault fault) throws IOException {
        this(fault, new ServerWires(Transport.PLAIN));
    }

    RelayDouble(Fault fault, ServerWires wires) throws IOException {
        this.fault = fault;
        this.wires = wires;
        start(this::acceptAll);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /** Waits for so many PUBACKs. */
    synchronized void awaitAcknowledged(int count) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (acknowledged < count) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) throw new AssertionError(acknowledged + " PUBACKs of " + count);
            wait(left);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private void acceptAll() {
        try {
            while (true) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                start(() -> serve(socket));
            }
        } catch (IOException e) {
            // closed: the test is over
        }
    }

    private void serve(Socket socket) {
        try (socket;
                Peer peer = wires.accept(socket)) {
            DataInputStream in = new DataInputStream(peer.in());
            while (true) {
                ByteArrayOutputStream head = new ByteArrayOutputStream();
                int first = in.readUnsignedByte();
                head.write(first);
                byte[] body = new byte[length(in, head)];
                in.readFully(body);
                onPacket(peer, first, head.toByteArray(), ByteBuffer.wrap(body));
            }
        } catch (IOException e) {
            // the client is gone
        }
    }

    private synchronized void onPacket(Peer from, int first, byte[] head, ByteBuffer body)
            throws IOException {
        switch (first >> 4) {
            case 1 -> from.out().write(new byte[] {0x20, 2, 0, 0});
            case 8 -> onSubscribe(from, body);
            case 3 -> onPublish(from, first, head, body);
            case 4 -> {
                acknowledged++;
                notifyAll();
            }
            default -> {}
        }
    }

    private void onSubscribe(Peer from, ByteBuffer body) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        byte[] packetId = {body.get(), body.get()};
        int filters = 0;
        for (; body.hasRemaining(); body.get(), filters++) {
            subscribers.computeIfAbsent(string(body), f -> new ConcurrentLinkedQueue<>()).add(from);
        }
        answer.write(new byte[] {(byte) 0x90, (byte) (2 + filters)});
        answer.write(packetId);
        answer.write(new byte[filters]);
        from.out().write(answer.toByteArray());
    }

    private void onPublish(Peer from, int first, byte[] head, ByteBuffer body) throws IOException {
        Queue<Peer> targets = subscribers.get(string(body));
        if ((first & 6) != 0) from.out().write(new byte[] {0x40, 2, body.get(), body.get()});
        boolean tenth = publishes++ % 10 == 9;
        if (tenth && fault == Fault.CLOSES_AT_THE_TENTH) from.close();
        if (targets == null || tenth && fault == Fault.LOSES_EACH_TENTH) return;
        for (Peer target : targets) {
            int times = tenth && fault == Fault.REPEATS_EACH_TENTH ? 2 : 1;
            for (int i = 0; i < times; i++) write(target.out(), head, body.array());
        }
    }

    private void write(OutputStream out, byte[] head, byte[] body) throws IOException {
        if (fault == Fault.WRITES_BYTE_BY_BYTE) {
            for (byte b : head) out.write(b);
            for (byte b : body) out.write(b);
        } else {
            out.write(head);
            out.write(body);
        }
    }

    private static int length(DataInputStream in, ByteArrayOutputStream head) throws IOException {
        int length = 0;
        for (int shift = 0; ; shift += 7) {
            int b = in.readUnsignedByte();
            head.write(b);
            length |= (b & 0x7F) << shift;
            if (b < 0x80) return length;
        }
    }

    private static String string(ByteBuffer in) {
        byte[] bytes = new byte[in.getShort()];
        in.get(bytes);
        return new String(bytes, UTF_8);
    }

    private static void start(Runnable task) {
        Thread thread =
                new Thread(() -> {
                    try {
                        task.run();
                    } catch (UncheckedIOException e) {
                        // a connection of a test that is over
                    }
                });
        thread.setDaemon(true);
        thread.start();
    }
}

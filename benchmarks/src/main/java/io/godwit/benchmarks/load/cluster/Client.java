package io.godwit.benchmarks.load.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.benchmarks.load.Frames;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One blocking MQTT 3.1.1 connection. One thread reads; any thread may write. What is written is
 * sent when the writer says so, or before the reader waits.
 */
final class Client implements Closeable {
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int KEEP_ALIVE_SECONDS = 600;

    private final ReentrantLock writing = new ReentrantLock();
    private final Socket socket = new Socket();
    private final String id;
    private final DataInputStream in;
    private final OutputStream out;
    private boolean sessionPresent;

    /** How to connect. */
    record Setup(String id, boolean cleanSession, int timeoutMs, int receiveBufferBytes) {
        static Setup clean(String id) {
            return new Setup(id, true, 10_000, 0);
        }

        static Setup durable(String id) {
            return new Setup(id, false, 10_000, 0);
        }
    }

    private Client(Setup setup, InetSocketAddress broker) throws IOException {
        id = setup.id();
        if (setup.receiveBufferBytes() > 0) socket.setReceiveBufferSize(setup.receiveBufferBytes());
        try {
            socket.setTcpNoDelay(true);
            socket.connect(broker, setup.timeoutMs());
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 16 * 1024));
            out = new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Connects, and returns when the CONNACK has come.
     *
     * @throws IOException when it says no, too
     */
    static Client connect(InetSocketAddress broker, Setup setup) throws IOException {
        Client client = new Client(setup, broker);
        try {
            client.socket.setSoTimeout(setup.timeoutMs());
            client.send(Frames.connect(setup.id(), KEEP_ALIVE_SECONDS, setup.cleanSession()));
            client.flush();
            client.onConnAck(client.read());
            return client;
        } catch (IOException e) {
            client.close();
            throw e;
        }
    }

    private void onConnAck(Packet packet) throws IOException {
        int code = packet.packetId() & 0xFF;
        if (packet.type() != Frames.CONNACK || code != 0) {
            throw new IOException(id + ": CONNACK with return code " + code);
        }
        sessionPresent = packet.packetId() >> 8 == 1;
    }

    boolean sessionPresent() {
        return sessionPresent;
    }

    /**
     * @param timeoutMs of each read from now on; 0 = it waits for ever
     */
    void timeoutMs(int timeoutMs) throws IOException {
        socket.setSoTimeout(timeoutMs);
    }

    void subscribe(int packetId, String filter, int qos) throws IOException {
        send(Frames.subscribe(packetId, List.of(filter), qos));
        flush();
    }

    void unsubscribe(int packetId, String filter) throws IOException {
        byte[] bytes = filter.getBytes(UTF_8);
        send(
                ByteBuffer.allocate(6 + bytes.length)
                        .put((byte) 0xA2)
                        .put((byte) (4 + bytes.length))
                        .putShort((short) packetId)
                        .putShort((short) bytes.length)
                        .put(bytes)
                        .flip());
        flush();
    }

    /** Writes a PUBLISH; {@link #flush} sends it. */
    void publish(Message message, boolean again) throws IOException {
        ByteBuffer packet =
                ByteBuffer.allocate(
                        Frames.publishBytes(
                                message.topic().length, message.qos(), message.payload().length));
        Frames.publish(packet, message.topic(), message.qos(), message.payload().length);
        packet.flip();
        if (again) packet.put(0, (byte) (packet.get(0) | 8));
        int payloadAt = packet.limit() - message.payload().length;
        packet.put(payloadAt, message.payload());
        if (message.qos() > 0) packet.putShort(payloadAt - 2, (short) message.packetId());
        send(packet);
    }

    /** Writes an acknowledgement or a PUBREL; it is sent before the reader waits. */
    void acknowledge(int type, int packetId) throws IOException {
        send(ByteBuffer.allocate(4).putInt(type << 24 | 2 << 16 | packetId).flip());
    }

    void flush() throws IOException {
        writing.lock();
        try {
            out.flush();
        } finally {
            writing.unlock();
        }
    }

    /** The next packet; waits for it. */
    Packet read() throws IOException {
        if (in.available() == 0) flush();
        int first = in.readUnsignedByte();
        int length = 0;
        int shift = 0;
        int more;
        do {
            more = in.readUnsignedByte();
            length |= (more & 0x7F) << shift;
            shift += 7;
        } while (more > 0x7F);
        byte[] body = new byte[length];
        in.readFully(body);
        return Packet.of(first, ByteBuffer.wrap(body));
    }

    /** Reads until a packet of this type comes. */
    Packet read(int type) throws IOException {
        Packet packet = read();
        while (packet.type() != type) packet = read();
        return packet;
    }

    /** Ends the connection without DISCONNECT. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It is as closed as it gets.
        }
    }

    private void send(ByteBuffer packet) throws IOException {
        byte[] bytes = new byte[packet.remaining()];
        packet.get(bytes);
        writing.lock();
        try {
            out.write(bytes);
        } finally {
            writing.unlock();
        }
    }
}

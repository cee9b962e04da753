package io.godwit.badinput;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;

/** One connection that says exactly what it is told to; reads block, up to a limit. */
final class RawClient implements AutoCloseable {
    private static final Duration READ_LIMIT = Duration.ofSeconds(60);

    /** A packet as it came: its first byte, and what follows the length. */
    record Received(int firstByte, byte[] body) {
        int type() {
            return firstByte & 0xF0;
        }

        int int16(int at) {
            return (body[at] & 0xFF) << 8 | body[at + 1] & 0xFF;
        }

        int int8(int at) {
            return body[at] & 0xFF;
        }

        /** The packet id of a PUBLISH above QoS 0. */
        int publishId() {
            return int16(2 + int16(0));
        }
    }

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    private RawClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) READ_LIMIT.toMillis());
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 64 << 10));
        out = socket.getOutputStream();
    }

    static RawClient open(int port) throws IOException {
        return open(port, 0);
    }

    /**
     * @param receiveBuffer bytes that the kernel takes for a client that does not read; 0 for as
     *     many as it likes
     */
    static RawClient open(int port, int receiveBuffer) throws IOException {
        Socket socket = new Socket();
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.connect(new InetSocketAddress("127.0.0.1", port), (int) READ_LIMIT.toMillis());
        return new RawClient(socket);
    }

    /** Open, and connected with a clean session. */
    static RawClient connected(int port, String clientId) throws IOException {
        RawClient client = open(port);
        client.connect(clientId);
        return client;
    }

    void connect(String clientId) throws IOException {
        send(Bytes.connect(clientId, 0));
        Received answer = read();
        expect("CONNACK", Bytes.CONNACK, answer.type());
        expect("reason code of CONNACK", 0, answer.int8(1));
    }

    void subscribe(String filter, int qos) throws IOException {
        send(Bytes.subscribe(1, qos, filter));
        Received answer = read();
        expect("SUBACK", Bytes.SUBACK, answer.type());
        expect("reason code of SUBACK", qos, answer.int8(answer.body().length - 1));
    }

    /** {@code godwit chaos abuse} runs without the libraries of tests. */
    private static void expect(String what, int expected, int actual) {
        if (actual != expected) {
            throw new AssertionError(what + ": " + actual + " and not " + expected);
        }
    }

    void send(byte[] bytes) throws IOException {
        out.write(bytes);
    }

    void send(byte[] bytes, int count) throws IOException {
        out.write(bytes, 0, count);
    }

    Received read() throws IOException {
        int firstByte = in.readUnsignedByte();
        int length = 0;
        int shift = 0;
        int next;
        do {
            next = in.readUnsignedByte();
            length |= (next & 0x7F) << shift;
            shift += 7;
        } while (next > 0x7F);
        byte[] body = new byte[length];
        in.readFully(body);
        return new Received(firstByte, body);
    }

    /** Waits for a packet of this type and skips others. */
    Received readUntil(int type) throws IOException {
        Received received = read();
        while (received.type() != type) {
            received = read();
        }
        return received;
    }

    /** Asserts that the broker ends the connection, after any packets. */
    void expectEnd() throws IOException {
        try {
            while (true) {
                read();
            }
        } catch (EOFException | SocketException end) {
            // EOF, or a reset when the broker left bytes unread.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

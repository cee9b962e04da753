package io.godwit.server.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;

/** A WebSocket client by hand: its handshake, and frames as bytes (RFC 6455, 5.2). */
final class WebSocketWire {
    static final byte[] MASK = {0x11, (byte) 0xA2, 0x33, (byte) 0xC4};

    private WebSocketWire() {}

    static String request(String path, String subprotocol) {
        return "GET "
                + path
                + " HTTP/1.1\r\nHost: localhost\r\nUpgrade: WebSocket\r\n"
                + "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + (subprotocol.isEmpty() ? "" : "Sec-WebSocket-Protocol: " + subprotocol + "\r\n")
                + "\r\n";
    }

    /** Reads the head of a response, and not a byte more. */
    static String head(Socket socket) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = socket.getInputStream().read();
            if (b < 0) {
                break;
            }
            head.append((char) b);
        }
        return head.toString();
    }

    static byte[] frame(int first, byte[] payload) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(first);
        if (payload.length < 126) {
            out.write(0x80 | payload.length);
        } else if (payload.length < 0x10000) {
            out.write(0x80 | 126);
            out.write(payload.length >> 8);
            out.write(payload.length);
        } else {
            out.write(0x80 | 127);
            out.writeBytes(ByteBuffer.allocate(8).putLong(payload.length).array());
        }
        out.writeBytes(MASK);
        for (int i = 0; i < payload.length; i++) {
            out.write(payload[i] ^ MASK[i % 4]);
        }
        return out.toByteArray();
    }

    record Frame(int first, byte[] payload) {}

    static Frame readFrame(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        int first = in.readUnsignedByte();
        int length = in.readUnsignedByte();
        assertThat(length & 0x80).as("a server does not mask").isZero();
        if (length == 126) {
            length = in.readUnsignedShort();
        } else if (length == 127) {
            length = (int) in.readLong();
        }
        byte[] payload = new byte[length];
        in.readFully(payload);
        return new Frame(first, payload);
    }

    /** Data of binary frames until there is enough. */
    static byte[] readData(Socket socket, int count) throws IOException {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        while (data.size() < count) {
            Frame frame = readFrame(socket);
            assertThat(frame.first()).isEqualTo(0x82);
            data.writeBytes(frame.payload());
        }
        return data.toByteArray();
    }

    static void assertClosedWith(Socket socket, int status) throws IOException {
        Frame frame = readFrame(socket);
        assertThat(frame.first()).isEqualTo(0x88);
        assertThat(ByteBuffer.wrap(frame.payload()).getShort()).isEqualTo((short) status);
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
}

package io.godwit.conformance.wire;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** MQTT in the frames of a WebSocket (6), made by hand. */
public final class WebSocketTransport implements Transport {
    public static final int CONTINUATION = 0;
    public static final int TEXT = 1;
    public static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int FINAL = 0x80;

    private final Socket socket;
    private final DataInputStream in;
    private final Map<String, String> headers = new HashMap<>();
    private int status;
    private byte[] frame = {};
    private int at;

    /**
     * @param protocols value of Sec-WebSocket-Protocol, or null for none
     */
    public WebSocketTransport(InetSocketAddress address, @Nullable String protocols, int timeoutMs)
            throws IOException {
        socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.connect(address, 5_000);
        socket.setSoTimeout(timeoutMs);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        String request =
                "GET /mqtt HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                        + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                        + (protocols == null ? "" : "Sec-WebSocket-Protocol: " + protocols + "\r\n")
                        + "\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        readAnswer();
    }

    /** Status of the answer: 101, or 0 when the server closed without one. */
    public int status() {
        return status;
    }

    /** A header of the answer, or null. */
    public @Nullable String header(String name) {
        return headers.get(name.toLowerCase(Locale.ROOT));
    }

    private void readAnswer() throws IOException {
        try {
            String first = line();
            status = Integer.parseInt(first.substring(9, 12));
            for (String line = line(); !line.isEmpty(); line = line()) {
                int colon = line.indexOf(':');
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).trim());
            }
        } catch (EOFException | SocketException closed) {
            status = 0;
        }
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (int c = in.readUnsignedByte(); c != '\n'; c = in.readUnsignedByte()) {
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    /** All in one binary frame. */
    @Override
    public void send(byte[] bytes) throws IOException {
        sendFrame(BINARY, true, bytes);
    }

    public void sendFrame(int opcode, boolean last, byte[] bytes) throws IOException {
        byte[] length =
                bytes.length < 126
                        ? Bytes.u8(0x80 | bytes.length)
                        : Bytes.concat(Bytes.u8(0xFE), Bytes.u16(bytes.length));
        byte[] mask = {1, 2, 3, 4};
        byte[] masked = bytes.clone();
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= mask[i & 3];
        }
        byte[] first = Bytes.u8(opcode | (last ? FINAL : 0));
        socket.getOutputStream().write(Bytes.concat(first, length, mask, masked));
    }

    @Override
    public int read(long timeoutMs) throws IOException {
        try {
            socket.setSoTimeout((int) Math.max(1, timeoutMs));
            while (at == frame.length) {
                int first = in.read();
                if (first < 0 || (first & 0x0F) == CLOSE) {
                    return -1;
                }
                if ((first & 0x0F) != BINARY && (first & 0x0F) != CONTINUATION) {
                    throw new AssertionError("frame with opcode " + (first & 0x0F));
                }
                int length = in.readUnsignedByte();
                frame = in.readNBytes(length == 126 ? in.readUnsignedShort() : length);
                at = 0;
            }
            return frame[at++] & 0xFF;
        } catch (SocketException | EOFException closed) {
            return -1;
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

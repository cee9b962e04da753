package io.godwit.conformance.target;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;

/** The server side of a WebSocket that says yes to any request and takes any frame for data. */
final class DoubleWebSocket {
    private final DataInputStream in;
    private final OutputStream out;

    DoubleWebSocket(DataInputStream in, OutputStream out) {
        this.in = in;
        this.out = out;
    }

    void shakeHands() throws IOException {
        String key = "";
        String protocol = "";
        for (String line = line(); !line.isEmpty(); line = line()) {
            String lower = line.toLowerCase(Locale.ROOT);
            String value = line.substring(line.indexOf(':') + 1).trim();
            if (lower.startsWith("sec-websocket-key:")) {
                key = value;
            } else if (lower.startsWith("sec-websocket-protocol:")) {
                protocol = "Sec-WebSocket-Protocol: " + value.split(",", -1)[0].trim() + "\r\n";
            }
        }
        String answer =
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Accept: "
                        + accept(key)
                        + "\r\n"
                        + protocol
                        + "\r\n";
        out.write(answer.getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private static String accept(String key) {
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-1")
                            .digest(
                                    (key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
                                            .getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(hash);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
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

    /** The payloads of all frames, one after the other. */
    InputStream input() {
        return new InputStream() {
            private byte[] frame = {};
            private int at;

            @Override
            public int read() throws IOException {
                while (at == frame.length) {
                    frame = readFrame();
                    at = 0;
                }
                return frame[at++] & 0xFF;
            }
        };
    }

    private byte[] readFrame() throws IOException {
        in.readUnsignedByte();
        int length = in.readUnsignedByte() & 0x7F;
        if (length == 126) {
            length = in.readUnsignedShort();
        }
        byte[] mask = in.readNBytes(4);
        byte[] data = in.readNBytes(length);
        for (int i = 0; i < data.length; i++) {
            data[i] ^= mask[i & 3];
        }
        return data;
    }

    /** One binary frame per write. */
    OutputStream output() {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                byte[] head =
                        length < 126
                                ? new byte[] {(byte) 0x82, (byte) length}
                                : new byte[] {
                                    (byte) 0x82, 126, (byte) (length >> 8), (byte) length
                                };
                out.write(head);
                out.write(bytes, offset, length);
                out.flush();
            }
        };
    }
}

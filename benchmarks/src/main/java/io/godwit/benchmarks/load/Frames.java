package io.godwit.benchmarks.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.List;

/** Encodes the few MQTT 3.1.1 packets that the load program sends. */
public final class Frames {
    public static final int CONNACK = 0x20;
    public static final int PUBLISH = 0x30;
    public static final int PUBACK = 0x40;
    public static final int SUBACK = 0x90;

    /** Bytes of a PUBACK, the one packet of a fixed length that is sent in numbers. */
    static final int PUBACK_BYTES = 4;

    private Frames() {}

    /** A CONNECT without credentials. */
    public static ByteBuffer connect(String clientId, int keepAliveSeconds, boolean cleanSession) {
        return connect(clientId, keepAliveSeconds, cleanSession, "");
    }

    /**
     * A CONNECT.
     *
     * @param secret the password of the user who is called like the client; empty = no credentials
     */
    static ByteBuffer connect(
            String clientId, int keepAliveSeconds, boolean cleanSession, String secret) {
        byte[] id = clientId.getBytes(UTF_8);
        byte[] password = secret.getBytes(UTF_8);
        boolean named = password.length > 0;
        int length = 12 + id.length + (named ? 4 + id.length + password.length : 0);
        ByteBuffer out = packet(0x10, length);
        string(out, "MQTT".getBytes(UTF_8))
                .put((byte) 4)
                .put((byte) ((named ? 0xC0 : 0) | (cleanSession ? 2 : 0)))
                .putShort((short) keepAliveSeconds);
        string(out, id);
        if (named) string(string(out, id), password);
        return out.flip();
    }

    /** One SUBSCRIBE for all the filters, each with the same QoS. */
    public static ByteBuffer subscribe(int packetId, List<String> filters, int qos) {
        List<byte[]> encoded = filters.stream().map(f -> f.getBytes(UTF_8)).toList();
        int length = 2 + encoded.stream().mapToInt(f -> f.length + 3).sum();
        ByteBuffer out = packet(0x82, length).putShort((short) packetId);
        encoded.forEach(f -> string(out, f).put((byte) qos));
        return out.flip();
    }

    /**
     * The bytes of a PUBLISH with this topic and payload length: header, topic, packet id, payload.
     */
    public static int publishBytes(int topicBytes, int qos, int payloadBytes) {
        int length = 2 + topicBytes + (qos > 0 ? 2 : 0) + payloadBytes;
        return 1 + varIntBytes(length) + length;
    }

    /**
     * Writes a PUBLISH without its packet id and payload at the buffer's position, which moves past
     * the whole packet.
     */
    public static void publish(ByteBuffer out, byte[] topic, int qos, int payloadBytes) {
        int length = 2 + topic.length + (qos > 0 ? 2 : 0) + payloadBytes;
        varInt(out.put((byte) (PUBLISH | qos << 1)), length);
        string(out, topic);
        out.position(out.position() + (qos > 0 ? 2 : 0) + payloadBytes);
    }

    public static ByteBuffer disconnect() {
        return packet(0xE0, 0).flip();
    }

    private static ByteBuffer packet(int first, int length) {
        ByteBuffer out = ByteBuffer.allocateDirect(1 + varIntBytes(length) + length);
        varInt(out.put((byte) first), length);
        return out;
    }

    private static ByteBuffer string(ByteBuffer out, byte[] bytes) {
        return out.putShort((short) bytes.length).put(bytes);
    }

    private static void varInt(ByteBuffer out, int value) {
        int rest = value;
        for (; rest > 0x7F; rest >>>= 7) out.put((byte) (rest & 0x7F | 0x80));
        out.put((byte) rest);
    }

    private static int varIntBytes(int value) {
        return value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : 4;
    }
}

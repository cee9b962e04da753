package io.godwit.badinput;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Packets as bytes, written down without the broker's own codec. The protocol is 5.0 unless a name
 * says otherwise.
 */
final class Bytes {
    static final int CONNACK = 0x20;
    static final int PUBLISH = 0x30;
    static final int PUBACK = 0x40;
    static final int SUBACK = 0x90;
    static final int PINGRESP = 0xD0;
    static final int DISCONNECT = 0xE0;
    static final byte[] PINGREQ = {(byte) 0xC0, 0};

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private Bytes() {}

    /**
     * @param keepAliveSeconds 0 for none
     */
    static byte[] connect(String clientId, int keepAliveSeconds) {
        return packet(
                0x10,
                new Bytes()
                        .text("MQTT")
                        .raw(5, 0x02)
                        .int16(keepAliveSeconds)
                        .raw(0)
                        .text(clientId));
    }

    /** Continues a session, which then outlives its connection by ten minutes. */
    static byte[] connectToSession(String clientId) {
        return packet(
                0x10,
                new Bytes()
                        .text("MQTT")
                        .raw(5, 0x00)
                        .int16(0)
                        .raw(5, 0x11, 0, 0, 600 >> 8, 600 & 0xFF)
                        .text(clientId));
    }

    /** With a QoS 1 will that is sent when the connection is lost. */
    static byte[] connectWithWill(String clientId, String topic, byte[] properties, byte[] will) {
        return packet(
                0x10,
                new Bytes()
                        .text("MQTT")
                        .raw(5, 0x0E)
                        .int16(0)
                        .raw(0)
                        .text(clientId)
                        .varInt(properties.length)
                        .raw(properties)
                        .text(topic)
                        .int16(will.length)
                        .raw(will));
    }

    /** Continues a session, whose QoS 1 will waits for an hour when the connection is lost. */
    static byte[] connectWithLateWill(String clientId, byte[] properties, byte[] will) {
        return packet(
                0x10,
                new Bytes()
                        .text("MQTT")
                        .raw(5, 0x0C)
                        .int16(0)
                        .raw(5, 0x11, 0, 0, 7200 >> 8, 7200 & 0xFF)
                        .text(clientId)
                        .varInt(5 + properties.length)
                        .raw(0x18, 0, 0, 3600 >> 8, 3600 & 0xFF)
                        .raw(properties)
                        .text("will/" + clientId)
                        .int16(will.length)
                        .raw(will));
    }

    /** Each filter with the same Subscription Identifier. */
    static byte[] numberedSubscribe(int packetId, int identifier, List<String> filters) {
        Bytes body = new Bytes().int16(packetId).raw(identifier < 0x80 ? 2 : 3, 0x0B);
        body.varInt(identifier);
        filters.forEach(filter -> body.text(filter).raw(0));
        return packet(0x82, body);
    }

    /** A CONNECT of MQTT 3.1.1. */
    static byte[] connect311(String clientId) {
        return packet(0x10, new Bytes().text("MQTT").raw(4, 0x02).int16(0).text(clientId));
    }

    /**
     * @param packetId ignored at QoS 0
     */
    static byte[] publish(String topic, byte[] payload, int qos, int packetId) {
        return publish(topic, payload, qos, packetId, false);
    }

    static byte[] publish(String topic, byte[] payload, int qos, int packetId, boolean retain) {
        Bytes body = new Bytes().text(topic);
        if (qos > 0) {
            body.int16(packetId);
        }
        return packet(0x30 | qos << 1 | (retain ? 1 : 0), body.raw(0).raw(payload));
    }

    /** A QoS 1 PUBLISH with a Message Expiry Interval. */
    static byte[] expiringPublish(String topic, int packetId, boolean retain, int expirySeconds) {
        return packet(
                retain ? 0x33 : 0x32,
                new Bytes()
                        .text(topic)
                        .int16(packetId)
                        .raw(5, 0x02)
                        .int16(expirySeconds >> 16)
                        .int16(expirySeconds)
                        .raw(42));
    }

    /** The beginning of a QoS 0 PUBLISH that announces a payload and does not bring it. */
    static byte[] publishHead(String topic, int payloadBytes) {
        Bytes body = new Bytes().text(topic).raw(0);
        return new Bytes()
                .raw(0x30)
                .varInt(body.out.size() + payloadBytes)
                .raw(body.toByteArray())
                .toByteArray();
    }

    static byte[] puback(int packetId) {
        return packet(0x40, new Bytes().int16(packetId));
    }

    static byte[] subscribe(int packetId, int qos, List<String> filters) {
        Bytes body = new Bytes().int16(packetId).raw(0);
        filters.forEach(filter -> body.text(filter).raw(qos));
        return packet(0x82, body);
    }

    static byte[] subscribe(int packetId, int qos, String filter) {
        return subscribe(packetId, qos, List.of(filter));
    }

    /** Any first byte with any length before any body, whether they fit or not. */
    static byte[] lying(int firstByte, int remainingLength, byte... body) {
        return new Bytes().raw(firstByte).varInt(remainingLength).raw(body).toByteArray();
    }

    static byte[] concat(byte[]... parts) {
        Bytes all = new Bytes();
        for (byte[] part : parts) {
            all.raw(part);
        }
        return all.toByteArray();
    }

    /**
     * Bytes of the packet at the buffer's position, or -1 when it isn't whole yet; the position
     * stays.
     */
    static int packetLength(ByteBuffer in) {
        int length = 0;
        for (int i = 1; i < 5 && i < in.remaining(); i++) {
            int next = in.get(in.position() + i);
            length |= (next & 0x7F) << 7 * (i - 1);
            if (next >= 0) {
                int total = 1 + i + length;
                return total <= in.remaining() ? total : -1;
            }
        }
        return -1;
    }

    private static byte[] packet(int firstByte, Bytes body) {
        return lying(firstByte, body.out.size(), body.toByteArray());
    }

    private byte[] toByteArray() {
        return out.toByteArray();
    }

    private Bytes raw(int... bytes) {
        for (int b : bytes) {
            out.write(b);
        }
        return this;
    }

    private Bytes raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    private Bytes int16(int value) {
        return raw(value >> 8, value);
    }

    private Bytes varInt(int value) {
        int rest = value;
        while (rest > 0x7F) {
            out.write(rest & 0x7F | 0x80);
            rest >>>= 7;
        }
        return raw(rest);
    }

    private Bytes text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return int16(utf8.length).raw(utf8);
    }
}

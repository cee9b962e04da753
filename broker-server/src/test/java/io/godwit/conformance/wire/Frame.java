package io.godwit.conformance.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One packet as it came, and its readings. A reading fails the test when the bytes are not exactly
 * such a packet: type, reserved flags, every field, nothing left over.
 */
public record Frame(int firstByte, byte[] body, boolean v5) {
    public record ConnAck(int flags, int reason, PropertyList properties) {
        public boolean sessionPresent() {
            return flags == 1;
        }
    }

    public record Publish(
            boolean dup,
            int qos,
            boolean retain,
            String topic,
            int packetId,
            PropertyList properties,
            byte[] payload) {
        public String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }
    }

    public record Ack(int packetId, int reason, PropertyList properties) {}

    public record SubAck(int packetId, List<Integer> codes, PropertyList properties) {}

    public record Reason(int reason, PropertyList properties) {}

    public int type() {
        return firstByte >> 4;
    }

    /** Bytes of the whole packet. */
    public int size() {
        return 1 + Bytes.varInt(body.length).length + body.length;
    }

    public ConnAck connAck() {
        var in = open(0x20);
        int flags = in.u8();
        int reason = in.u8();
        var properties = v5 ? in.properties() : PropertyList.NONE;
        in.end();
        if (flags > 1) {
            throw new AssertionError("CONNACK with reserved flags: " + this);
        }
        return new ConnAck(flags, reason, properties);
    }

    public Publish publish() {
        if (type() != 3) {
            throw new AssertionError("expected PUBLISH, got " + this);
        }
        var in = new Cursor(body);
        int qos = firstByte >> 1 & 3;
        String topic = in.utf8();
        int packetId = qos > 0 ? in.u16() : 0;
        var properties = v5 ? in.properties() : PropertyList.NONE;
        if (qos == 3 || qos > 0 && packetId == 0) {
            throw new AssertionError("PUBLISH with QoS or Packet Identifier wrong: " + this);
        }
        return new Publish(
                (firstByte & 8) != 0,
                qos,
                (firstByte & 1) != 0,
                topic,
                packetId,
                properties,
                in.rest());
    }

    /**
     * @param type 4 PUBACK, 5 PUBREC, 6 PUBREL, 7 PUBCOMP
     */
    public Ack ack(int type) {
        var in = open(type << 4 | (type == 6 ? 2 : 0));
        int packetId = in.u16();
        int reason = v5 && in.remaining() > 0 ? in.u8() : 0;
        var properties = v5 && in.remaining() > 0 ? in.properties() : PropertyList.NONE;
        in.end();
        return new Ack(packetId, reason, properties);
    }

    public SubAck subAck() {
        return codes(0x90);
    }

    /** 3.1.1 has no codes in it. */
    public SubAck unsubAck() {
        return codes(0xB0);
    }

    /** DISCONNECT of MQTT 5.0. */
    public Reason disconnect() {
        return reason(0xE0);
    }

    public Reason auth() {
        return reason(0xF0);
    }

    private SubAck codes(int expected) {
        var in = open(expected);
        int packetId = in.u16();
        var properties = v5 ? in.properties() : PropertyList.NONE;
        var codes = new ArrayList<Integer>();
        while (in.remaining() > 0) {
            codes.add(in.u8());
        }
        return new SubAck(packetId, List.copyOf(codes), properties);
    }

    private Reason reason(int expected) {
        if (!v5) {
            throw new AssertionError("3.1.1 has no such packet from a server: " + this);
        }
        var in = open(expected);
        int reason = in.remaining() > 0 ? in.u8() : 0;
        var properties = in.remaining() > 0 ? in.properties() : PropertyList.NONE;
        in.end();
        return new Reason(reason, properties);
    }

    private Cursor open(int expected) {
        if (firstByte != expected) {
            throw new AssertionError(
                    "expected a packet that begins with %02x, got %s".formatted(expected, this));
        }
        return new Cursor(body);
    }

    @Override
    public String toString() {
        byte[] head = body.length > 64 ? Arrays.copyOf(body, 64) : body;
        return "%02x (%d) %s%s"
                .formatted(firstByte, body.length, Bytes.hex(head), body.length > 64 ? " ..." : "");
    }
}

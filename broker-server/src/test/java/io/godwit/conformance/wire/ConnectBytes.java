package io.godwit.conformance.wire;

import static io.godwit.conformance.wire.Bytes.bin;
import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.packet;
import static io.godwit.conformance.wire.Bytes.props;
import static io.godwit.conformance.wire.Bytes.u16;
import static io.godwit.conformance.wire.Bytes.u8;
import static io.godwit.conformance.wire.Bytes.utf8;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A CONNECT packet in the making; every field can also be made wrong. */
public final class ConnectBytes implements Sendable {
    private static final int WILL = 0x04;

    private final boolean v5;
    private int level;
    private byte[] protocolName;
    private int firstByte = 0x10;
    private int flags = 0x02;
    private int keepAlive = 0;
    private byte[] clientId;
    private byte[] properties = {};
    private byte[] willProperties = {};
    private byte @Nullable [] willTopic;
    private byte @Nullable [] willPayload;
    private final List<byte[]> tail = new ArrayList<>();

    private ConnectBytes(int level, String protocolName, String clientId) {
        this.v5 = level == 5;
        this.level = level;
        this.protocolName = utf8(protocolName);
        this.clientId = utf8(clientId);
    }

    /** MQTT 5.0, clean start, keep alive off. */
    public static ConnectBytes v5(String clientId) {
        return new ConnectBytes(5, "MQTT", clientId);
    }

    /** MQTT 3.1.1, clean session, keep alive off. */
    public static ConnectBytes v311(String clientId) {
        return new ConnectBytes(4, "MQTT", clientId);
    }

    public ConnectBytes firstByte(int value) {
        firstByte = value;
        return this;
    }

    /** Only the byte on the wire: whether there are properties is decided by {@link #v5}. */
    public ConnectBytes level(int value) {
        level = value;
        return this;
    }

    public ConnectBytes protocolName(byte[] withLength) {
        protocolName = withLength;
        return this;
    }

    /** Sets these bits of Connect Flags, whatever the fields say. */
    public ConnectBytes flag(int bits) {
        flags |= bits;
        return this;
    }

    public ConnectBytes withoutFlag(int bits) {
        flags &= ~bits;
        return this;
    }

    /** Clean Start (5.0) or Clean Session (3.1.1). */
    public ConnectBytes clean(boolean clean) {
        return clean ? flag(0x02) : withoutFlag(0x02);
    }

    public ConnectBytes keepAlive(int seconds) {
        keepAlive = seconds;
        return this;
    }

    /**
     * @param withLength the whole field
     */
    public ConnectBytes clientId(byte[] withLength) {
        clientId = withLength;
        return this;
    }

    public ConnectBytes properties(byte[]... more) {
        properties = concat(properties, concat(more));
        return this;
    }

    public ConnectBytes will(String topic, String payload) {
        return will(utf8(topic), bin(Bytes.text(payload)));
    }

    /** Sets the will's topic and payload, both with their lengths. */
    public ConnectBytes will(byte[] topic, byte[] payload) {
        flags |= WILL;
        willTopic = topic;
        willPayload = payload;
        return this;
    }

    public ConnectBytes willQos(int qos) {
        return flag(qos << 3);
    }

    public ConnectBytes willRetain() {
        return flag(0x20);
    }

    public ConnectBytes willProperties(byte[]... more) {
        willProperties = concat(willProperties, concat(more));
        return this;
    }

    public ConnectBytes userName(byte[] withLength) {
        tail.add(withLength);
        return flag(0x80);
    }

    public ConnectBytes password(byte[] withLength) {
        tail.add(withLength);
        return flag(0x40);
    }

    /** Bytes at the end of the packet that nothing announces. */
    public ConnectBytes tail(byte[] bytes) {
        tail.add(bytes);
        return this;
    }

    public boolean isV5() {
        return v5;
    }

    @Override
    public byte[] bytes() {
        var body = new ArrayList<byte[]>();
        body.add(protocolName);
        body.add(u8(level));
        body.add(u8(flags));
        body.add(u16(keepAlive));
        if (v5) {
            body.add(props(properties));
        }
        body.add(clientId);
        if (willTopic != null && willPayload != null) {
            if (v5) {
                body.add(props(willProperties));
            }
            body.add(willTopic);
            body.add(willPayload);
        }
        body.addAll(tail);
        return packet(firstByte, body.toArray(byte[][]::new));
    }
}

package io.godwit.core.node;

import io.godwit.core.codec.InboundState;
import io.godwit.core.codec.PacketDecoder;
import io.godwit.core.codec.PacketEncoder;
import io.godwit.core.codec.RecordingSink;
import io.godwit.core.codec.Role;
import io.godwit.core.connection.ClientConnection;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.packet.Will;
import io.godwit.core.settings.OverloadSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client of a {@link TestNode} that says exactly what the test wants said. */
public final class TestClient {
    private final PacketDecoder decoder = new PacketDecoder(Role.CLIENT, 16);
    private final InboundState inbound = new InboundState(1 << 28);
    private final RecordingSink sink = new RecordingSink();
    private final ProtocolVersion version;
    final TestWire wire;
    final ClientConnection connection;

    TestClient(TestWire wire, ClientConnection connection, ProtocolVersion version) {
        this.wire = wire;
        this.connection = connection;
        this.version = version;
        inbound.version = version;
    }

    /** Opens a socket to a shard, in a turn of it. */
    public static TestClient open(
            BrokerShard shard, OverloadSettings marks, ProtocolVersion version) {
        TestWire wire = new TestWire(marks.writeHighWater(), marks.writeLowWater());
        ClientConnection connection = shard.open(wire);
        wire.listener(connection);
        return new TestClient(wire, connection, version);
    }

    // ---------------------------------------------------------------- what it says

    public void connect(
            String clientId, boolean cleanStart, long expirySeconds, int receiveMaximum) {
        connect(clientId, cleanStart, expirySeconds, receiveMaximum, null);
    }

    public void connect(
            String clientId,
            boolean cleanStart,
            long expirySeconds,
            int receiveMaximum,
            @Nullable Will will) {
        Properties.Builder properties = Properties.builder();
        if (version.isV5()) {
            if (expirySeconds > 0) {
                properties.add(Property.SESSION_EXPIRY_INTERVAL, expirySeconds);
            }
            if (receiveMaximum > 0) {
                properties.add(Property.RECEIVE_MAXIMUM, receiveMaximum);
            }
        }
        send(
                new Packet.Connect(
                        version,
                        ClientId.of(clientId),
                        cleanStart,
                        60,
                        will,
                        null,
                        null,
                        false,
                        properties.build()));
    }

    public void subscribe(int packetId, int qos, String... filters) {
        List<Packet.Subscription> all = new ArrayList<>();
        for (String filter : filters) {
            all.add(new Packet.Subscription(TopicFilter.of(filter), qos, false, false, 0));
        }
        send(new Packet.Subscribe(packetId, all, Properties.NONE));
    }

    public void publish(String topic, int qos, int packetId, String payload) {
        publish(topic, qos, packetId, false, payload.getBytes(StandardCharsets.UTF_8));
    }

    public void publish(String topic, int qos, int packetId, boolean retain, byte[] payload) {
        send(
                new Packet.Publish(
                        Topic.of(topic), qos, false, retain, packetId, Properties.NONE, payload));
    }

    /** The same once more, with DUP. */
    public void publishAgain(String topic, int qos, int packetId, String payload) {
        byte[] bytes = payload.getBytes(StandardCharsets.UTF_8);
        send(
                new Packet.Publish(
                        Topic.of(topic), qos, true, false, packetId, Properties.NONE, bytes));
    }

    public void ack(PacketType type, int packetId) {
        send(new Packet.Ack(type, packetId, ReasonCode.SUCCESS, Properties.NONE));
    }

    public void send(Packet packet) {
        bytes(encode(packet));
    }

    public ByteBuf encode(Packet packet) {
        ByteBuf out = Unpooled.buffer();
        PacketEncoder.encode(packet, version, out);
        return out;
    }

    public void bytes(ByteBuf bytes) {
        wire.currentListener().onBytes(bytes);
    }

    /** The socket is gone. */
    public void cut() {
        wire.currentListener().onClosed();
    }

    /** The broker has closed the socket. */
    public boolean isClosed() {
        return wire.isClosed();
    }

    /** Whether the broker reads what the client sends. */
    public boolean isRead() {
        return wire.isRead();
    }

    // ---------------------------------------------------------------- what it has read

    /** Has acknowledgements keep their properties, which are dropped otherwise. */
    void keepAckProperties() {
        sink.keepsAckProperties = true;
    }

    public List<Packet> packets() {
        decoder.decode(wire.received(), inbound, sink);
        return sink.packets;
    }

    /** Payloads of what came as PUBLISH, as text. */
    public List<String> payloads() {
        List<String> texts = new ArrayList<>();
        for (Packet packet : packets()) {
            if (packet instanceof Packet.Publish publish) {
                texts.add(new String(publish.payload(), StandardCharsets.UTF_8));
            }
        }
        return texts;
    }

    /** Packet ids of the acknowledgements of one type that came. */
    List<Integer> acks(PacketType type) {
        List<Integer> ids = new ArrayList<>();
        for (Packet packet : packets()) {
            if (packet instanceof Packet.Ack ack && ack.type() == type) {
                ids.add(ack.packetId());
            }
        }
        return ids;
    }

    /** Packet id of the PUBLISH that came last; 0 for none. */
    int lastPacketId() {
        int last = 0;
        for (Packet packet : packets()) {
            if (packet instanceof Packet.Publish publish) {
                last = publish.packetId();
            }
        }
        return last;
    }

    int count(PacketType type) {
        int count = 0;
        for (Packet packet : packets()) {
            if (packet.type() == type) {
                count++;
            }
        }
        return count;
    }
}

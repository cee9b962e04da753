package io.godwit.core.simulation;

import io.godwit.core.codec.InboundState;
import io.godwit.core.codec.PacketEncoder;
import io.godwit.core.codec.PacketSink;
import io.godwit.core.codec.PublishEncoder;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** One connection as its client sees it: bytes to packets and back, and what lives as long. */
final class ClientLink implements Link.Endpoint, PacketSink {
    private final SimulatedNode node;
    private final SimulatedClient client;
    final Packet.Connect connect;
    final int number;
    final Published will;
    private final InboundState inbound = new InboundState(1 << 28);
    private final Map<Integer, Topic> aliases = new HashMap<>();
    private final Bytes undecoded = new Bytes();
    private final ArrayDeque<Runnable> acks = new ArrayDeque<>();
    private Link link;

    /** CONNACK 0 has come. */
    boolean connected;

    /** A DISCONNECT that forgets the will was sent. */
    boolean said;

    boolean closed;

    /** A clean start was asked for later, answered or not: its session, and will, may be over. */
    boolean endAsked;

    /** The client has noticed, or the broker has died: whichever came first. */
    long closedAtMicros = -1;

    long openedAtMicros;

    /** Start of the broker to which it was made. */
    int start;

    /** How often the broker had died before. */
    int crashes;

    /**
     * Microseconds from the connection's end until the client heard that its session goes on; -1 =
     * it never did.
     */
    long resumedAfterMicros = -1;

    /** Receive Maximum of the CONNECT; 0 = as many as the broker likes. */
    final int receiveMaximum;

    private final Set<Integer> unacked = new HashSet<>();
    private final Map<Integer, Integer> qos1 = new HashMap<>();

    ClientLink(
            SimulatedNode node,
            SimulatedClient client,
            Packet.Connect connect,
            int receiveMaximum,
            Published will,
            int number) {
        this.node = node;
        this.client = client;
        this.connect = connect;
        this.receiveMaximum = receiveMaximum;
        this.will = will;
        this.number = number;
        inbound.version = connect.version();
    }

    void open(int shard) {
        openedAtMicros = node.scheduler().micros();
        start = node.starts();
        crashes = node.crashes();
        link = new Link(node, shard, this);
        send(connect);
    }

    Link link() {
        return link;
    }

    void send(Packet packet) {
        ByteBuf bytes = Unpooled.buffer();
        PacketEncoder.encode(packet, connect.version(), bytes);
        link.send(bytes);
    }

    /** PINGREQ, often enough for its keep alive, while it is its client's connection. */
    void ping(int keepAliveSeconds) {
        node.scheduler()
                .background(
                        keepAliveSeconds * 600_000L,
                        () -> {
                            if (client.now == this) {
                                if (connected && !client.frozen) {
                                    send(Packet.PingReq.INSTANCE);
                                }
                                ping(keepAliveSeconds);
                            }
                        });
    }

    void sendPublish(Published of, boolean dup) {
        node.note(
                "c%s sends %s on %s at QoS %s as %s%s",
                client.index, of.number, of.topic, of.qos, of.packetId, dup ? " dup" : "");
        byte[] topic = Topic.of(of.topic).bytes();
        byte[] payload = Payload.of(of.number, of.bytes);
        ByteBuf bytes = Unpooled.buffer();
        new PublishEncoder()
                .write(
                        bytes,
                        connect.version(),
                        PublishEncoder.first(of.qos, dup, of.retain),
                        topic,
                        of.packetId,
                        0,
                        of.expirySeconds == 0 ? -1 : of.expirySeconds,
                        new int[0],
                        PublishFrame.NO_PROPERTIES,
                        payload,
                        true);
        link.send(bytes);
    }

    private void ack(PacketType type, int packetId) {
        ByteBuf bytes = Unpooled.buffer();
        PacketEncoder.ack(bytes, type, packetId);
        link.send(bytes);
    }

    /** Acknowledges, sometimes later, in the order of what came. */
    private void ackSoon(Runnable ack) {
        acks.add(ack);
        if (acks.size() == 1) {
            nextAck();
        }
    }

    private void nextAck() {
        long delay = client.ackDelay();
        if (delay == 0) {
            while (!acks.isEmpty() && !closed) {
                acks.remove().run();
            }
            return;
        }
        node.scheduler()
                .in(
                        delay,
                        () -> {
                            if (!closed && !acks.isEmpty()) {
                                acks.remove().run();
                                if (!acks.isEmpty()) {
                                    nextAck();
                                }
                            }
                        });
    }

    // ---------------------------------------------------------------- from the broker

    @Override
    public ProtocolVersion version() {
        return connect.version();
    }

    @Override
    public void onBytes(byte[] bytes) {
        undecoded.add(Unpooled.wrappedBuffer(bytes));
        ByteBuf in = Unpooled.wrappedBuffer(undecoded.take(Integer.MAX_VALUE));
        node.clientDecoder().decode(in, inbound, this);
        undecoded.add(in);
    }

    @Override
    public void onClosed() {
        if (!closed) {
            if (!undecoded.isEmpty()) {
                node.count(Happening.CUT_IN_A_PACKET_OUT);
            }
            close();
        }
    }

    @Override
    public void onBrokerGone() {
        if (closedAtMicros < 0) {
            closedAtMicros = node.scheduler().micros();
        }
    }

    void close() {
        if (!closed) {
            closed = true;
            onBrokerGone();
            acks.clear();
            client.onClosed(this);
        }
    }

    @Override
    public boolean wantsMore() {
        return !closed;
    }

    @Override
    public void onPublish(PublishFrame frame) {
        check(connected, "PUBLISH before CONNACK");
        Topic topic = frame.topic;
        if (frame.topicAlias > 0) {
            if (topic == null) {
                topic = aliases.get(frame.topicAlias);
                check(topic != null, "alias %s was never set", frame.topicAlias);
            } else {
                aliases.put(frame.topicAlias, topic);
            }
        }
        byte[] payload = frame.copyPayload();
        int id = frame.packetId;
        boolean dup = frame.dup;
        boolean retain = frame.retain;
        int number = Payload.number(payload);
        if (dup) {
            node.count(Happening.SENT_AGAIN_BY_BROKER);
        }
        if (payload.length > 60_000) {
            node.count(Happening.LARGE_PAYLOAD);
        }
        String name = topic.toString();
        if (frame.expirySeconds >= 0 && payload.length > 0) {
            node.checker().checkExpiry(client.view, number, frame.expirySeconds);
        }
        switch (frame.qos) {
            case 0 -> {
                node.count(Happening.DELIVERED_QOS0);
                client.received(payload, name, 0, false, retain);
            }
            case 1 -> {
                node.count(Happening.DELIVERED_QOS1);
                Integer other = qos1.put(id, number);
                check(other == null, "packet id %s for %s is in use for %s", id, number, other);
                count(id);
                client.received(payload, name, 1, dup, retain);
                ackSoon(() -> {
                    qos1.remove(id);
                    unacked.remove(id);
                    client.acknowledged(number);
                    ack(PacketType.PUBACK, id);
                });
            }
            default -> {
                node.count(Happening.DELIVERED_QOS2);
                count(id);
                Integer known = client.inboundQos2.get(id);
                check(
                        known == null || known == number && dup,
                        "packet id %s for %s is in use for %s",
                        id,
                        number,
                        known);
                if (known != null) {
                    countResumed(number);
                }
                if (known == null) {
                    client.inboundQos2.put(id, number);
                    client.received(payload, name, 2, dup, retain);
                }
                ackSoon(() -> {
                    client.acknowledged(number);
                    ack(PacketType.PUBREC, id);
                });
            }
        }
        client.packetId(id);
    }

    private void countResumed(int number) {
        if (number >= 0 && client.view.received(number).firstStart < node.starts()) {
            node.count(Happening.QOS2_RESUMED_OUTBOUND);
        }
    }

    private void count(int packetId) {
        unacked.add(packetId);
        check(
                receiveMaximum == 0 || unacked.size() <= receiveMaximum,
                "%s unacknowledged, Receive Maximum %s",
                unacked.size(),
                receiveMaximum);
    }

    @Override
    public void onAck(PacketType type, int packetId, int reasonCode) {
        if (type == PacketType.PUBREL) {
            countResumed(client.inboundQos2.getOrDefault(packetId, -1));
            ackSoon(() -> {
                unacked.remove(packetId);
                client.inboundQos2.remove(packetId);
                ack(PacketType.PUBCOMP, packetId);
            });
        } else {
            client.publishing.onAck(this, type, packetId, reasonCode);
        }
    }

    @Override
    public void onPacket(Packet packet) {
        switch (packet) {
            case Packet.ConnAck connAck -> client.onConnAck(this, connAck);
            case Packet.SubAck subAck -> client.subscribing.onSubAck(subAck);
            case Packet.UnsubAck unsubAck -> client.subscribing.onUnsubAck(unsubAck);
            case Packet.PingResp ping -> {}
            case Packet.Disconnect disconnect -> {
                node.note("c%s gets DISCONNECT %s", client.index, disconnect);
                client.onDisconnect(disconnect);
            }
            default -> throw new IllegalStateException(packet.toString());
        }
    }

    void check(boolean holds, String message, Object... of) {
        node.checker().check(holds, "c" + client.index + ": " + message, of);
    }
}

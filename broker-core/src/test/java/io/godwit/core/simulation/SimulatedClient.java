package io.godwit.core.simulation;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** A client as the standard has it: its session state outlives its connections. */
final class SimulatedClient {
    /** How long the CONNECT of an impostor may be under way. */
    private static final long IMPOSTOR_LATE_MICROS = 500_000;

    /** How long a group may not have heard that a member's connection has ended. */
    private static final long MAIL_MICROS = 1_000_000;

    private final SimulatedNode node;
    private final RandomGenerator random;
    final int index;
    final ClientId id;
    final ProtocolVersion version;

    /** Seconds; what CONNECT asks for in 5.0, what Clean Session 0 comes to in 3.x. */
    final long expirySeconds;

    final int shard;
    SessionView view;
    ClientLink now;
    private ClientLink lastConnected;
    final List<ClientLink> before = new ArrayList<>();

    final ClientPublishing publishing;
    final ClientSubscribing subscribing;
    final Map<Integer, Integer> inboundQos2 = new HashMap<>();
    private final List<Long> impostorMicros = new ArrayList<>();
    private int lastPacketId;
    private int lastReceivedId;

    /** Something has happened after which the session may be gone. */
    private boolean mayHaveEnded = true;

    private long connectedAtMicros;
    private boolean slow;

    /** Connects again at once when a connection is lost. */
    boolean healing;

    /** Does nothing, not even PINGREQ: keep alive has to run out. */
    boolean frozen;

    /** Does not connect before. */
    long awayUntilMicros;

    SimulatedClient(
            SimulatedNode node, int index, ProtocolVersion version, long expirySeconds, int shard) {
        this.node = node;
        this.random = node.random();
        this.index = index;
        this.id = node.clientId("c" + index);
        this.version = version;
        this.expirySeconds = expirySeconds;
        this.shard = shard;
        this.publishing = new ClientPublishing(node, this);
        this.subscribing = new ClientSubscribing(node, this);
    }

    SimulatedNode node() {
        return node;
    }

    // ---------------------------------------------------------------- connecting

    boolean isConnected() {
        return now != null && now.connected;
    }

    int shard() {
        int shards = node.broker() == null ? 1 : node.shards();
        return shard >= 0 ? shard % shards : random.nextInt(shards);
    }

    void connect(boolean cleanStart, long expiry, int keepAlive, boolean withWill) {
        int maximum = version.isV5() && random.nextBoolean() ? 1 + random.nextInt(5) : 0;
        Published willMessage = null;
        Will will = null;
        if (withWill) {
            String topic = Topics.will(index);
            willMessage = node.checker().publish(this, topic, random.nextInt(3), false, 8, true);
            willMessage.sentAt = node.moment();
            willMessage.sentMicros = node.scheduler().micros();
            long delay = version.isV5() && random.nextBoolean() ? 1 + random.nextInt(3) : 0;
            will =
                    new Will(
                            Topic.of(topic),
                            willMessage.qos,
                            false,
                            Payload.of(willMessage.number, willMessage.bytes),
                            delay,
                            Properties.NONE);
        }
        mayHaveEnded |= cleanStart || expiry < expirySeconds;
        if (lastConnected != null) {
            lastConnected.endAsked |= cleanStart;
        }
        ClientLink link =
                new ClientLink(
                        node,
                        this,
                        connectPacket(cleanStart, expiry, keepAlive, will, maximum),
                        maximum,
                        willMessage,
                        before.size());
        now = link;
        before.add(link);
        int at = shard();
        node.note(
                "c%s connects to shard %s, clean start %s, expiry %s, will %s",
                index, at, cleanStart, expiry, willMessage);
        link.open(at);
        node.scheduler()
                .background(
                        9_000_000,
                        () -> {
                            if (now == link && !link.connected) {
                                link.link().closeByClient();
                                link.close();
                            }
                        });
        if (keepAlive > 0) {
            link.ping(keepAlive);
        }
    }

    Packet.Connect connectPacket(
            boolean cleanStart, long expiry, int keepAlive, Will will, int maximum) {
        Properties.Builder properties = Properties.builder();
        if (version.isV5()) {
            if (expiry > 0) {
                properties.add(Property.SESSION_EXPIRY_INTERVAL, expiry);
            }
            if (maximum > 0) {
                properties.add(Property.RECEIVE_MAXIMUM, maximum);
            }
            if (takesSmallPackets()) {
                properties.add(Property.MAXIMUM_PACKET_SIZE, Shortage.PACKET_BYTES);
            }
            properties.add(Property.TOPIC_ALIAS_MAXIMUM, 3);
        }
        boolean clean = version.isV5() ? cleanStart : cleanStart || expiry == 0;
        return new Packet.Connect(
                version, id, clean, keepAlive, will, null, null, false, properties.build());
    }

    /** Whether its next connection takes small packets only; that of an observer never does. */
    private boolean takesSmallPackets() {
        return node.shortage().smallPackets()
                && !node.isObserver(this)
                && (before.size() + index) % 3 > 0;
    }

    /** A second connection with this client id, that takes no part in anything. */
    void impostor(long expiry) {
        mayHaveEnded |= expiry < expirySeconds;
        impostorMicros.add(node.scheduler().micros());
        node.impostors().come(this, connectPacket(false, expiry, 0, null, 0));
    }

    /**
     * The connection that followed this one, if its client knows that none was between them: no
     * impostor's, and no CONNECT that was cut and may have come through all the same. Else null.
     */
    ClientLink surelyNext(ClientLink link) {
        if (link.number + 1 == before.size()) {
            return null;
        }
        ClientLink next = before.get(link.number + 1);
        long from = link.openedAtMicros - IMPOSTOR_LATE_MICROS;
        long to = next.openedAtMicros + IMPOSTOR_LATE_MICROS;
        boolean alone = impostorMicros.stream().noneMatch(at -> at >= from && at <= to);
        return alone && next.connected ? next : null;
    }

    /** Whether the broker may have taken for alive, at this moment or later, one that has ended. */
    boolean hasLostConnectionSince(long micros) {
        for (ClientLink link : before) {
            long gone = Math.max(link.link().goneAtMicros(), link.closedAtMicros);
            if (link.closed && (!link.link().isGoneInBroker() || gone + MAIL_MICROS >= micros)) {
                return true;
            }
        }
        return false;
    }

    void onConnAck(ClientLink link, Packet.ConnAck connAck) {
        node.note("c%s gets CONNACK %s %s", index, connAck.code(), connAck.sessionPresent());
        if (connAck.code() != 0) {
            node.count(Happening.CONNECT_REFUSED);
            return;
        }
        if (link.link().generation == 0) {
            // Taken over in the same turn: the broker has closed this connection already.
            link.link().closeByClient();
            link.close();
            return;
        }
        link.connected = true;
        boolean clean = link.connect.cleanStart();
        Link wire = link.link();
        boolean same = view != null && view.generation == wire.generation;
        Checker checker = node.checker();
        checker.check(!(clean && same), "c%s: clean start, and the session goes on", index);
        checker.check(!(same && view.ended), "c%s: its session had ended, and goes on", index);
        if (version != ProtocolVersion.MQTT_3_1) {
            checker.check(
                    !same || connAck.sessionPresent(), "c%s: session present is false", index);
        }
        if (!same && view != null) {
            boolean expired =
                    node.scheduler().micros() - connectedAtMicros >= expirySeconds * 1_000_000;
            checker.check(
                    mayHaveEnded || expired, "LOST: c%s's session, which had not expired", index);
            view.ended = true;
        }
        long expiry =
                version.isV5()
                        ? link.connect.properties().number(Property.SESSION_EXPIRY_INTERVAL, 0)
                        : clean ? 0 : expirySeconds;
        mayHaveEnded = expiry < expirySeconds;
        for (ClientLink earlier : before) {
            // A CONNECT that was cut may still be on its way through the broker, and win.
            mayHaveEnded |=
                    earlier != link && !earlier.connected && !earlier.link().isGoneInBroker();
        }
        connectedAtMicros = node.scheduler().micros();
        if (same) {
            node.count(Happening.SESSION_RESUMED);
            view.durable = wire.durable;
            if (lastConnected != null && lastConnected.start < node.starts()) {
                node.count(Happening.SESSION_RECOVERED);
            }
            if (lastConnected != null) {
                lastConnected.resumedAfterMicros = connectedAtMicros - lastConnected.closedAtMicros;
            }
        } else {
            view = new SessionView(node, index, wire.generation, wire.queueId, wire.durable);
            checker.opened(view);
            inboundQos2.clear();
            publishing.forgetUnderWay();
        }
        lastConnected = link;
        if (wire.durable && node.isThere(view)) {
            checker.check(
                    node.watch().hasSession(id, view.queueId),
                    "c%s: CONNACK before the session was on disk",
                    index);
        }
        publishing.connected(
                link,
                (int) Math.min(connAck.properties().number(Property.RECEIVE_MAXIMUM, 65_535), 20));
    }

    void onClosed(ClientLink link) {
        if (now == link) {
            node.note("c%s has lost its connection", index);
            now = null;
            subscribing.onConnectionLost();
            if (healing) {
                node.scheduler().in(1_000 + random.nextInt(30_000), this::heal);
            }
        }
    }

    /** What the broker does not keep through a restart is gone. */
    void onBrokerGone() {
        mayHaveEnded |= view == null || !view.durable;
    }

    void heal() {
        if (now == null && healing) {
            connect(false, expirySeconds, 0, false);
        }
    }

    void onDisconnect(Packet.Disconnect disconnect) {
        if (disconnect.reason() == ReasonCode.PROTOCOL_ERROR
                || disconnect.reason() == ReasonCode.MALFORMED_PACKET
                || disconnect.reason() == ReasonCode.RECEIVE_MAXIMUM_EXCEEDED) {
            throw new IllegalStateException("c" + index + " is told " + disconnect);
        }
    }

    /** DISCONNECT, which forgets the will, and the session with expiry 0. */
    void disconnect(boolean endSession) {
        ClientLink link = now;
        Properties.Builder properties = Properties.builder();
        if (endSession && version.isV5()) {
            properties.add(Property.SESSION_EXPIRY_INTERVAL, 0);
            mayHaveEnded = true;
        }
        node.note("c%s disconnects, end session %s", index, endSession);
        link.send(new Packet.Disconnect(ReasonCode.SUCCESS, properties.build()));
        link.said = true;
        link.link().closeByClient();
        link.close();
    }

    void cut(boolean silent) {
        long notice = silent ? 500_000 + random.nextInt(4_000_000) : random.nextInt(50_000);
        boolean stays = random.nextInt(5) == 0;
        awayUntilMicros =
                node.scheduler().micros() + (stays ? 500_000 + random.nextInt(3_000_000) : 0);
        node.note("c%s is cut, noticed after %s us", index, notice);
        if (silent) {
            node.count(Happening.SILENT_CUT);
        }
        now.link().cut(notice);
    }

    /** One that nothing under way has. */
    int nextPacketId() {
        if (node.profile().lowPacketIds) {
            lastPacketId = 0;
        }
        do {
            lastPacketId = lastPacketId % 65_535 + 1;
        } while (subscribing.uses(lastPacketId) || publishing.uses(lastPacketId));
        return lastPacketId;
    }

    // ---------------------------------------------------------------- receiving

    void received(byte[] payload, String topic, int qos, boolean dup, boolean retain) {
        node.note(
                "c%s receives %s on %s at QoS %s%s%s",
                index,
                Payload.number(payload),
                topic,
                qos,
                dup ? " dup" : "",
                retain ? " retain" : "");
        node.checker().received(view, payload, topic, qos, dup, retain);
    }

    /** PUBACK or PUBREC goes out. */
    void acknowledged(int number) {
        if (number >= 0) {
            view.received(number).acknowledged = true;
        }
    }

    void packetId(int id) {
        if (id > 0) {
            if (id < lastReceivedId && lastReceivedId > 65_000 && id < 1_000) {
                node.count(Happening.PACKET_ID_WRAP);
            }
            lastReceivedId = id;
        }
    }

    long ackDelay() {
        return slow ? random.nextInt(30_000) : 0;
    }

    void slow(boolean now) {
        slow = now;
    }

    /** Nothing is under way any more, or why not. */
    String unfinished() {
        if (!isConnected()) {
            return "not connected";
        }
        if (!publishing.unfinished().isEmpty()) {
            return publishing.unfinished();
        }
        return subscribing.isUnderWay() ? "without SUBACK" : "";
    }

    /** Forgets its state: what comes is the end of the run. */
    void leave() {
        healing = false;
        if (isConnected()) {
            disconnect(false);
        } else if (now != null) {
            now.link().closeByClient();
            now.close();
        }
        connect(true, 0, 0, false);
        ClientLink link = now;
        node.scheduler()
                .in(
                        1_000_000,
                        () -> {
                            if (now == link && link.connected) {
                                disconnect(false);
                            }
                        });
    }
}

package io.godwit.core.simulation;

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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** A client as the standard has it: its session state outlives its connections. */
final class SimulatedClient {
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

    /** Not acknowledged yet, in order; the first {@link #sent} of them were sent. */
    final ArrayDeque<Published> waiting = new ArrayDeque<>();

    private final List<Published> underWay = new ArrayList<>();
    final Map<Integer, Integer> inboundQos2 = new HashMap<>();
    private final Map<Integer, List<Subscribed>> subscribing = new HashMap<>();
    private final Map<Integer, List<Subscribed>> unsubscribing = new HashMap<>();
    private int lastPacketId;
    private int lastReceivedId;
    private int receiveMaximum;

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
        this.id = ClientId.of("c" + index);
        this.version = version;
        this.expirySeconds = expirySeconds;
        this.shard = shard;
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
            ping(link, keepAlive);
        }
    }

    private void ping(ClientLink link, int keepAlive) {
        node.scheduler()
                .background(
                        keepAlive * 600_000L,
                        () -> {
                            if (now == link) {
                                if (link.connected && !frozen) {
                                    link.send(Packet.PingReq.INSTANCE);
                                }
                                ping(link, keepAlive);
                            }
                        });
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
            properties.add(Property.TOPIC_ALIAS_MAXIMUM, 3);
        }
        boolean clean = version.isV5() ? cleanStart : cleanStart || expiry == 0;
        return new Packet.Connect(
                version, id, clean, keepAlive, will, null, null, false, properties.build());
    }

    /** A second connection with this client id, that takes no part in anything. */
    void impostor(long expiry) {
        mayHaveEnded |= expiry < expirySeconds;
        node.impostor(this, connectPacket(false, expiry, 0, null, 0));
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
        receiveMaximum =
                (int) Math.min(connAck.properties().number(Property.RECEIVE_MAXIMUM, 65_535), 20);
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
            forgetUnderWay();
        }
        lastConnected = link;
        if (wire.durable && node.isThere(view)) {
            checker.check(
                    node.watch().hasSession(id, view.queueId),
                    "c%s: CONNACK before the session was on disk",
                    index);
        }
        for (Published of : List.copyOf(underWay)) {
            if (of.qos == 2 && of.sentStart < node.starts()) {
                node.count(Happening.QOS2_RESUMED_INBOUND);
            }
            of.sentStart = node.starts();
            if (of.state == Published.State.RECEIVED) {
                link.send(
                        new Packet.Ack(
                                PacketType.PUBREL,
                                of.packetId,
                                ReasonCode.SUCCESS,
                                Properties.NONE));
            } else {
                node.count(Happening.SENT_AGAIN_BY_CLIENT);
                of.sends++;
                link.sendPublish(of, true);
            }
        }
        sendWaiting();
    }

    /** The session is a new one: what was unacknowledged is over, QoS 1 begins anew. */
    private void forgetUnderWay() {
        for (int i = underWay.size() - 1; i >= 0; i--) {
            Published of = underWay.get(i);
            if (of.state != Published.State.RECEIVED) {
                of.abandoned = true;
            }
        }
        underWay.clear();
    }

    void onClosed(ClientLink link) {
        if (now == link) {
            node.note("c%s has lost its connection", index);
            now = null;
            subscribing.clear();
            unsubscribing.clear();
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

    // ---------------------------------------------------------------- subscribing

    void subscribe(List<String> filters, int qosMax) {
        if (subscribing.size() + unsubscribing.size() > 10) {
            return;
        }
        List<Packet.Subscription> asked = new ArrayList<>();
        List<Subscribed> made = new ArrayList<>();
        boolean v5 = version.isV5();
        int packetId = nextPacketId();
        long moment = node.moment();
        for (String filter : filters) {
            boolean shared = filter.startsWith("$share/");
            int qos = random.nextInt(qosMax + 1);
            boolean noLocal = v5 && !shared && random.nextInt(5) == 0;
            boolean rap = v5 && random.nextInt(4) == 0;
            int handling = v5 ? random.nextInt(3) : 0;
            asked.add(new Packet.Subscription(TopicFilter.of(filter), qos, noLocal, rap, handling));
            Subscribed s =
                    new Subscribed(filter, qos, noLocal, rap, handling < 2 && !shared, moment);
            for (Subscribed older : view.subscriptions) {
                if (older.filter.equals(filter) && older.endsAt > moment) {
                    older.endsAt = moment;
                    older.replacedBy = s;
                }
            }
            made.add(s);
            view.subscriptions.add(s);
        }
        Properties.Builder properties = Properties.builder();
        if (v5 && random.nextInt(3) == 0) {
            properties.add(Property.SUBSCRIPTION_IDENTIFIER, 1 + random.nextInt(300));
        }
        node.note("c%s subscribes %s", index, asked);
        subscribing.put(packetId, made);
        now.send(new Packet.Subscribe(packetId, asked, properties.build()));
    }

    /** One filter at QoS 2, with what is retained there. */
    void observe(String filter) {
        int packetId = nextPacketId();
        Subscribed s = new Subscribed(filter, 2, false, false, true, node.moment());
        view.subscriptions.add(s);
        subscribing.put(packetId, new ArrayList<>(List.of(s)));
        now.send(
                new Packet.Subscribe(
                        packetId,
                        List.of(
                                new Packet.Subscription(
                                        TopicFilter.of(filter), 2, false, false, 0)),
                        Properties.NONE));
    }

    void onSubAck(Packet.SubAck subAck) {
        List<Subscribed> made = subscribing.remove(subAck.packetId());
        Checker checker = node.checker();
        checker.check(made != null, "c%s: SUBACK for nothing", index);
        long moment = node.moment();
        node.note("c%s gets SUBACK at %s", index, moment);
        for (int i = 0; i < made.size(); i++) {
            Subscribed s = made.get(i);
            if (subAck.codes()[i] < 0) {
                s.endsAt = moment;
                continue;
            }
            checker.check(subAck.codes()[i] == s.qos, "c%s: granted QoS", index);
            s.ackedAt = moment;
            if (view.durable && !s.leaving && node.isThere(view)) {
                checker.check(
                        node.watch().hasSubscription(view.queueId, s.filter),
                        "c%s: SUBACK before %s was on disk",
                        index,
                        s.filter);
            }
        }
    }

    void unsubscribe(String filter) {
        if (subscribing.size() + unsubscribing.size() > 10) {
            return;
        }
        List<Subscribed> left = new ArrayList<>();
        long moment = node.moment();
        for (Subscribed s : view.subscriptions) {
            if (s.filter.equals(filter)) {
                s.endsAt = Math.min(s.endsAt, moment);
                s.leaving = true;
                left.add(s);
            }
        }
        int packetId = nextPacketId();
        unsubscribing.put(packetId, left);
        node.note("c%s unsubscribes %s", index, filter);
        now.send(
                new Packet.Unsubscribe(packetId, List.of(TopicFilter.of(filter)), Properties.NONE));
    }

    void onUnsubAck(Packet.UnsubAck unsubAck) {
        List<Subscribed> left = unsubscribing.remove(unsubAck.packetId());
        node.checker().check(left != null, "c%s: UNSUBACK for nothing", index);
        if (version.isV5() && unsubAck.codes()[0] < 0) {
            return;
        }
        node.count(Happening.UNSUBSCRIBED);
        long moment = node.moment();
        for (Subscribed s : left) {
            s.overAt = moment;
        }
    }

    // ---------------------------------------------------------------- publishing

    void publish(String topic, int qos, boolean retain, int bytes) {
        Published of = node.checker().publish(this, topic, qos, retain, bytes, false);
        waiting.add(of);
        if (isConnected()) {
            sendWaiting();
        }
    }

    private void sendWaiting() {
        while (!waiting.isEmpty() && !now.closed) {
            Published of = waiting.element();
            if (of.qos > 0 && underWay.size() >= receiveMaximum) {
                return;
            }
            waiting.remove();
            of.generation = view.generation;
            of.connection = now.number;
            of.sentAt = node.moment();
            of.sentMicros = node.scheduler().micros();
            of.sends = 1;
            of.firstStart = node.starts();
            of.sentStart = node.starts();
            if (of.qos > 0) {
                of.packetId = nextPacketId();
                of.state = Published.State.SENT;
                underWay.add(of);
            }
            now.sendPublish(of, false);
        }
    }

    void onAck(ClientLink link, PacketType type, int packetId, int reasonCode) {
        Published of = null;
        for (Published each : underWay) {
            if (each.packetId == packetId) {
                of = each;
            }
        }
        if (of == null) {
            node.checker().check(type == PacketType.PUBCOMP, "c%s: stray %s", index, type);
            return;
        }
        switch (type) {
            case PUBACK -> {
                node.checker().check(of.qos == 1, "c%s: PUBACK for %s", index, of);
                underWay.remove(of);
                acknowledged(of, reasonCode);
            }
            case PUBREC -> {
                node.checker().check(of.qos == 2, "c%s: PUBREC for %s", index, of);
                if (reasonCode >= 0x80) {
                    of.state = Published.State.DONE;
                    underWay.remove(of);
                    acknowledged(of, reasonCode);
                    break;
                }
                if (of.state == Published.State.SENT) {
                    of.state = Published.State.RECEIVED;
                    acknowledged(of, reasonCode);
                }
                link.send(
                        new Packet.Ack(
                                PacketType.PUBREL, packetId, ReasonCode.SUCCESS, Properties.NONE));
            }
            case PUBCOMP -> {
                of.state = Published.State.DONE;
                underWay.remove(of);
            }
            default -> throw new IllegalStateException(type.toString());
        }
        sendWaiting();
    }

    private void acknowledged(Published of, int reasonCode) {
        if (reasonCode == ReasonCode.QUOTA_EXCEEDED.code()) {
            // Publishers wait; a copy that was parked for an earlier connection may still go out.
            node.count(Happening.REFUSED_IN_ALARM);
            of.abandoned = true;
            return;
        }
        node.checker().check(reasonCode < 0x80, "c%s: %s refused", index, of);
        of.ackedAt = node.moment();
        of.ackedCrashes = node.crashes();
        node.checker().acknowledged(of, view);
    }

    private int nextPacketId() {
        boolean used;
        if (node.profile().lowPacketIds) {
            lastPacketId = 0;
        }
        do {
            lastPacketId = lastPacketId % 65_535 + 1;
            int id = lastPacketId;
            used =
                    subscribing.containsKey(id)
                            || unsubscribing.containsKey(id)
                            || underWay.stream().anyMatch(each -> each.packetId == id);
        } while (used);
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
        view.received(number).acknowledged = true;
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
        if (!waiting.isEmpty() || !underWay.isEmpty()) {
            return "unacknowledged " + underWay + ", waiting " + waiting.size();
        }
        return subscribing.isEmpty() && unsubscribing.isEmpty() ? "" : "without SUBACK";
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

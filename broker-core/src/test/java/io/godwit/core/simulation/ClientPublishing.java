package io.godwit.core.simulation;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.settings.QueuePolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** What a client publishes: sent within its window, sent again, and acknowledged. */
final class ClientPublishing {
    private final SimulatedNode node;
    private final SimulatedClient client;

    /** Not sent yet, in order. */
    private final ArrayDeque<Published> waiting = new ArrayDeque<>();

    /** Sent and not acknowledged, in order. */
    private final List<Published> underWay = new ArrayList<>();

    private int receiveMaximum;

    ClientPublishing(SimulatedNode node, SimulatedClient client) {
        this.node = node;
        this.client = client;
    }

    /** CONNACK has come: what is under way goes out again, then what waits. */
    void connected(ClientLink link, int receiveMaximum) {
        this.receiveMaximum = receiveMaximum;
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
                of.sentTo(node.counts().refused());
                link.sendPublish(of, true);
            }
        }
        sendWaiting();
    }

    /** The session is a new one: what was unacknowledged is over, QoS 1 begins anew. */
    void forgetUnderWay() {
        for (int i = underWay.size() - 1; i >= 0; i--) {
            Published of = underWay.get(i);
            if (of.state != Published.State.RECEIVED) {
                of.abandoned = true;
            }
        }
        underWay.clear();
    }

    boolean uses(int packetId) {
        return underWay.stream().anyMatch(each -> each.packetId == packetId);
    }

    /** Empty when nothing is. */
    String unfinished() {
        return waiting.isEmpty() && underWay.isEmpty()
                ? ""
                : "unacknowledged " + underWay + ", waiting " + waiting.size();
    }

    void publish(String topic, int qos, boolean retain, int bytes, int expirySeconds) {
        Published of = node.checker().publish(client, topic, qos, retain, bytes, false);
        of.expirySeconds = expirySeconds;
        waiting.add(of);
        if (client.isConnected()) {
            sendWaiting();
        }
    }

    private void sendWaiting() {
        while (!waiting.isEmpty() && !client.now.closed) {
            Published of = waiting.element();
            if (of.qos > 0 && underWay.size() >= receiveMaximum) {
                return;
            }
            waiting.remove();
            of.generation = client.view.generation;
            of.connection = client.now.number;
            of.sentAt = node.moment();
            of.sentMicros = node.scheduler().micros();
            of.sentTo(node.counts().refused());
            of.firstStart = node.starts();
            of.sentStart = node.starts();
            if (of.qos > 0) {
                of.packetId = client.nextPacketId();
                of.state = Published.State.SENT;
                underWay.add(of);
            }
            client.now.sendPublish(of, false);
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
            node.checker().check(type == PacketType.PUBCOMP, "c%s: stray %s", client.index, type);
            return;
        }
        switch (type) {
            case PUBACK -> {
                node.checker().check(of.qos == 1, "c%s: PUBACK for %s", client.index, of);
                underWay.remove(of);
                acknowledged(of, reasonCode);
            }
            case PUBREC -> {
                node.checker().check(of.qos == 2, "c%s: PUBREC for %s", client.index, of);
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
            node.count(
                    node.profile().shortage.policy() == QueuePolicy.REJECT
                            ? Happening.REFUSED_FULL
                            : Happening.REFUSED_IN_ALARM);
            of.abandoned = true;
            of.refused = true;
            return;
        }
        node.checker().check(reasonCode < 0x80, "c%s: %s refused", client.index, of);
        of.ackedAt = node.moment();
        of.ackedCrashes = node.crashes();
        node.checker().acknowledged(of, client.view);
    }
}

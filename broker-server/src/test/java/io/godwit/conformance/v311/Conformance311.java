package io.godwit.conformance.v311;

import static io.godwit.conformance.wire.Bytes.bin;
import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.hex;
import static io.godwit.conformance.wire.Bytes.packet;
import static io.godwit.conformance.wire.Bytes.u16;
import static io.godwit.conformance.wire.Bytes.u8;
import static io.godwit.conformance.wire.Bytes.utf8;

import io.godwit.conformance.Conformance;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.WireClient;
import java.util.List;

/** A test that speaks MQTT 3.1.1, and the packets that several tests build. */
abstract class Conformance311 extends Conformance {
    static final int PUBACK = 4;
    static final int PUBREC = 5;
    static final int PUBREL = 6;
    static final int PUBCOMP = 7;

    /** Strings, with their lengths, that are not well-formed UTF-8. */
    static final List<byte[]> ILL_FORMED =
            List.of(
                    bin(hex("61 80")), // a continuation byte alone
                    bin(hex("c0 af")), // overlong form of '/'
                    bin(hex("ed a0 80")), // surrogate D800
                    bin(hex("ed bf bf")), // surrogate DFFF
                    bin(hex("f4 90 80 80")), // above U+10FFFF
                    bin(hex("61 e2 82"))); // cut short

    /** U+0000 in the middle. */
    static final byte[] WITH_NULL = bin(hex("61 00 62"));

    @Override
    protected boolean v5() {
        return false;
    }

    /** CONNECT with Clean Session 0. */
    ConnectBytes resuming(String clientId) {
        return connect(clientId).clean(false);
    }

    WireClient subscriber(String filter, int qos) {
        return client().subscribe(filter, qos);
    }

    /** Connects, sends these bytes, and expects the end of the connection. */
    void closes(byte[]... bad) {
        client().send(bad).closed();
    }

    static byte[] subscribe(int packetId, String filter, int qos) {
        return packet(0x82, u16(packetId), entry(filter, qos));
    }

    static byte[] subscribeAll(int packetId, byte[]... filtersAndQos) {
        return packet(0x82, u16(packetId), concat(filtersAndQos));
    }

    static byte[] entry(String filter, int qos) {
        return concat(utf8(filter), u8(qos));
    }

    static byte[] unsubscribe(int packetId, String... filters) {
        byte[] all = {};
        for (String filter : filters) {
            all = concat(all, utf8(filter));
        }
        return packet(0xA2, u16(packetId), all);
    }

    void retains(WireClient publisher, String topic, String payload) {
        int packetId = publisher.nextPacketId();
        publisher.send(publish(topic).qos(1, packetId).retain().payload(payload)).pubAck(packetId);
    }

    /** Takes a QoS 2 message to its end and returns its Packet Identifier. */
    static int completes(WireClient subscriber, String payload) {
        int packetId = subscriber.publish(payload).packetId();
        subscriber.sendAck(PUBREC, packetId).pubRel(packetId);
        subscriber.sendAck(PUBCOMP, packetId);
        return packetId;
    }
}

package io.godwit.conformance.v5;

import static io.godwit.conformance.wire.Bytes.bin;
import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.hex;
import static io.godwit.conformance.wire.Bytes.packet;
import static io.godwit.conformance.wire.Bytes.props;
import static io.godwit.conformance.wire.Bytes.u16;
import static io.godwit.conformance.wire.Bytes.u8;
import static io.godwit.conformance.wire.Bytes.utf8;

import io.godwit.conformance.Conformance;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.WireClient;
import java.util.List;

/** A test that speaks MQTT 5.0, and the packets that several tests build. */
abstract class Conformance5 extends Conformance {
    static final int QOS_0 = 0;
    static final int QOS_1 = 1;
    static final int QOS_2 = 2;
    static final int NO_LOCAL = 0x04;
    static final int RETAIN_AS_PUBLISHED = 0x08;
    static final int RETAIN_HANDLING_1 = 0x10;
    static final int RETAIN_HANDLING_2 = 0x20;

    static final int PUBACK = 4;
    static final int PUBREC = 5;
    static final int PUBREL = 6;
    static final int PUBCOMP = 7;

    /** Strings, with their lengths, that are not well-formed UTF-8. */
    static final List<byte[]> ILL_FORMED =
            List.of(
                    bin(hex("61 80")), // a continuation byte alone
                    bin(hex("c0 af")), // overlong form of '/'
                    bin(hex("e0 80 af")), // overlong
                    bin(hex("ed a0 80")), // surrogate D800
                    bin(hex("ed bf bf")), // surrogate DFFF
                    bin(hex("f4 90 80 80")), // above U+10FFFF
                    bin(hex("61 e2 82")), // cut short
                    bin(hex("ff"))); // never in UTF-8

    /** U+0000 in the middle. */
    static final byte[] WITH_NULL = bin(hex("61 00 62"));

    @Override
    protected boolean v5() {
        return true;
    }

    /** CONNECT without Clean Start and with a session that outlives the connection. */
    ConnectBytes resuming(String clientId) {
        return connect(clientId).clean(false).properties(Props.sessionExpiry(60));
    }

    WireClient subscriber(String filter, int options) {
        return client().subscribe(filter, options);
    }

    static byte[] subscribe(int packetId, String filter, int options, byte[]... properties) {
        return subscribe(packetId, props(properties), utf8(filter), options);
    }

    /**
     * @param properties with their length
     * @param filter with its length
     */
    static byte[] subscribe(int packetId, byte[] properties, byte[] filter, int options) {
        return packet(0x82, u16(packetId), properties, filter, u8(options));
    }

    static byte[] subscribeAll(int packetId, byte[]... filtersAndOptions) {
        return packet(0x82, u16(packetId), props(), concat(filtersAndOptions));
    }

    /** A Topic Filter and its Subscription Options. */
    static byte[] entry(String filter, int options) {
        return concat(utf8(filter), u8(options));
    }

    static byte[] unsubscribe(int packetId, String... filters) {
        byte[] all = {};
        for (String filter : filters) {
            all = concat(all, utf8(filter));
        }
        return packet(0xA2, u16(packetId), props(), all);
    }

    /** The long form of PUBACK (4), PUBREC (5), PUBREL (6), PUBCOMP (7). */
    static byte[] ack(int type, int packetId, int reason, byte[]... properties) {
        int first = type << 4 | (type == PUBREL ? 2 : 0);
        return packet(first, u16(packetId), u8(reason), props(properties));
    }

    static byte[] disconnect(int reason, byte[]... properties) {
        return packet(0xE0, u8(reason), props(properties));
    }

    static byte[] auth(int reason, byte[]... properties) {
        return packet(0xF0, u8(reason), props(properties));
    }

    /** Takes a QoS 2 message to its end and returns its Packet Identifier. */
    static int completes(WireClient subscriber, String payload) {
        int packetId = subscriber.publish(payload).packetId();
        subscriber.sendAck(PUBREC, packetId).pubRel(packetId, 0);
        subscriber.sendAck(PUBCOMP, packetId);
        return packetId;
    }
}

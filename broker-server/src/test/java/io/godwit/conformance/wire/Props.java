package io.godwit.conformance.wire;

import static io.godwit.conformance.wire.Bytes.bin;
import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.u16;
import static io.godwit.conformance.wire.Bytes.u32;
import static io.godwit.conformance.wire.Bytes.u8;
import static io.godwit.conformance.wire.Bytes.utf8;
import static io.godwit.conformance.wire.Bytes.varInt;

/** Properties of MQTT 5.0 (2.2.2.2), each as identifier and value. */
public final class Props {
    private Props() {}

    public static byte[] payloadFormat(int value) {
        return concat(u8(0x01), u8(value));
    }

    public static byte[] messageExpiry(long seconds) {
        return concat(u8(0x02), u32(seconds));
    }

    public static byte[] contentType(String type) {
        return concat(u8(0x03), utf8(type));
    }

    public static byte[] responseTopic(String topic) {
        return concat(u8(0x08), utf8(topic));
    }

    public static byte[] correlationData(byte[] data) {
        return concat(u8(0x09), bin(data));
    }

    public static byte[] subscriptionId(int id) {
        return concat(u8(0x0B), varInt(id));
    }

    public static byte[] sessionExpiry(long seconds) {
        return concat(u8(0x11), u32(seconds));
    }

    public static byte[] authMethod(String method) {
        return concat(u8(0x15), utf8(method));
    }

    public static byte[] authData(byte[] data) {
        return concat(u8(0x16), bin(data));
    }

    public static byte[] requestProblemInformation(int value) {
        return concat(u8(0x17), u8(value));
    }

    public static byte[] willDelay(long seconds) {
        return concat(u8(0x18), u32(seconds));
    }

    public static byte[] requestResponseInformation(int value) {
        return concat(u8(0x19), u8(value));
    }

    public static byte[] serverReference(String server) {
        return concat(u8(0x1C), utf8(server));
    }

    public static byte[] reasonString(String reason) {
        return concat(u8(0x1F), utf8(reason));
    }

    public static byte[] receiveMaximum(int value) {
        return concat(u8(0x21), u16(value));
    }

    public static byte[] topicAliasMaximum(int value) {
        return concat(u8(0x22), u16(value));
    }

    public static byte[] topicAlias(int value) {
        return concat(u8(0x23), u16(value));
    }

    public static byte[] userProperty(String name, String value) {
        return concat(u8(0x26), utf8(name), utf8(value));
    }

    public static byte[] maximumPacketSize(long bytes) {
        return concat(u8(0x27), u32(bytes));
    }
}

package io.godwit.benchmarks.load.cluster;

import java.nio.ByteBuffer;

/**
 * A packet that a client has read.
 *
 * @param first the first byte: type and flags
 * @param packetId 0 = it has none
 * @param payload of a PUBLISH; of another packet what follows the packet id
 */
record Packet(int first, int packetId, ByteBuffer payload) {
    static final int PUBLISH = 0x30;
    static final int PUBACK = 0x40;
    static final int PUBREC = 0x50;
    static final int PUBREL = 0x62;
    static final int PUBCOMP = 0x70;
    static final int SUBACK = 0x90;
    static final int UNSUBACK = 0xB0;

    /**
     * @param body what follows the fixed header
     */
    static Packet of(int first, ByteBuffer body) {
        int id = 0;
        if ((first & 0xF0) == PUBLISH) {
            body.position(body.position() + 2 + (body.getShort(body.position()) & 0xFFFF));
            if ((first & 0x06) != 0) id = body.getShort() & 0xFFFF;
        } else if (body.remaining() >= 2) {
            id = body.getShort() & 0xFFFF;
        }
        return new Packet(first, id, body);
    }

    /** One of the constants. */
    int type() {
        return (first & 0xF0) == 0x60 ? PUBREL : first & 0xF0;
    }

    int qos() {
        return first >> 1 & 3;
    }
}

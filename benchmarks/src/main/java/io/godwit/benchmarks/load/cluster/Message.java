package io.godwit.benchmarks.load.cluster;

import java.nio.ByteBuffer;

/**
 * A message that a client publishes: its payload begins with the stream that it belongs to (4
 * bytes) and its number in that stream (8 bytes, from 0).
 *
 * @param packetId of the PUBLISH; it doesn't matter at QoS 0
 */
record Message(byte[] topic, int qos, int packetId, byte[] payload) {
    static final int LEAST_BYTES = 12;

    static Message numbered(byte[] topic, int qos, int stream, long number, int payloadBytes) {
        byte[] payload = new byte[Math.max(LEAST_BYTES, payloadBytes)];
        ByteBuffer.wrap(payload).putInt(stream).putLong(number);
        return new Message(topic, qos, (int) (number % 0xFFFF) + 1, payload);
    }

    static int stream(Packet publish) {
        return publish.payload().getInt(publish.payload().position());
    }

    static long number(Packet publish) {
        return publish.payload().getLong(publish.payload().position() + 4);
    }
}

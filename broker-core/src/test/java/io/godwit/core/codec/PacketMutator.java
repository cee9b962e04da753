package io.godwit.core.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Changes to a valid packet as a faulty or hostile peer would make them. Most keep the fixed header
 * in step with the body, so that the change is looked at where it stands and not cut off before.
 */
final class PacketMutator {
    /** Bytes at which decoders take turns: flags, lengths, parts of UTF-8, wildcards. */
    private static final int[] TELLING = {
        0x00, 0x01, 0x02, 0x03, 0x04, 0x7F, 0x80, 0x81, 0xBF, 0xC0, 0xC1, 0xE0, 0xED, 0xF4, 0xF5,
        0xFF, '+', '#', '/', '$', 0x0B, 0x11, 0x1F, 0x21, 0x23, 0x26
    };

    private final SplittableRandom random;

    PacketMutator(SplittableRandom random) {
        this.random = random;
    }

    /**
     * @param packet a whole valid packet
     * @param other another one, to splice from
     */
    byte[] mutate(byte[] packet, byte[] other) {
        int headerLength = headerLength(packet);
        byte first = packet[0];
        byte[] body = Arrays.copyOfRange(packet, headerLength, packet.length);
        int kind = random.nextInt(100);
        if (kind < 6) {
            return header(first, body);
        }
        if (kind < 8) {
            byte[] noise = new byte[random.nextInt(40)];
            random.nextBytes(noise);
            return noise;
        }
        if (kind < 12) {
            first = other[0];
        }
        int changes =
                random.nextInt(4) == 0 ? 2 + random.nextInt(3) : random.nextInt(5) == 0 ? 0 : 1;
        for (int i = 0; i < changes; i++) {
            body = change(body, other);
        }
        return whole(first, body);
    }

    private byte[] change(byte[] body, byte[] other) {
        int length = body.length;
        int at = length == 0 ? 0 : random.nextInt(length);
        switch (random.nextInt(9)) {
            case 0 -> {
                return set(body, at, length == 0 ? 0 : body[at] ^ 1 << random.nextInt(8));
            }
            case 1 -> {
                return set(body, at, TELLING[random.nextInt(TELLING.length)]);
            }
            case 2 -> {
                return set(body, at, random.nextInt(256));
            }
            case 3 -> { // a two-byte length that lies
                int lie = random.nextBoolean() ? 0xFFFF : random.nextInt(length + 3);
                return set(set(body, at, lie >> 8), at + 1, lie);
            }
            case 4 -> { // bytes too many
                byte[] more = new byte[1 + random.nextInt(4)];
                random.nextBytes(more);
                return splice(body, random.nextInt(length + 1), 0, more);
            }
            case 5 -> { // bytes too few
                int gone = Math.min(length - at, 1 + random.nextInt(4));
                return splice(body, at, gone, new byte[0]);
            }
            case 6 -> { // a part stands twice
                int size = Math.min(length - at, 1 + random.nextInt(12));
                return splice(body, at, 0, Arrays.copyOfRange(body, at, at + size));
            }
            case 7 -> { // a part of another packet
                int from = random.nextInt(other.length);
                int size = Math.min(other.length - from, random.nextInt(12));
                byte[] part = Arrays.copyOfRange(other, from, from + size);
                return splice(body, at, Math.min(length - at, random.nextInt(12)), part);
            }
            default -> {
                return doubleProperty(body);
            }
        }
    }

    /** Looks for what may be Property Length, and lets the first bytes behind it stand twice. */
    private byte[] doubleProperty(byte[] body) {
        for (int tries = 0; tries < 8 && body.length > 0; tries++) {
            int at = random.nextInt(body.length);
            int length = body[at];
            if (length >= 2 && length <= 60 && at + 1 + length <= body.length) {
                int size = Math.min(length, 2 + random.nextInt(8));
                byte[] part = Arrays.copyOfRange(body, at + 1, at + 1 + size);
                return set(splice(body, at + 1, 0, part), at, length + size);
            }
        }
        return body;
    }

    /** The fixed header itself is wrong. */
    private byte[] header(byte first, byte[] body) {
        ByteBuf out = Unpooled.buffer();
        switch (random.nextInt(4)) {
            case 0 -> {
                out.writeByte(random.nextInt(256));
                VarInt.write(out, body.length);
            }
            case 1 -> {
                out.writeByte(first);
                VarInt.write(out, random.nextInt(VarInt.MAX));
            }
            case 2 -> {
                out.writeByte(first);
                out.writeByte(body.length | 0x80).writeByte(0x80 | body.length >> 7).writeByte(0);
            }
            default -> {
                out.writeByte(first).writeInt(-1);
            }
        }
        out.writeBytes(body);
        return bytes(out);
    }

    private static byte[] whole(byte first, byte[] body) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(first);
        VarInt.write(out, body.length);
        out.writeBytes(body);
        return bytes(out);
    }

    static int headerLength(byte[] packet) {
        int length = 2;
        while (packet[length - 1] < 0) {
            length++;
        }
        return length;
    }

    private static byte[] set(byte[] bytes, int at, int value) {
        if (at < bytes.length) {
            bytes[at] = (byte) value;
        }
        return bytes;
    }

    private static byte[] splice(byte[] bytes, int at, int gone, byte[] with) {
        byte[] result = new byte[bytes.length - gone + with.length];
        System.arraycopy(bytes, 0, result, 0, at);
        System.arraycopy(with, 0, result, at, with.length);
        System.arraycopy(bytes, at + gone, result, at + with.length, bytes.length - at - gone);
        return result;
    }

    private static byte[] bytes(ByteBuf out) {
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }
}

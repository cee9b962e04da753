package io.godwit.conformance.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads the data types of MQTT from received bytes; what doesn't parse fails the test. */
final class Cursor {
    private final ByteBuffer in;

    Cursor(byte[] bytes) {
        in = ByteBuffer.wrap(bytes);
    }

    int remaining() {
        return in.remaining();
    }

    int u8() {
        need(1);
        return in.get() & 0xFF;
    }

    int u16() {
        need(2);
        return in.getShort() & 0xFFFF;
    }

    byte[] take(int count) {
        need(count);
        byte[] out = new byte[count];
        in.get(out);
        return out;
    }

    byte[] bin() {
        return take(u16());
    }

    String utf8() {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bin())).toString();
        } catch (CharacterCodingException e) {
            throw new AssertionError("received a string that is not UTF-8", e);
        }
    }

    int varInt() {
        int value = 0;
        for (int shift = 0; shift <= 21; shift += 7) {
            int digit = u8();
            value |= (digit & 0x7F) << shift;
            if (digit < 0x80) {
                if (digit == 0 && shift > 0) {
                    throw new AssertionError("received a Variable Byte Integer that is too long");
                }
                return value;
            }
        }
        throw new AssertionError("received a Variable Byte Integer of more than four bytes");
    }

    byte[] rest() {
        return take(in.remaining());
    }

    PropertyList properties() {
        var section = new Cursor(take(varInt()));
        var list = new ArrayList<PropertyList.Property>();
        while (section.remaining() > 0) {
            int id = section.varInt();
            list.add(new PropertyList.Property(id, section.propertyValue(id)));
        }
        return new PropertyList(List.copyOf(list));
    }

    /** The bytes of a value; strings and binary data without their length. */
    private byte[] propertyValue(int id) {
        return switch (id) {
            case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A -> take(1);
            case 0x13, 0x21, 0x22, 0x23 -> take(2);
            case 0x02, 0x11, 0x18, 0x27 -> take(4);
            case 0x0B -> Bytes.varInt(varInt());
            case 0x03, 0x08, 0x12, 0x15, 0x1A, 0x1C, 0x1F -> Bytes.text(utf8());
            case 0x09, 0x16 -> bin();
            case 0x26 -> Bytes.concat(Bytes.utf8(utf8()), Bytes.utf8(utf8()));
            default -> throw new AssertionError("received property 0x%02x".formatted(id));
        };
    }

    void end() {
        if (in.hasRemaining()) {
            throw new AssertionError(in.remaining() + " bytes at the end of a received packet");
        }
    }

    private void need(int count) {
        if (in.remaining() < count) {
            throw new AssertionError(
                    "received packet ends " + (count - in.remaining()) + " bytes too early");
        }
    }
}

package io.godwit.core.codec;

import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * A cursor that cannot leave its packet: whatever would read beyond the end is MALFORMED_PACKET, so
 * no length field is believed. Nothing is allocated before the bytes are known to be there. Not
 * final: the fuzzer's test plants bugs by overriding it.
 */
class PacketReader {
    private static final byte[] NO_BYTES = new byte[0];

    /** Strings up to here are checked in an array of the reader's own. */
    private static final int SHORT = 256;

    private final byte[] scratch = new byte[SHORT];

    private ByteBuf in = Unpooled.EMPTY_BUFFER;
    private int index;
    private int end;
    private PacketBounds bounds = PacketBounds.NONE;

    /** Sets what a packet may bring; to be called before the first one. */
    void bounds(PacketBounds bounds) {
        this.bounds = bounds;
    }

    /** Refuses the packet when it has more User Properties by now than it may bring. */
    void admitUserProperty(int count) {
        if (count > bounds.userProperties()) {
            throw new ProtocolViolation(
                    ReasonCode.QUOTA_EXCEEDED,
                    "more than " + bounds.userProperties() + " User Properties");
        }
    }

    /**
     * Refuses a string that has code points which {@code mqtt.control-characters} forbids.
     *
     * @param bytes well-formed UTF-8
     */
    void admitCharacters(byte[] bytes, ReasonCode reason, String where) {
        if (!bounds.controlCharacters() && ControlCharacters.isIn(bytes)) {
            throw forbidden(reason, where);
        }
    }

    private static ProtocolViolation forbidden(ReasonCode reason, String where) {
        return new ProtocolViolation(
                reason, where + " has a control character (mqtt.control-characters: refuse)");
    }

    /** Whether strings may have control characters and non-characters. */
    boolean allowsControlCharacters() {
        return bounds.controlCharacters();
    }

    /** Whether a packet that has this many filters may bring one more. */
    boolean hasRoomForFilter(int count) {
        return count < bounds.filters();
    }

    /** Refuses the packet when it has more filters by now than it may bring. */
    void admitFilter(int count) {
        if (count > bounds.filters()) {
            throw new ProtocolViolation(
                    ReasonCode.QUOTA_EXCEEDED, "more than " + bounds.filters() + " filters");
        }
    }

    /** Starts at {@code index}; the packet ends before {@code end}. */
    void open(ByteBuf in, int index, int end) {
        this.in = in;
        this.index = index;
        this.end = end;
    }

    /** Lets go of the buffer. */
    void close() {
        in = Unpooled.EMPTY_BUFFER;
        index = 0;
        end = 0;
    }

    boolean isAtEnd() {
        return index == end;
    }

    int remaining() {
        return end - index;
    }

    int index() {
        return index;
    }

    /** Goes back to a place where it was. */
    void index(int index) {
        this.index = index;
    }

    ByteBuf buffer() {
        return in;
    }

    /**
     * Ends the packet at its next {@code bytes} bytes for now; returns the end for {@link #end}.
     */
    int narrow(int bytes) {
        require(bytes);
        int outer = end;
        end = index + bytes;
        return outer;
    }

    void end(int end) {
        this.end = end;
    }

    void expectEnd() {
        if (index != end) {
            throw ProtocolViolation.malformed(end - index + " bytes too many in the packet");
        }
    }

    int u8() {
        require(1);
        return in.getByte(index++) & 0xFF;
    }

    int u16() {
        require(2);
        int value = in.getUnsignedShort(index);
        index += 2;
        return value;
    }

    long u32() {
        require(4);
        long value = in.getUnsignedInt(index);
        index += 4;
        return value;
    }

    /** A Variable Byte Integer in its shortest form [MQTT-1.5.5-1]. */
    int varInt() {
        int value = 0;
        for (int shift = 0; shift <= 21; shift += 7) {
            int b = u8();
            value |= (b & 0x7F) << shift;
            if (b < 0x80) {
                if (b == 0 && shift > 0) {
                    break;
                }
                return value;
            }
        }
        throw ProtocolViolation.malformed("Variable Byte Integer is not in its shortest form");
    }

    /** A property's identifier: one that may stand here and has not stood yet, see the scope. */
    Property property(PropertyScope scope, int seen) {
        return scope.admit(varInt(), seen);
    }

    /** Packet Identifier, 1..65 535 [MQTT-2.2.1-3]. */
    int packetId() {
        int packetId = u16();
        if (packetId == 0) {
            throw ProtocolViolation.protocolError("Packet Identifier 0");
        }
        return packetId;
    }

    /** A UTF-8 Encoded String. */
    String string() {
        int length = u16();
        require(length);
        byte[] bytes = length <= SHORT ? scratch : new byte[length];
        in.getBytes(index, bytes, 0, length);
        checkUtf8(isUtf8(bytes, length));
        index += length;
        return length == 0 ? "" : new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /** The bytes of a UTF-8 Encoded String. */
    byte[] stringBytes() {
        byte[] bytes = binary();
        checkUtf8(isUtf8(bytes, bytes.length));
        return bytes;
    }

    /** Binary Data, or any bytes behind a two-byte length. */
    byte[] binary() {
        int length = u16();
        require(length);
        return take(length);
    }

    /** Steps over a UTF-8 Encoded String after checking it. */
    void skipString() {
        int length = u16();
        require(length);
        checkUtf8(isUtf8(length));
        if (!bounds.controlCharacters() && ControlCharacters.isIn(in, index, length)) {
            throw forbidden(ReasonCode.MALFORMED_PACKET, "a string");
        }
        index += length;
    }

    /** Steps over Binary Data. */
    void skipBinary() {
        int length = u16();
        require(length);
        index += length;
    }

    /** All that is left. */
    byte[] rest() {
        return take(remaining());
    }

    private byte[] take(int length) {
        if (length == 0) {
            return NO_BYTES;
        }
        byte[] bytes = new byte[length];
        in.getBytes(index, bytes);
        index += length;
        return bytes;
    }

    /** Whether the next {@code length} bytes are a UTF-8 Encoded String. */
    boolean isUtf8(int length) {
        return Utf8Check.isString(in, index, length);
    }

    boolean isUtf8(byte[] bytes, int length) {
        return Utf8Check.isString(bytes, 0, length);
    }

    private static void checkUtf8(boolean isUtf8) {
        if (!isUtf8) {
            throw ProtocolViolation.malformed("string is not UTF-8");
        }
    }

    /** Throws when the packet has fewer bytes left. */
    void require(int bytes) {
        if (bytes > end - index) {
            throw ProtocolViolation.malformed("packet ends before its content");
        }
    }
}

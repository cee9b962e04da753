package io.godwit.core.codec;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.regex.Pattern;

/**
 * Packets written by hand: hexadecimal bytes, {@code $text} for a string with its length, {@code
 * 'text} for its bytes alone, {@code -} for an empty string.
 */
final class Bytes {
    private static final Pattern SPACE = Pattern.compile(" +");

    private Bytes() {}

    /** The first token, the Remaining Length that fits, and the others. */
    static ByteBuf packet(String text) {
        ByteBuf all = raw(text);
        ByteBuf packet = Unpooled.buffer();
        packet.writeByte(all.readByte());
        VarInt.write(packet, all.readableBytes());
        return packet.writeBytes(all);
    }

    static ByteBuf raw(String text) {
        ByteBuf out = Unpooled.buffer();
        for (String token : SPACE.split(text, -1)) {
            switch (token.charAt(0)) {
                case '$' -> {
                    byte[] bytes = token.substring(1).getBytes(UTF_8);
                    out.writeShort(bytes.length).writeBytes(bytes);
                }
                case '\'' -> out.writeBytes(token.substring(1).getBytes(UTF_8));
                case '-' -> out.writeShort(0);
                default -> out.writeBytes(ByteBufUtil.decodeHexDump(token));
            }
        }
        return out;
    }
}

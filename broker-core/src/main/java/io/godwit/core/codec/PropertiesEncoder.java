package io.godwit.core.codec;

import io.godwit.core.packet.Properties;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/** Properties and the fields they are made of (MQTT 5.0, 1.5 and 2.2.2). */
final class PropertiesEncoder {
    private static final int FIELD_MAX = 0xFFFF;

    private PropertiesEncoder() {}

    /** Bytes of the properties, without those of Property Length. */
    static int bodyLength(Properties properties) {
        int length = properties.userBytes().length;
        for (int i = 0; i < properties.size(); i++) {
            length +=
                    1
                            + switch (properties.key(i).type()) {
                                case BYTE -> 1;
                                case TWO_BYTES -> 2;
                                case FOUR_BYTES -> 4;
                                case VARINT ->
                                        VarInt.length((int) (long) (Long) properties.value(i));
                                case STRING -> stringLength((String) properties.value(i));
                                case BINARY -> binaryLength((byte[]) properties.value(i));
                                case STRING_PAIR -> throw apart();
                            };
        }
        return length;
    }

    /** Bytes with those of Property Length [MQTT-2.2.2-1]. */
    static int length(Properties properties) {
        int body = bodyLength(properties);
        return VarInt.length(body) + body;
    }

    static void write(ByteBuf out, Properties properties) {
        VarInt.write(out, bodyLength(properties));
        writeBody(out, properties);
    }

    /** The properties without Property Length. */
    static void writeBody(ByteBuf out, Properties properties) {
        for (int i = 0; i < properties.size(); i++) {
            Object value = properties.value(i);
            out.writeByte(properties.key(i).id());
            switch (properties.key(i).type()) {
                case BYTE -> out.writeByte((int) (long) (Long) value);
                case TWO_BYTES -> out.writeShort((int) (long) (Long) value);
                case FOUR_BYTES -> out.writeInt((int) (long) (Long) value);
                case VARINT -> VarInt.write(out, (int) (long) (Long) value);
                case STRING -> writeString(out, (String) value);
                case BINARY -> writeBinary(out, (byte[]) value);
                case STRING_PAIR -> throw apart();
            }
        }
        out.writeBytes(properties.userBytes());
    }

    private static IllegalStateException apart() {
        return new IllegalStateException("User Properties stand apart");
    }

    static int stringLength(String text) {
        return 2 + checked(ByteBufUtil.utf8Bytes(text));
    }

    static void writeString(ByteBuf out, String text) {
        int length = ByteBufUtil.utf8Bytes(text);
        out.writeShort(length);
        ByteBufUtil.reserveAndWriteUtf8(out, text, length);
    }

    static int binaryLength(byte[] bytes) {
        return 2 + checked(bytes.length);
    }

    static void writeBinary(ByteBuf out, byte[] bytes) {
        out.writeShort(bytes.length);
        out.writeBytes(bytes);
    }

    private static int checked(int length) {
        if (length > FIELD_MAX) {
            throw new IllegalArgumentException("field of " + length + " bytes");
        }
        return length;
    }
}

package io.godwit.core.codec;

import static io.godwit.core.codec.PropertiesEncoder.binaryLength;
import static io.godwit.core.codec.PropertiesEncoder.stringLength;
import static io.godwit.core.codec.PropertiesEncoder.writeBinary;
import static io.godwit.core.codec.PropertiesEncoder.writeString;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.Will;
import io.netty.buffer.ByteBuf;

/** CONNECT of every version, for clients (MQTT 5.0, 3.1). */
final class ConnectEncoder {
    private ConnectEncoder() {}

    static int bodyLength(Packet.Connect connect) {
        boolean isV5 = connect.version().isV5();
        int length = 2 + connect.version().protocolName().length() + 1 + 1 + 2;
        length += isV5 ? PropertiesEncoder.length(connect.properties()) : 0;
        length += binaryLength(connect.clientId().bytes());
        Will will = connect.will();
        if (will != null) {
            int properties = willPropertiesLength(will);
            length += isV5 ? VarInt.length(properties) + properties : 0;
            length += binaryLength(will.topic().bytes()) + binaryLength(will.payload());
        }
        String userName = connect.userName();
        length += userName == null ? 0 : stringLength(userName);
        byte[] password = connect.password();
        return length + (password == null ? 0 : binaryLength(password));
    }

    static void writeBody(ByteBuf out, Packet.Connect connect) {
        boolean isV5 = connect.version().isV5();
        writeString(out, connect.version().protocolName());
        out.writeByte(connect.version().level() | (connect.bridge() ? 0x80 : 0));
        out.writeByte(flags(connect));
        out.writeShort(connect.keepAliveSeconds());
        if (isV5) {
            PropertiesEncoder.write(out, connect.properties());
        }
        writeBinary(out, connect.clientId().bytes());
        Will will = connect.will();
        if (will != null) {
            if (isV5) {
                writeWillProperties(out, will);
            }
            writeBinary(out, will.topic().bytes());
            writeBinary(out, will.payload());
        }
        String userName = connect.userName();
        if (userName != null) {
            writeString(out, userName);
        }
        byte[] password = connect.password();
        if (password != null) {
            writeBinary(out, password);
        }
    }

    private static int flags(Packet.Connect connect) {
        Will will = connect.will();
        return (connect.cleanStart() ? 0x02 : 0)
                | (will == null ? 0 : 0x04 | will.qos() << 3 | (will.retain() ? 0x20 : 0))
                | (connect.password() == null ? 0 : 0x40)
                | (connect.userName() == null ? 0 : 0x80);
    }

    /**
     * Bytes of the will's properties without Property Length; a delay of 0 is the default and left
     * out.
     */
    private static int willPropertiesLength(Will will) {
        return (will.delaySeconds() == 0 ? 0 : 5) + PropertiesEncoder.bodyLength(will.properties());
    }

    private static void writeWillProperties(ByteBuf out, Will will) {
        VarInt.write(out, willPropertiesLength(will));
        if (will.delaySeconds() != 0) {
            out.writeByte(Property.WILL_DELAY_INTERVAL.id());
            out.writeInt((int) will.delaySeconds());
        }
        PropertiesEncoder.writeBody(out, will.properties());
    }
}

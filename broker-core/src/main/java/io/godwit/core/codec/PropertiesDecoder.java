package io.godwit.core.codec;

import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The properties of every packet but PUBLISH (MQTT 5.0, 2.2.2). */
final class PropertiesDecoder {
    private PropertiesDecoder() {}

    /** Reads Property Length and that many bytes. */
    static Properties decode(PacketReader in, PropertyScope scope) {
        int length = in.varInt();
        if (length == 0) {
            return Properties.NONE;
        }
        Properties.Builder builder = Properties.builder();
        read(in, length, scope, builder);
        return builder.build();
    }

    /** Checks what {@link #decode} would return, and steps over it. */
    static void skip(PacketReader in, PropertyScope scope) {
        read(in, in.varInt(), scope, null);
    }

    private static void read(
            PacketReader in, int length, PropertyScope scope, Properties.@Nullable Builder into) {
        int outer = in.narrow(length);
        int seen = 0;
        int users = 0;
        while (!in.isAtEnd()) {
            int from = in.index();
            Property property = in.property(scope, seen);
            seen |= PropertyScope.bit(property);
            if (property == Property.USER_PROPERTY) {
                in.admitUserProperty(++users);
                skipValue(in, property);
                if (into != null) {
                    into.addUser(in.buffer(), from, in.index() - from);
                }
            } else if (into == null) {
                skipValue(in, property);
            } else {
                readValue(in, property, into);
            }
        }
        in.end(outer);
    }

    private static void readValue(PacketReader in, Property property, Properties.Builder into) {
        switch (property.type()) {
            case STRING -> {
                if (property == Property.RESPONSE_TOPIC) {
                    checkResponseTopic(in);
                }
                String text = in.string();
                if (!in.allowsControlCharacters()) {
                    in.admitCharacters(
                            text.getBytes(StandardCharsets.UTF_8),
                            ReasonCode.MALFORMED_PACKET,
                            property.toString());
                }
                into.add(property, text);
            }
            case BINARY -> into.add(property, in.binary());
            case STRING_PAIR -> throw new IllegalArgumentException(property + " is kept as bytes");
            case BYTE -> into.add(property, checked(property, in.u8()));
            case TWO_BYTES -> into.add(property, checked(property, in.u16()));
            case FOUR_BYTES -> into.add(property, checked(property, in.u32()));
            case VARINT -> into.add(property, checked(property, in.varInt()));
        }
    }

    /** Checks a value, and steps over it. */
    static void skipValue(PacketReader in, Property property) {
        switch (property.type()) {
            case STRING -> {
                if (property == Property.RESPONSE_TOPIC) {
                    checkResponseTopic(in);
                }
                in.skipString();
            }
            case BINARY -> in.skipBinary();
            case STRING_PAIR -> {
                in.skipString();
                in.skipString();
            }
            case BYTE, TWO_BYTES, FOUR_BYTES, VARINT -> number(in, property);
        }
    }

    /** Reads an integer property and checks its range. */
    static long number(PacketReader in, Property property) {
        long value =
                switch (property.type()) {
                    case BYTE -> in.u8();
                    case TWO_BYTES -> in.u16();
                    case FOUR_BYTES -> in.u32();
                    case VARINT -> in.varInt();
                    case STRING, BINARY, STRING_PAIR ->
                            throw new IllegalArgumentException(property + " is no integer");
                };
        return checked(property, value);
    }

    private static long checked(Property property, long value) {
        PropertyScope.checkValue(property, value);
        return value;
    }

    /** A Response Topic is a Topic Name [MQTT-3.3.2-13] [MQTT-3.3.2-14]; looks without reading. */
    private static void checkResponseTopic(PacketReader in) {
        int at = in.index();
        in.skipString();
        int length = in.index() - at - 2;
        if (!TopicCheck.isTopicName(in.buffer(), at + 2, length)) {
            throw ProtocolViolation.malformed("Response Topic is empty or has a wildcard");
        }
        in.index(at);
    }
}

package io.godwit.core.codec;

import io.godwit.core.packet.ProtocolVersion;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules of form once more, written from the standard's text without a look at the decoder and
 * without any care for speed: says yes or no to one whole packet. What it shares with the decoder
 * is nothing but the names of versions and roles.
 */
final class ReferenceParser extends ReferenceTypes {
    /** Table 2-4: identifier to its type, and a letter for each place where it may stand. */
    private static final Map<Integer, String> PROPERTIES =
            Map.ofEntries(
                    Map.entry(0x01, "bool:pw"),
                    Map.entry(0x02, "u32:pw"),
                    Map.entry(0x03, "str:pw"),
                    Map.entry(0x08, "topic:pw"),
                    Map.entry(0x09, "bin:pw"),
                    Map.entry(0x0B, "varint1:ps"),
                    Map.entry(0x11, "u32:cCd"),
                    Map.entry(0x12, "str:C"),
                    Map.entry(0x13, "u16:C"),
                    Map.entry(0x15, "str:cCa"),
                    Map.entry(0x16, "bin:cCa"),
                    Map.entry(0x17, "bool:c"),
                    Map.entry(0x18, "u32:w"),
                    Map.entry(0x19, "bool:c"),
                    Map.entry(0x1A, "str:C"),
                    Map.entry(0x1C, "str:Cd"),
                    Map.entry(0x1F, "str:CkdaS"),
                    Map.entry(0x21, "u16_1:cC"),
                    Map.entry(0x22, "u16:cC"),
                    Map.entry(0x23, "u16_1:p"),
                    Map.entry(0x24, "bool:C"),
                    Map.entry(0x25, "bool:C"),
                    Map.entry(0x26, "pair:cCpwksudaS"),
                    Map.entry(0x27, "u32_1:cC"),
                    Map.entry(0x28, "bool:C"),
                    Map.entry(0x29, "bool:C"),
                    Map.entry(0x2A, "bool:C"));

    private final Role role;
    private final boolean isV5;
    private final boolean isV31;

    private ReferenceParser(ByteBuffer in, Role role, @Nullable ProtocolVersion version) {
        super(in);
        this.role = role;
        this.isV5 = version == ProtocolVersion.MQTT_5;
        this.isV31 = version == ProtocolVersion.MQTT_3_1;
    }

    /**
     * @param packet one whole packet by its own length field
     * @param version null before CONNECT
     */
    static boolean isValid(byte[] packet, Role role, @Nullable ProtocolVersion version) {
        try {
            ProtocolVersion spoken = version;
            if (version == null) {
                spoken = connectVersion(packet);
            }
            var parser = new ReferenceParser(ByteBuffer.wrap(packet), role, spoken);
            parser.packet(version == null);
            return true;
        } catch (Bad | BufferUnderflowException e) {
            return false;
        }
    }

    /** The version that a CONNECT asks for. */
    static ProtocolVersion connectVersion(byte[] packet) {
        ByteBuffer in = ByteBuffer.wrap(packet, 1, packet.length - 1);
        while (in.get() < 0) {}
        byte[] name = new byte[in.getShort() & 0xFFFF];
        if (name.length > in.remaining()) {
            throw new Bad();
        }
        in.get(name);
        String version =
                new String(name, StandardCharsets.ISO_8859_1)
                        + (in.get() & 0x7F); // the highest bit is that of a bridge
        return switch (version) {
            case "MQIsdp3" -> ProtocolVersion.MQTT_3_1;
            case "MQTT4" -> ProtocolVersion.MQTT_3_1_1;
            case "MQTT5" -> ProtocolVersion.MQTT_5;
            default -> throw new Bad();
        };
    }

    private void packet(boolean isFirst) {
        int first = u8();
        int lengthAt = in.position();
        int length = 0;
        int factor = 1;
        int b;
        do {
            need(factor <= 128 * 128 * 128);
            b = u8();
            length += (b & 127) * factor;
            factor *= 128;
        } while (b >= 128);
        need(!isV5 || b != 0 || in.position() == lengthAt + 1);
        need(in.remaining() == length);
        int type = first >> 4;
        int flags = first & 15;
        need((type == 1) == isFirst);
        boolean fromClient = role == Role.SERVER;
        switch (type) {
            case 1 -> {
                need(flags == 0 && fromClient);
                connect();
            }
            case 2 -> {
                need(flags == 0 && !fromClient);
                connAck();
            }
            case 3 -> publish(flags, fromClient);
            case 4, 5 -> {
                need(flags == 0);
                ack(0x00, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99);
            }
            case 6 -> {
                needTwo(flags);
                ack(0x00, 0x92);
            }
            case 7 -> {
                need(flags == 0);
                ack(0x00, 0x92);
            }
            case 8 -> {
                needTwo(flags);
                need(fromClient);
                subscribe();
            }
            case 9 -> {
                need(flags == 0 && !fromClient);
                int[] v5 = {0, 1, 2, 0x80, 0x83, 0x87, 0x8F, 0x91, 0x97, 0x9E, 0xA1, 0xA2};
                packetIdAndProperties('k');
                codes(isV5 ? v5 : new int[] {0, 1, 2, 0x80});
            }
            case 10 -> {
                needTwo(flags);
                need(fromClient);
                packetIdAndProperties('u');
                do {
                    filter();
                } while (in.hasRemaining());
            }
            case 11 -> {
                need(flags == 0 && !fromClient);
                packetIdAndProperties('k');
                if (isV5) {
                    codes(0x00, 0x11, 0x80, 0x83, 0x87, 0x8F, 0x91);
                }
            }
            case 12 -> need(flags == 0 && fromClient); // nothing follows
            case 13 -> need(flags == 0 && !fromClient);
            case 14 -> {
                need(flags == 0 && (fromClient || isV5));
                disconnect(fromClient);
            }
            case 15 -> {
                need(flags == 0 && isV5);
                auth(fromClient);
            }
            default -> throw new Bad();
        }
        need(!in.hasRemaining());
    }

    private void connect() {
        in.position(in.position() + 2 + in.getShort(in.position()) + 1);
        int flags = u8();
        boolean hasWill = (flags & 4) != 0;
        need(isV31 || (flags & 1) == 0);
        need(hasWill ? (flags & 0x18) != 0x18 : (flags & 0x38) == 0);
        need(isV5 || (flags & 0xC0) != 0x40);
        u16();
        Set<Integer> properties = properties('c');
        need(!properties.contains(0x16) || properties.contains(0x15));
        int idLength = string().length();
        need(idLength > 0 || isV5 || (!isV31 && (flags & 2) != 0));
        if (hasWill) {
            int willAt = in.position();
            Set<Integer> will = properties('w');
            boolean isText = will.contains(0x01) && textFlag(willAt);
            topic();
            byte[] payload = binary();
            if (isText) {
                utf8(payload);
            }
        }
        if ((flags & 0x80) != 0 && !(isV31 && !in.hasRemaining())) {
            string();
        }
        if ((flags & 0x40) != 0 && !(isV31 && !in.hasRemaining())) {
            binary();
        }
    }

    /** The value of Payload Format Indicator in checked will properties. */
    private boolean textFlag(int propertiesAt) {
        int back = in.position();
        in.position(propertiesAt);
        int length = varint();
        int end = in.position() + length;
        boolean isText = false;
        while (in.position() < end) {
            int id = varint();
            if (id == 1) {
                isText = u8() == 1;
            } else {
                value(Objects.requireNonNull(PROPERTIES.get(id)).split(":", -1)[0]);
            }
        }
        in.position(back);
        return isText;
    }

    private void connAck() {
        int flags = u8();
        int code = u8();
        need(isV31 || flags <= 1);
        if (isV5) {
            oneOf(
                    code, 0x00, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A,
                    0x8C, 0x90, 0x95, 0x97, 0x99, 0x9A, 0x9B, 0x9C, 0x9D, 0x9F);
        } else {
            need(code <= 5);
        }
        need(isV31 || code == 0 || flags == 0);
        properties('C');
    }

    private void publish(int flags, boolean fromClient) {
        int qos = flags >> 1 & 3;
        need(qos != 3 && (qos != 0 || flags < 8));
        byte[] name = binary();
        utf8(name);
        String topic = new String(name, StandardCharsets.UTF_8);
        need(topic.indexOf('+') < 0 && topic.indexOf('#') < 0 && topic.indexOf('\0') < 0);
        if (qos > 0) {
            need(u16() != 0);
        }
        Set<Integer> properties = properties('p');
        need(!topic.isEmpty() || properties.contains(0x23));
        need(!fromClient || !properties.contains(0x0B));
        in.position(in.limit());
    }

    private void ack(int... codes) {
        need(u16() != 0);
        if (!isV5 || !in.hasRemaining()) {
            return;
        }
        oneOf(u8(), codes);
        if (in.hasRemaining()) {
            properties('k');
        }
    }

    private void subscribe() {
        packetIdAndProperties('s');
        do {
            boolean isShared = filter();
            int options = u8();
            need((options & 3) != 3);
            need(isV5 ? options < 0x30 : options < 3);
            need(!isShared || (options & 4) == 0);
        } while (in.hasRemaining());
    }

    private void disconnect(boolean fromClient) {
        if (!isV5 || !in.hasRemaining()) {
            return;
        }
        int code = u8();
        if (fromClient) {
            oneOf(
                    code, 0, 4, 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98,
                    0x99);
        } else {
            need(code == 0 || (code >= 0x80 && code <= 0xA2));
            for (int no : new int[] {0x84, 0x85, 0x86, 0x88, 0x8A, 0x8C, 0x91, 0x92}) {
                need(code != no);
            }
        }
        if (in.hasRemaining()) {
            Set<Integer> properties = properties('d');
            need(fromClient || !properties.contains(0x11));
        }
    }

    private void auth(boolean fromClient) {
        if (!in.hasRemaining()) {
            need(!fromClient);
            return;
        }
        oneOf(u8(), fromClient ? new int[] {0x18, 0x19} : new int[] {0x00, 0x18});
        need(properties('a').contains(0x15));
    }

    private void packetIdAndProperties(char place) {
        need(u16() != 0);
        properties(place);
    }

    private Set<Integer> properties(char place) {
        Set<Integer> seen = new HashSet<>();
        if (!isV5) {
            return seen;
        }
        int length = varint();
        need(length <= in.remaining());
        ByteBuffer rest = in;
        in = rest.slice(rest.position(), length);
        while (in.hasRemaining()) {
            int id = varint();
            String rule = PROPERTIES.get(id);
            need(rule != null && rule.split(":", -1)[1].indexOf(place) >= 0);
            boolean isNew = seen.add(id);
            need(isNew || id == 0x26 || (id == 0x0B && place == 'p'));
            value(Objects.requireNonNull(rule).split(":", -1)[0]);
        }
        in = rest.position(rest.position() + length);
        return seen;
    }

    private void value(String type) {
        switch (type) {
            case "bool" -> need(u8() <= 1);
            case "u16" -> u16();
            case "u16_1" -> need(u16() != 0);
            case "u32" -> in.getInt();
            case "u32_1" -> need(in.getInt() != 0);
            case "varint1" -> need(varint() != 0);
            case "str" -> string();
            case "topic" -> topic();
            case "bin" -> binary();
            case "pair" -> {
                string();
                string();
            }
            default -> throw new IllegalStateException(type);
        }
    }

    /** Says whether it is shared. */
    private boolean filter() {
        String filter = string();
        boolean isShared = filter.startsWith("$share/");
        if (isShared) {
            String[] parts = filter.split("/", 3);
            need(parts.length == 3 && !parts[1].isEmpty());
            need(!parts[1].contains("+") && !parts[1].contains("#"));
            filter = parts[2];
        }
        need(!filter.isEmpty());
        String[] levels = filter.split("/", -1);
        for (int i = 0; i < levels.length; i++) {
            boolean isLast = i == levels.length - 1;
            boolean isPlain = !levels[i].contains("+") && !levels[i].contains("#");
            need(isPlain || levels[i].equals("+") || (isLast && levels[i].equals("#")));
        }
        return isShared;
    }

    private void topic() {
        String topic = string();
        need(!topic.isEmpty() && topic.indexOf('+') < 0 && topic.indexOf('#') < 0);
    }

    private void codes(int... legal) {
        do {
            oneOf(u8(), legal);
        } while (in.hasRemaining());
    }

    private void needTwo(int flags) {
        need(flags == 2 || (isV31 && flags == 10));
    }
}

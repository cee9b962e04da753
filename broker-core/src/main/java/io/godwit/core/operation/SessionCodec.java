package io.godwit.core.operation;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.UserProperty;
import io.godwit.core.packet.Will;
import io.godwit.core.store.SessionRecord;
import java.nio.charset.StandardCharsets;

/**
 * A session record without its queue id, which is its key.
 *
 * <pre>
 * protocol level 1 | generation 11 | stamp 11 | epoch varint, home 3 | expiry varint, seconds
 *   | disconnected varint, epoch milliseconds
 *   | flags 1 | [ingress id | topic sized | payload sized | delay varint, seconds | properties]
 * flags: of the will qos 0-1 | retain 2 | there is one 3
 * properties: count varint, each: identifier 1 | number varint, or bytes sized, or both texts sized
 * </pre>
 */
public final class SessionCodec {
    private static final int RETAIN = 1 << 2;
    private static final int WILL = 1 << 3;

    private SessionCodec() {}

    public static void write(ByteWriter to, SessionRecord session) {
        to.u8(session.version().level());
        Ids.hybrid(to, session.generation());
        Ids.hybrid(to, session.stamp());
        to.varint(session.epoch().number()).server3(session.epoch().server());
        to.varint(session.expirySeconds()).varint(session.disconnectedAtMs());
        Will will = session.will();
        IngressId ingress = session.willIngress();
        if (will == null || ingress == null) {
            to.u8(0);
            return;
        }
        to.u8(WILL | will.qos() | (will.retain() ? RETAIN : 0));
        Ids.ingress(to, ingress.server(), ingress.counter());
        to.sized(will.topic().bytes()).sized(will.payload()).varint(will.delaySeconds());
        properties(to, will.properties());
    }

    public static SessionRecord read(ByteReader from, long queueId) {
        ProtocolVersion version = version(from.u8());
        HybridId generation = Ids.hybrid(from);
        HybridId stamp = Ids.hybrid(from);
        long epoch = from.varint();
        int home = from.server3();
        long expirySeconds = from.varint();
        long disconnectedAtMs = from.varint();
        int flags = from.u8();
        Will will = null;
        IngressId ingress = null;
        if ((flags & WILL) != 0) {
            ingress = Ids.ingress(from);
            Topic topic = new Topic(from.sized());
            byte[] payload = from.sized();
            long delaySeconds = from.varint();
            will =
                    new Will(
                            topic,
                            flags & 3,
                            (flags & RETAIN) != 0,
                            payload,
                            delaySeconds,
                            properties(from));
        }
        return new SessionRecord(
                queueId,
                generation,
                stamp,
                new Epoch(epoch, home),
                version,
                expirySeconds,
                disconnectedAtMs,
                will,
                ingress);
    }

    /**
     * @throws IndexOutOfBoundsException when there is none of this level
     */
    public static ProtocolVersion version(int level) {
        for (ProtocolVersion version : ProtocolVersion.values()) {
            if (version.level() == level) {
                return version;
            }
        }
        throw new IndexOutOfBoundsException("protocol level " + level);
    }

    private static void properties(ByteWriter to, Properties properties) {
        to.varint(properties.size());
        for (int i = 0; i < properties.size(); i++) {
            Object value = properties.value(i);
            to.u8(properties.key(i).id());
            switch (properties.key(i).type()) {
                case BYTE, TWO_BYTES, FOUR_BYTES, VARINT -> to.varint((Long) value);
                case STRING -> text(to, (String) value);
                case BINARY -> to.sized((byte[]) value);
                case STRING_PAIR -> {
                    text(to, ((UserProperty) value).name());
                    text(to, ((UserProperty) value).value());
                }
            }
        }
    }

    /** The properties of a will. */
    public static Properties properties(ByteReader from) {
        int count = from.size();
        if (count == 0) {
            return Properties.NONE;
        }
        Properties.Builder builder = Properties.builder();
        for (int i = 0; i < count; i++) {
            int id = from.u8();
            Property property = Property.of(id);
            if (property == null) {
                throw new IndexOutOfBoundsException("property " + id);
            }
            switch (property.type()) {
                case BYTE, TWO_BYTES, FOUR_BYTES, VARINT -> builder.add(property, from.varint());
                case STRING -> builder.add(property, text(from));
                case BINARY -> builder.add(property, from.sized());
                case STRING_PAIR -> builder.add(new UserProperty(text(from), text(from)));
            }
        }
        return builder.build();
    }

    private static void text(ByteWriter to, String text) {
        to.sized(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteReader from) {
        return new String(from.sized(), StandardCharsets.UTF_8);
    }
}

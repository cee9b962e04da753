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
import io.godwit.core.store.KeptWill;
import io.godwit.core.store.SessionRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A session record without its queue id, which is its key.
 *
 * <pre>
 * protocol level 1 | generation 11 | stamp 11 | epoch varint, leader 3 | expiry varint, seconds
 *   | disconnected varint, epoch milliseconds
 *   | flags 1 | [will] | [owed wills: count varint, each: flags 1 | will]
 *   | [owner sized]
 * flags: qos of the will 0-1 | its retain 2 | there is one 3 | owed wills follow 4 | set aside 5
 *   | it has an owner 6
 * will: ingress id | topic sized | payload sized | delay varint, seconds | properties
 * properties: count varint, each: identifier 1 | number varint, or bytes sized, or both texts sized
 * </pre>
 */
public final class SessionCodec {
    private static final int RETAIN = 1 << 2;
    private static final int WILL = 1 << 3;
    private static final int OWED = 1 << 4;
    private static final int ASIDE = 1 << 5;
    private static final int OWNER = 1 << 6;

    private SessionCodec() {}

    public static void write(ByteWriter to, SessionRecord session) {
        to.u8(session.version().level());
        Ids.hybrid(to, session.generation());
        Ids.hybrid(to, session.stamp());
        to.varint(session.epoch().number()).server3(session.epoch().server());
        to.varint(session.expirySeconds()).varint(session.disconnectedAtMs());
        KeptWill will = session.will();
        List<KeptWill> owed = session.owedWills();
        String owner = session.owner();
        to.u8(
                (will == null ? 0 : flags(will))
                        | (owed.isEmpty() ? 0 : OWED)
                        | (session.isAside() ? ASIDE : 0)
                        | (owner == null ? 0 : OWNER));
        if (will != null) {
            will(to, will);
        }
        if (!owed.isEmpty()) {
            to.varint(owed.size());
            for (KeptWill each : owed) {
                to.u8(flags(each));
                will(to, each);
            }
        }
        if (owner != null) {
            text(to, owner);
        }
    }

    private static int flags(KeptWill kept) {
        return WILL | kept.will().qos() | (kept.will().retain() ? RETAIN : 0);
    }

    private static void will(ByteWriter to, KeptWill kept) {
        Ids.ingress(to, kept.ingress().server(), kept.ingress().counter());
        content(to, kept.will());
    }

    /** Writes a Will that stands alone: flags 1 | will, but for its ingress id. */
    public static void will(ByteWriter to, Will will) {
        content(to.u8(will.qos() | (will.retain() ? RETAIN : 0)), will);
    }

    /**
     * Reads a Will that stands alone.
     *
     * @throws IndexOutOfBoundsException when it is none
     */
    public static Will will(ByteReader from) {
        int flags = from.u8();
        if (flags > (RETAIN | 2)) {
            throw new IndexOutOfBoundsException("flags " + flags + " of a Will");
        }
        return content(from, flags);
    }

    private static void content(ByteWriter to, Will will) {
        to.sized(will.topic().bytes()).sized(will.payload()).varint(will.delaySeconds());
        properties(to, will.properties());
    }

    public static SessionRecord read(ByteReader from, long queueId) {
        ProtocolVersion version = version(from.u8());
        HybridId generation = Ids.hybrid(from);
        HybridId stamp = Ids.hybrid(from);
        long epoch = from.varint();
        int leader = from.server3();
        long expirySeconds = from.varint();
        long disconnectedAtMs = from.varint();
        int flags = from.u8();
        KeptWill will = (flags & WILL) == 0 ? null : will(from, flags);
        List<KeptWill> owed = new ArrayList<>(0);
        if ((flags & OWED) != 0) {
            for (int left = from.size(); left > 0; left--) {
                owed.add(will(from, from.u8()));
            }
        }
        return new SessionRecord(
                queueId,
                generation,
                stamp,
                new Epoch(epoch, leader),
                version,
                expirySeconds,
                disconnectedAtMs,
                will,
                owed,
                (flags & ASIDE) != 0,
                (flags & OWNER) == 0 ? null : text(from));
    }

    private static KeptWill will(ByteReader from, int flags) {
        IngressId ingress = Ids.ingress(from);
        return new KeptWill(content(from, flags), ingress);
    }

    private static Will content(ByteReader from, int flags) {
        Topic topic = new Topic(from.sized());
        byte[] payload = from.sized();
        long delaySeconds = from.varint();
        return new Will(
                topic, flags & 3, (flags & RETAIN) != 0, payload, delaySeconds, properties(from));
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
        to.varint(properties.size() + properties.userCount());
        for (int i = 0; i < properties.size(); i++) {
            Object value = properties.value(i);
            to.u8(properties.key(i).id());
            switch (properties.key(i).type()) {
                case BYTE, TWO_BYTES, FOUR_BYTES, VARINT -> to.varint((Long) value);
                case STRING -> text(to, (String) value);
                case BINARY -> to.sized((byte[]) value);
                case STRING_PAIR -> throw new IllegalStateException("they stand apart");
            }
        }
        for (UserProperty pair : properties.userProperties()) {
            to.u8(Property.USER_PROPERTY.id());
            text(to, pair.name());
            text(to, pair.value());
        }
    }

    /** Reads the properties of a will. */
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

package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.List;

/**
 * One SUBSCRIBE or UNSUBSCRIBE (MQTT 5.0, 3.8 and 3.10), some filters at a time: it may have as
 * many and as long ones as its packet has room for.
 */
final class SubscribeDecoder {
    /** What a decoded filter takes beside its bytes. */
    private static final int FILTER_BYTES = 100;

    private final ProtocolVersion version;
    private final boolean isBridge;
    private final int packetId;
    private final Properties properties;
    private final boolean subscribes;
    private final List<Packet.Subscription> subscriptions = new ArrayList<>(1);
    private final List<TopicFilter> filters = new ArrayList<>(1);

    /** Filters of a SUBSCRIBE beyond the bound: counted, to be refused in SUBACK, and not kept. */
    private int filtersBeyond;

    /** Bytes of the packet that are not decoded yet. */
    private int left;

    private long heldBytes;

    /**
     * Begins with what stands before the filters.
     *
     * @param isBridge whether all subscriptions get the options of a bridge
     */
    SubscribeDecoder(PacketType type, PacketReader in, ProtocolVersion version, boolean isBridge) {
        this.version = version;
        this.isBridge = isBridge;
        subscribes = type == PacketType.SUBSCRIBE;
        packetId = in.packetId();
        properties =
                version.isV5()
                        ? PropertiesDecoder.decode(
                                in,
                                subscribes ? PropertyScope.SUBSCRIBE : PropertyScope.UNSUBSCRIBE)
                        : Properties.NONE;
        left = in.remaining();
    }

    /** Bytes that a packet takes in memory of which a part is decoded. */
    long heldBytes() {
        return heldBytes;
    }

    /**
     * Decodes more of the filters.
     *
     * @param in anywhere in the packet, which has the bytes that it had
     * @return whether all of them are decoded
     */
    boolean goOn(PacketReader in, FilterPace pace) {
        in.index(in.index() + in.remaining() - left);
        int units = pace.left();
        int spent = 0;
        while (!in.isAtEnd() && spent < units) {
            spent += 1 + filter(in) / FilterPace.UNIT_BYTES;
        }
        left = in.remaining();
        pace.took(spent);
        return left == 0;
    }

    /**
     * @return how many bytes the filter has
     */
    private int filter(PacketReader in) {
        TopicFilter filter;
        if (subscribes) {
            Packet.Subscription subscription = subscription(in);
            filter = subscription.filter();
            if (!in.hasRoomForFilter(subscriptions.size())) {
                filtersBeyond++;
                return filter.bytes().length;
            }
            subscriptions.add(subscription);
        } else {
            filter = topicFilter(in);
            filters.add(filter);
            in.admitFilter(filters.size());
        }
        int length = filter.bytes().length;
        heldBytes += FILTER_BYTES + length;
        return length;
    }

    /** The packet, when all of its filters are decoded. */
    Packet packet() {
        if (subscribes) {
            if (subscriptions.isEmpty()) {
                throw ProtocolViolation.protocolError("SUBSCRIBE without a filter"); // 3.8.3-2
            }
            return new Packet.Subscribe(packetId, subscriptions, filtersBeyond, properties);
        }
        if (filters.isEmpty()) {
            throw ProtocolViolation.protocolError("UNSUBSCRIBE without a filter"); // 3.10.3-2
        }
        return new Packet.Unsubscribe(packetId, filters, properties);
    }

    private Packet.Subscription subscription(PacketReader in) {
        TopicFilter filter = topicFilter(in);
        int options = in.u8();
        int qos = options & 3;
        boolean noLocal = (options & 4) != 0;
        int retainHandling = options >> 4 & 3;
        if ((options & (version.isV5() ? 0xC0 : 0xFC)) != 0) {
            // [MQTT-3.8.3-5], in 3.1.1 [MQTT-3-8.3-4]
            throw ProtocolViolation.malformed("reserved bits of the Subscription Options");
        }
        if (qos == 3) {
            throw version.isV5()
                    ? ProtocolViolation.protocolError("SUBSCRIBE with QoS 3")
                    : ProtocolViolation.malformed("SUBSCRIBE with QoS 3");
        }
        if (retainHandling == 3) {
            throw ProtocolViolation.protocolError("Retain Handling 3");
        }
        if (noLocal && filter.isShared()) {
            // [MQTT-3.8.3-4]
            throw ProtocolViolation.protocolError("No Local on a Shared Subscription");
        }
        return new Packet.Subscription(
                filter,
                qos,
                noLocal || isBridge && !filter.isShared(),
                isBridge || (options & 8) != 0,
                retainHandling);
    }

    /**
     * A filter that breaks the grammar makes the packet malformed: 0x8F is for well-formed ones.
     */
    private static TopicFilter topicFilter(PacketReader in) {
        byte[] bytes = in.binary();
        if (!TopicCheck.isTopicFilter(bytes)) {
            throw ProtocolViolation.malformed("Topic Filter is not well-formed");
        }
        return new TopicFilter(bytes);
    }
}

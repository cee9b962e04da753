package io.godwit.core.codec;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.List;

/** SUBSCRIBE and UNSUBSCRIBE (MQTT 5.0, 3.8 and 3.10). */
final class SubscribeDecoder {
    private SubscribeDecoder() {}

    static Packet.Subscribe subscribe(PacketReader in, ProtocolVersion version) {
        int packetId = in.packetId();
        Properties properties =
                version.isV5()
                        ? PropertiesDecoder.decode(in, PropertyScope.SUBSCRIBE)
                        : Properties.NONE;
        List<Packet.Subscription> subscriptions = new ArrayList<>(1);
        while (!in.isAtEnd()) {
            subscriptions.add(subscription(in, version));
            in.admitFilter(subscriptions.size());
        }
        if (subscriptions.isEmpty()) {
            throw ProtocolViolation.protocolError("SUBSCRIBE without a filter"); // 3.8.3-2
        }
        return new Packet.Subscribe(packetId, subscriptions, properties);
    }

    static Packet.Unsubscribe unsubscribe(PacketReader in, ProtocolVersion version) {
        int packetId = in.packetId();
        Properties properties =
                version.isV5()
                        ? PropertiesDecoder.decode(in, PropertyScope.UNSUBSCRIBE)
                        : Properties.NONE;
        List<TopicFilter> filters = new ArrayList<>(1);
        while (!in.isAtEnd()) {
            filters.add(filter(in));
            in.admitFilter(filters.size());
        }
        if (filters.isEmpty()) {
            throw ProtocolViolation.protocolError("UNSUBSCRIBE without a filter"); // 3.10.3-2
        }
        return new Packet.Unsubscribe(packetId, filters, properties);
    }

    private static Packet.Subscription subscription(PacketReader in, ProtocolVersion version) {
        TopicFilter filter = filter(in);
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
        return new Packet.Subscription(filter, qos, noLocal, (options & 8) != 0, retainHandling);
    }

    /**
     * A filter that breaks the grammar makes the packet malformed: 0x8F is for well-formed ones.
     */
    private static TopicFilter filter(PacketReader in) {
        byte[] bytes = in.binary();
        if (!TopicCheck.isTopicFilter(bytes)) {
            throw ProtocolViolation.malformed("Topic Filter is not well-formed");
        }
        return new TopicFilter(bytes);
    }
}

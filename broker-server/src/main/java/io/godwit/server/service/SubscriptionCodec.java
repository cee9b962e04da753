package io.godwit.server.service;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.TopicFilter;

/** Writes subscriptions: filter sized | options of MQTT 5.0, 3.8.3.1. */
final class SubscriptionCodec {
    private SubscriptionCodec() {}

    static void write(Packet.Subscription of, ByteWriter to) {
        to.sized(of.filter().bytes()).u8(of.options());
    }

    static Packet.Subscription read(ByteReader from) {
        TopicFilter filter = new TopicFilter(from.sized());
        int options = from.u8();
        return new Packet.Subscription(
                filter, options & 3, (options & 4) != 0, (options & 8) != 0, options >>> 4 & 3);
    }
}

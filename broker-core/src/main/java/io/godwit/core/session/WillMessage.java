package io.godwit.core.session;

import io.godwit.core.codec.PublishEncoder;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.Will;

/** Makes the application message of a will. */
final class WillMessage {
    private WillMessage() {}

    static Message of(Will will, ClientId publisher, long wallMs, IngressId ingress) {
        Properties properties = will.properties();
        long expirySeconds = properties.number(Property.MESSAGE_EXPIRY_INTERVAL, -1);
        return new Message(
                will.topic(),
                will.payload(),
                PublishEncoder.forwarded(properties),
                will.qos(),
                will.retain(),
                expirySeconds < 0 ? Message.NEVER : Message.expiresAtMs(wallMs, expirySeconds),
                publisher,
                ingress.server(),
                ingress.counter());
    }
}

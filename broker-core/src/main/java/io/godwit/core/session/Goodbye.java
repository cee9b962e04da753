package io.godwit.core.session;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;

/**
 * What a node that stops tells its clients in DISCONNECT (MQTT 5.0, 3.14).
 *
 * @param reference where to go (3.14.2.2.5); empty for none
 */
public record Goodbye(ReasonCode reason, String reference) {
    /** The broker stops, and there is no other to go to. */
    public static final Goodbye SHUTTING_DOWN = new Goodbye(ReasonCode.SERVER_SHUTTING_DOWN, "");

    /** Other nodes serve the client meanwhile. */
    public static Goodbye useAnother(String reference) {
        return new Goodbye(ReasonCode.USE_ANOTHER_SERVER, reference);
    }

    /** The packet that says so. */
    public Packet.Disconnect packet() {
        Properties properties =
                reference.isEmpty()
                        ? Properties.NONE
                        : Properties.builder().add(Property.SERVER_REFERENCE, reference).build();
        return new Packet.Disconnect(reason, properties);
    }
}

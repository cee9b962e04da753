package io.godwit.conformance.v5;

import io.godwit.conformance.Mqtt5;
import org.junit.jupiter.api.Test;

/** PINGREQ and PINGRESP (3.12, 3.13). */
class PingConformance extends Conformance5 {
    @Test
    @Mqtt5({"MQTT-3.12.4-1", "MQTT-2.1.3-1"})
    void a_ping_is_answered_and_one_with_flags_is_malformed() {
        var client = client();
        client.send("c0 00 c0 00");
        client.pong();
        client.pong();
        client.send("c1 00").disconnected(0x81);
    }
}

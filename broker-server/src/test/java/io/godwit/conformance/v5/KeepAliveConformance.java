package io.godwit.conformance.v5;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.Needs;
import io.godwit.conformance.target.Profile;
import org.junit.jupiter.api.Test;

/**
 * Keep Alive and Server Keep Alive (3.1.2.10, 3.2.2.3.14). What a broker may never do is shown: to
 * cut a client off within its keep alive, or not at all. That it is one and a half of them to the
 * tick is shown where time stands still, in the core.
 */
class KeepAliveConformance extends Conformance5 {
    @Test
    @Mqtt5({"MQTT-3.1.2-22", "MQTT-3.2.2-22"})
    void a_client_that_is_silent_for_one_and_a_half_keep_alives_is_cut_off() {
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_1);
        var client = open();
        long start = System.nanoTime();
        client.send(connect().keepAlive(1).will(topic, "silent"));
        assertThat(client.accepted().properties().has(0x13)).isFalse();
        client.disconnected(0x8D);
        assertThat(System.nanoTime() - start).isGreaterThan(1_000_000_000L);
        subscriber.publish("silent");
    }

    @Test
    @Mqtt5("MQTT-3.1.2-20")
    void pings_keep_a_connection_alive() {
        var silent = client(connect().keepAlive(4));
        var pinging = client(connect().keepAlive(4));
        for (int i = 0; i < 7; i++) {
            elapse(1_000);
            pinging.quiet();
        }
        silent.disconnected(0x8D);
        pinging.quiet();
    }

    @Test
    @Needs(Profile.SHORT_KEEP_ALIVE)
    @Mqtt5({"MQTT-3.1.2-21", "MQTT-3.2.2-21", "PE-3.2.2.3.14"})
    void a_server_keep_alive_is_what_counts() {
        var client = open();
        long start = System.nanoTime();
        client.send(connect().keepAlive(600));
        assertThat(client.accepted().properties().number(0x13)).isEqualTo(1);
        client.disconnected(0x8D);
        assertThat(System.nanoTime() - start).isGreaterThan(1_000_000_000L);
    }
}

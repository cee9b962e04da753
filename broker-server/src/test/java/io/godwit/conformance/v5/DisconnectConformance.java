package io.godwit.conformance.v5;

import static io.godwit.conformance.wire.Bytes.hex;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.Props;
import org.junit.jupiter.api.Test;

/** DISCONNECT from the client and from the server (3.14). */
class DisconnectConformance extends Conformance5 {
    @Test
    @Mqtt5("MQTT-3.14.1-1")
    void disconnect_has_its_flags_and_a_bad_one_leaves_the_will_alone() {
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_0);
        client(connect().will(topic, "deleted")).disconnect();
        client(connect().will(topic, "published")).send("e1 00").disconnected(0x81);
        subscriber.publish("published");
    }

    @Test
    @Mqtt5("MQTT-3.14.2-1")
    void reason_codes_that_a_client_may_not_send_are_refused() {
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_0);
        client(connect().will(topic, "0x04")).send(disconnect(0x04)).closed();
        subscriber.publish("0x04");
        client(connect().will(topic, "0x99")).send(disconnect(0x99)).closed();
        subscriber.publish("0x99");
        for (int code : new int[] {0x01, 0x05, 0x8B, 0x8E, 0xFF}) {
            client().send(disconnect(code)).disconnected(0x81, 0x82);
        }
    }

    @Test
    @Mqtt5({"MQTT-3.14.2-2", "MQTT-4.13.2-1"})
    void a_disconnect_from_the_server_has_no_session_expiry() {
        var client = client(resuming(id()));
        client.quiet();
        var disconnect = client.send("c1 00").disconnected(0x81);
        assertThat(disconnect.properties().has(0x11)).isFalse();
        assertThat(disconnect.properties().count(0x1F)).isLessThanOrEqualTo(1);
    }

    @Test
    @Mqtt5("MQTT-3.14.4-1")
    void packets_behind_a_disconnect_have_no_effect() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_0);
        var client = client();
        byte[] before = publish(topic).payload("before").bytes();
        byte[] behind = publish(topic).payload("behind").bytes();
        client.send(before, hex("e0 00"), behind).closed();
        subscriber.publish("before");
        nothingBefore(client(), subscriber, topic, 0);
    }

    @Test
    @Mqtt5({"MQTT-3.14.4-2", "MQTT-3.14.4-1"})
    void the_server_sends_nothing_after_its_disconnect_and_closes() {
        var client = client();
        client.send(hex("c0 00"), hex("c1 00"), hex("c0 00"));
        client.pong();
        client.disconnected(0x81);
    }

    @Test
    @Mqtt5("PE-3.14.2.2.2-1")
    void session_expiry_is_there_once() {
        byte[] expiry = Props.sessionExpiry(10);
        client(resuming(id())).send(disconnect(0, expiry)).closed();
        client(resuming(id())).send(disconnect(0, expiry, expiry)).disconnected(0x82);
    }

    @Test
    @Mqtt5("PE-3.14.2.2.2-2")
    void session_expiry_is_not_raised_from_0() {
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_0);
        client(resuming(id()).will(topic, "no")).send(disconnect(0, Props.sessionExpiry(10)));
        client(connect().will(topic, "not either")).send(disconnect(0, Props.sessionExpiry(0)));
        client(connect().will(topic, "not valid"))
                .send(disconnect(0, Props.sessionExpiry(10)))
                .disconnected(0x82);
        subscriber.publish("not valid");
    }

    @Test
    @Mqtt5({"PE-3.14.2.2.3", "PE-3.14.2.2.5"})
    void reason_string_and_server_reference_are_there_once() {
        byte[] reason = Props.reasonString("because");
        byte[] user = Props.userProperty("n", "v");
        client().send(disconnect(0, reason, user, user)).closed();
        client().send(disconnect(0, reason, reason)).disconnected(0x82);
        // A client may not send a Server Reference at all; twice is wrong in every reading.
        byte[] reference = Props.serverReference("other");
        client().send(disconnect(0, reference, reference)).disconnected(0x81, 0x82);
    }
}

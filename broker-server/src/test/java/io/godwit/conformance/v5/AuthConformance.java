package io.godwit.conformance.v5;

import static io.godwit.conformance.wire.Bytes.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.Frame;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.WireClient;
import org.junit.jupiter.api.Test;

/**
 * Enhanced authentication (3.15, 4.12). The broker has the method {@code GODWIT-TEST}: the client
 * says "hello", gets "challenge", says "answer", gets "welcome"; anything else is not authorized.
 */
class AuthConformance extends Conformance5 {
    private static final String METHOD = "GODWIT-TEST";
    private static final byte[] METHOD_PROPERTY = Props.authMethod(METHOD);

    @Test
    @Mqtt5({"MQTT-4.12.0-2", "MQTT-4.12.0-5", "MQTT-4.12.0-3"})
    void the_exchange_on_connect_runs_under_one_method() {
        var client = open();
        client.send(hello());
        challenged(client);
        client.send(answer(0x18, "answer"));
        var connAck = client.accepted();
        assertThat(connAck.properties().text(0x15)).isEqualTo(METHOD);
        assertThat(connAck.properties().one(0x16)).isEqualTo(text("welcome"));
        client.quiet();
        var wrongCode = open();
        wrongCode.send(hello());
        challenged(wrongCode);
        wrongCode.send(answer(0x19, "answer")).refused(0x82);
    }

    @Test
    @Mqtt5({"MQTT-4.12.0-4", "MQTT-3.1.4-2"})
    void an_exchange_that_fails_is_refused_at_every_step() {
        authenticated().quiet();
        open().send(connect().properties(METHOD_PROPERTY, Props.authData(text("bad"))))
                .refused(0x87);
        var second = open();
        second.send(hello());
        challenged(second);
        second.send(answer(0x18, "wrong")).refused(0x87);
    }

    @Test
    @Mqtt5({"MQTT-3.1.2-30", "MQTT-3.2.0-1"})
    void during_the_exchange_only_auth_and_disconnect_may_come() {
        authenticated().quiet();
        for (byte[] early :
                new byte[][] {
                    publish(topic("a")).bytes(), subscribe(1, topic("a"), QOS_0), {(byte) 0xC0, 0}
                }) {
            var client = open();
            client.send(hello());
            challenged(client);
            client.send(early).refused(0x82);
        }
        var polite = open();
        polite.send(hello());
        challenged(polite);
        polite.send("e0 00").closed();
    }

    @Test
    @Mqtt5({"MQTT-4.12.0-6", "MQTT-4.12.0-7", "PE-3.15"})
    void without_a_method_in_connect_there_is_no_auth() {
        var client = open();
        var connAck = client.send(connect()).accepted();
        assertThat(connAck.properties().has(0x15)).isFalse();
        client.quiet();
        client.send(auth(0x19, METHOD_PROPERTY)).disconnected(0x82);
    }

    @Test
    @Mqtt5({"MQTT-4.12.1-1", "PE-3.15"})
    void re_authentication_keeps_the_method() {
        var client = authenticated();
        client.send(answer(0x19, "hello"));
        challenged(client);
        client.quiet();
        client.send(answer(0x18, "answer"));
        var done = client.next().auth();
        assertThat(done.reason()).isZero();
        assertThat(done.properties().text(0x15)).isEqualTo(METHOD);
        client.quiet();
        var other = auth(0x19, Props.authMethod("OTHER"), Props.authData(text("hello")));
        client.send(other).disconnected(0x82, 0x8C);
    }

    @Test
    @Mqtt5("MQTT-4.12.1-2")
    void a_re_authentication_that_fails_ends_the_connection() {
        var client = authenticated();
        client.send(answer(0x19, "hello"));
        challenged(client);
        client.send(answer(0x18, "wrong")).disconnected(0x87);
    }

    @Test
    @Mqtt5("MQTT-3.15.1-1")
    void auth_has_its_flags() {
        var client = authenticated();
        byte[] bad = answer(0x19, "hello");
        client.send(bad);
        challenged(client);
        client.send(answer(0x18, "answer"));
        assertThat(client.next().auth().reason()).isZero();
        bad[0] = (byte) 0xF1;
        client.send(bad).disconnected(0x81);
    }

    @Test
    @Mqtt5("MQTT-3.15.2-1")
    void reason_codes_that_a_client_may_not_send_are_refused() {
        var client = authenticated();
        client.send(answer(0x19, "hello"));
        challenged(client);
        client.send(answer(0x00, "answer")).disconnected(0x81, 0x82);
        authenticated().send(answer(0x80, "hello")).disconnected(0x81, 0x82);
        authenticated().send("f0 00").disconnected(0x81, 0x82);
    }

    @Test
    @Mqtt5({"MQTT-3.15.2-2", "MQTT-3.15.2-3"})
    void auth_keeps_to_the_clients_maximum() {
        int limit = 60;
        var client = open();
        client.send(hello().properties(Props.maximumPacketSize(limit)));
        var frame = client.next();
        assertThat(frame.size()).isLessThanOrEqualTo(limit);
        assertThat(frame.auth().properties().one(0x16)).isEqualTo(text("challenge"));
        client.send(answer(0x18, "answer")).accepted();
    }

    @Test
    @Mqtt5({"PE-3.15.2.2.2-1", "PE-3.15.2.2.2-2"})
    void the_method_is_there_once() {
        byte[] data = Props.authData(text("hello"));
        reAuthenticates(METHOD_PROPERTY, data);
        authenticated().send(auth(0x19, data)).disconnected(0x82);
        authenticated().send(auth(0x19, METHOD_PROPERTY, METHOD_PROPERTY)).disconnected(0x82);
    }

    @Test
    @Mqtt5({"PE-3.15.2.2.3", "PE-3.15.2.2.4"})
    void data_and_reason_string_are_there_once() {
        byte[] data = Props.authData(text("hello"));
        byte[] reason = Props.reasonString("because");
        byte[] user = Props.userProperty("n", "v");
        reAuthenticates(METHOD_PROPERTY, data, reason, user, user);
        authenticated().send(auth(0x19, METHOD_PROPERTY, data, data)).disconnected(0x82);
        authenticated().send(auth(0x19, METHOD_PROPERTY, reason, reason)).disconnected(0x82);
    }

    @Test
    @Mqtt5({"PE-3.2.2.3.17", "PE-3.2.2.3.18"})
    void connack_has_method_and_data_once() {
        var client = open();
        client.send(hello());
        challenged(client);
        client.send(answer(0x18, "answer"));
        Frame.ConnAck connAck = client.accepted();
        assertThat(connAck.properties().count(0x15)).isEqualTo(1);
        assertThat(connAck.properties().count(0x16)).isEqualTo(1);
    }

    private ConnectBytes hello() {
        return connect().properties(METHOD_PROPERTY, Props.authData(text("hello")));
    }

    private static byte[] answer(int reason, String data) {
        return auth(reason, METHOD_PROPERTY, Props.authData(text(data)));
    }

    private static void challenged(WireClient client) {
        var challenge = client.next().auth();
        assertThat(challenge.reason()).isEqualTo(0x18);
        assertThat(challenge.properties().text(0x15)).isEqualTo(METHOD);
        assertThat(challenge.properties().one(0x16)).isEqualTo(text("challenge"));
    }

    private WireClient authenticated() {
        var client = open();
        client.send(hello());
        challenged(client);
        client.send(answer(0x18, "answer")).accepted();
        return client;
    }

    private void reAuthenticates(byte[]... properties) {
        var client = authenticated();
        client.send(auth(0x19, properties));
        challenged(client);
        client.send(answer(0x18, "answer"));
        assertThat(client.next().auth().reason()).isZero();
    }
}

package io.godwit.conformance.v5;

import static io.godwit.conformance.wire.Bytes.bin;
import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.hex;
import static io.godwit.conformance.wire.Bytes.text;
import static io.godwit.conformance.wire.Bytes.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.Props;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** The layout of CONNECT and the answers to it (3.1, 3.2). */
class ConnectConformance extends Conformance5 {
    @Test
    @Mqtt5({"MQTT-3.1.0-1", "MQTT-3.14.0-1"})
    void the_first_packet_is_connect_or_the_connection_ends_without_a_disconnect() {
        accepted(connect());
        open().send("c0 00").closed();
        open().send(publish(topic("a")).qos(1, 1)).closed();
        open().send("e0 00").closed();
        refused(connect().flag(0x01), 0x81);
    }

    @Test
    @Mqtt5({"MQTT-3.1.0-2", "MQTT-3.2.0-2"})
    void a_second_connect_is_a_protocol_error_and_gets_no_second_connack() {
        String id = id();
        var client = client(connect(id));
        client.quiet();
        client.send(connect(id)).disconnected(0x82);
    }

    @Test
    @Mqtt5("MQTT-3.1.2-1")
    void another_protocol_name_is_refused() {
        accepted(connect());
        for (String name : new String[] {"MQTX", "mqtt", "MQ", ""}) {
            open().send(connect().protocolName(utf8(name))).versionRefused();
        }
    }

    @Test
    @Mqtt5("MQTT-3.1.2-2")
    void another_protocol_version_is_refused() {
        accepted(connect());
        for (int level : new int[] {0, 2, 6, 0x86, 0xFF}) {
            open().send(connect().level(level)).versionRefused();
        }
    }

    @Test
    @Mqtt5({"MQTT-3.1.2-3", "MQTT-3.2.2-6", "MQTT-3.2.2-7"})
    void the_reserved_connect_flag_has_to_be_0() {
        String id = id();
        client(resuming(id)).disconnect();
        assertThat(open().send(resuming(id)).accepted().sessionPresent()).isTrue();
        refused(resuming(id).flag(0x01), 0x81);
    }

    @Test
    @Mqtt5("MQTT-3.1.2-9")
    void a_will_flag_needs_will_fields() {
        accepted(connect().will(topic("will"), "x"));
        refused(connect().flag(0x04), 0x81);
        refused(connect().will(topic("will"), "x").withoutFlag(0x04), 0x81);
        refused(connect().flag(0x04).tail(concat(hex("00"), utf8(topic("will")))), 0x81);
    }

    @Test
    @Mqtt5({"MQTT-3.1.2-11", "MQTT-3.1.2-12", "MQTT-3.1.2-13"})
    void will_qos_and_will_retain_have_to_fit_the_will_flag() {
        for (int qos = 0; qos <= 2; qos++) {
            accepted(connect().will(topic("will"), "x").willQos(qos));
        }
        refused(connect().will(topic("will"), "x").willQos(3), 0x81);
        refused(connect().willQos(1), 0x81);
        refused(connect().willQos(2), 0x81);
        refused(connect().willRetain(), 0x81);
    }

    @Test
    @Mqtt5({"MQTT-3.1.2-16", "MQTT-3.1.2-17"})
    void a_user_name_is_there_exactly_when_its_flag_is_set() {
        accepted(connect().userName(utf8("user")));
        refused(connect().flag(0x80), 0x81);
        refused(connect().userName(utf8("user")).withoutFlag(0x80), 0x81);
    }

    @Test
    @Mqtt5({"MQTT-3.1.2-18", "MQTT-3.1.2-19"})
    void a_password_is_there_exactly_when_its_flag_is_set() {
        accepted(connect().userName(utf8("user")).password(bin(hex("00 ff"))));
        accepted(connect().password(bin(text("without a user name"))));
        refused(connect().userName(utf8("user")).flag(0x40), 0x81);
        refused(connect().userName(utf8("user")).password(bin(text("x"))).withoutFlag(0x40), 0x81);
    }

    @Test
    @Mqtt5("MQTT-3.1.3-1")
    void the_fields_of_the_payload_stand_in_their_order() {
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_1);
        var connect =
                connect()
                        .willProperties(Props.contentType("text/plain"))
                        .will(topic, "gone")
                        .userName(utf8("user"))
                        .password(bin(text("secret")));
        client(connect).close();
        var will = subscriber.publish("gone");
        assertThat(will.topic()).isEqualTo(topic);
        assertThat(will.properties().text(0x03)).isEqualTo("text/plain");
        // The Client Identifier last: its place is taken by a Will Properties length and more.
        var wrong = connect().clientId(hex("00")).will(topic, "x").tail(utf8(id()));
        refused(wrong, 0x81);
    }

    @Test
    @Mqtt5("MQTT-3.1.3-3")
    void a_client_identifier_field_is_always_there() {
        accepted(connect().clientId(utf8("")));
        refused(connect().clientId(new byte[0]), 0x81);
        refused(connect().clientId(hex("00")), 0x81);
    }

    @Test
    @Mqtt5("MQTT-3.1.3-5")
    void client_identifiers_of_1_to_23_letters_and_digits_are_accepted() {
        for (String id : new String[] {"a", "Z", "0", "0123456789abcdefghijklm"}) {
            var first = client(resuming(id));
            first.quiet();
            first.disconnect();
            var again = open();
            assertThat(again.send(resuming(id)).accepted().sessionPresent()).isTrue();
            again.send(disconnect(0, Props.sessionExpiry(0))).closed();
        }
        accepted(connect("nopqrstuvwxyzABCDEFGHIJ"));
        accepted(connect("KLMNOPQRSTUVWXYZ"));
    }

    @Test
    @Mqtt5({"MQTT-3.1.3-6", "MQTT-3.1.3-7", "MQTT-3.2.2-16"})
    void an_empty_client_identifier_is_replaced_by_a_new_one() {
        var anonymous = connect("").properties(Props.sessionExpiry(60));
        var first = open().send(anonymous).accepted().properties().text(0x12);
        var client = open();
        String second = client.send(anonymous).accepted().properties().text(0x12);
        assertThat(first).isNotEmpty();
        assertThat(second).isNotEmpty().isNotEqualTo(first);
        client.subscribe(topic("a"), QOS_1).disconnect();
        var again = open();
        var connAck = again.send(resuming(second)).accepted();
        assertThat(connAck.sessionPresent()).isTrue();
        assertThat(connAck.properties().has(0x12)).isFalse();
        publishes(client(), topic("a"), "x");
        again.publish("x");
    }

    @Test
    @Mqtt5({"MQTT-3.1.3-11", "MQTT-3.1.3-12"})
    void will_topic_and_user_name_of_ill_formed_utf8_are_malformed() {
        accepted(connect().will("wüll", "x").userName(utf8("ü")));
        for (byte[] bad : ILL_FORMED) {
            refused(connect().will(bad, bin(text("x"))), 0x81);
            refused(connect().userName(bad), 0x81);
        }
        refused(connect().will(WITH_NULL, bin(text("x"))), 0x81);
        refused(connect().userName(WITH_NULL), 0x81);
    }

    @Test
    @Mqtt5({"MQTT-3.1.4-1", "MQTT-4.13.2-1", "MQTT-3.2.2-8"})
    void a_connect_that_does_not_match_its_layout_is_refused() {
        accepted(connect());
        refused(connect().tail(hex("00")), 0x81);
        refused(connect().clientId(hex("00 05 61 62")), 0x81);
        refused(connect().properties(hex("11 00 00")), 0x81);
        refused(connect().properties(Props.topicAlias(1)), 0x81);
        refused(connect().properties(hex("7f 00")), 0x81);
    }

    @Test
    @Mqtt5({"MQTT-3.1.4-2", "MQTT-4.12.0-1"})
    void an_authentication_method_that_the_server_lacks_is_refused() {
        accepted(connect());
        refused(connect().properties(Props.authMethod("NO-SUCH-METHOD")), 0x8C);
    }

    @Test
    @Mqtt5("MQTT-3.1.4-6")
    void packets_behind_a_refused_connect_have_no_effect() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_0);
        var pipelined = open();
        pipelined.send(connect().bytes(), publish(topic).payload("good").bytes()).accepted();
        subscriber.publish("good");
        var bad = connect().properties(Props.authMethod("NO-SUCH-METHOD"));
        open().send(bad.bytes(), publish(topic).payload("bad").bytes()).refused(0x8C);
        nothingBefore(pipelined, subscriber, topic, 0);
        nothingBefore(client(), subscriber, topic, 0);
    }

    @Test
    @Mqtt5({"MQTT-3.2.0-1", "MQTT-3.1.4-5"})
    void connack_comes_before_anything_else() {
        String id = id();
        String topic = topic("a");
        client(resuming(id)).subscribe(topic, QOS_1).disconnect();
        publishes(client(), topic, "waiting");
        var client = open();
        client.send(resuming(id).bytes(), subscribe(1, topic, QOS_1), hex("c0 00"));
        assertThat(client.accepted().sessionPresent()).isTrue();
        var types = new ArrayList<Integer>();
        for (int i = 0; i < 3; i++) {
            types.add(client.next().type());
        }
        assertThat(types).containsExactlyInAnyOrder(3, 9, 13);
    }
}

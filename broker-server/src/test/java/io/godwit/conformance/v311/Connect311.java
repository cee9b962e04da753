package io.godwit.conformance.v311;

import static io.godwit.conformance.wire.Bytes.bin;
import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.hex;
import static io.godwit.conformance.wire.Bytes.text;
import static io.godwit.conformance.wire.Bytes.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt311;
import io.godwit.conformance.Needs;
import io.godwit.conformance.target.Profile;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** The layout of CONNECT and the answers to it (3.1, 3.2). */
class Connect311 extends Conformance311 {
    @Test
    @Mqtt311("MQTT-3.1.0-1")
    void the_first_packet_is_connect() {
        accepted(connect());
        open().send("c0 00").closed();
        open().send(publish(topic("a")).qos(1, 1)).closed();
        open().send(subscribe(1, topic("a"), 0)).closed();
    }

    @Test
    @Mqtt311("MQTT-3.1.0-2")
    void a_second_connect_ends_the_connection() {
        String id = id();
        var client = client(connect(id));
        client.quiet();
        client.send(connect(id)).closed();
    }

    @Test
    @Mqtt311("MQTT-3.1.2-1")
    void another_protocol_name_is_not_served_as_3_1_1() {
        accepted(connect());
        for (String name : new String[] {"MQTX", "mqtt", "MQ", ""}) {
            open().send(connect().protocolName(utf8(name))).versionRefused();
        }
    }

    @Test
    @Mqtt311({"MQTT-3.1.2-2", "MQTT-3.2.2-4", "MQTT-3.2.2-5"})
    void an_unsupported_level_gets_return_code_1() {
        String id = id();
        client(resuming(id)).disconnect();
        assertThat(open().send(resuming(id)).accepted().sessionPresent()).isTrue();
        for (int level : new int[] {0, 2, 0x82}) {
            refused(resuming(id).level(level), 0x01);
        }
    }

    @Test
    @Mqtt311("MQTT-3.1.2-3")
    void the_reserved_connect_flag_has_to_be_0() {
        accepted(connect());
        closed(connect().flag(0x01));
    }

    @Test
    @Mqtt311({"MQTT-3.1.2-9", "MQTT-3.1.2-11"})
    void will_fields_are_there_exactly_when_the_will_flag_is_set() {
        String topic = topic("will");
        var subscriber = subscriber(topic, 2);
        client(connect().will(topic, "gone").willQos(1)).close();
        var will = subscriber.publish("gone");
        assertThat(will.qos()).isEqualTo(1);
        assertThat(will.retain()).isFalse();
        closed(connect().flag(0x04));
        closed(connect().will(topic, "x").withoutFlag(0x04));
        closed(connect().flag(0x04).tail(utf8(topic)));
    }

    @Test
    @Mqtt311({"MQTT-3.1.2-13", "MQTT-3.1.2-14", "MQTT-3.1.2-15"})
    void will_qos_and_will_retain_have_to_fit_the_will_flag() {
        for (int qos = 0; qos <= 2; qos++) {
            accepted(connect().will(topic("will"), "x").willQos(qos));
        }
        closed(connect().will(topic("will"), "x").willQos(3));
        closed(connect().willQos(1));
        closed(connect().willQos(2));
        closed(connect().willRetain());
    }

    @Test
    @Mqtt311({"MQTT-3.1.2-18", "MQTT-3.1.2-19"})
    void a_user_name_is_there_exactly_when_its_flag_is_set() {
        accepted(connect().userName(utf8("user")));
        closed(connect().flag(0x80));
        closed(connect().userName(utf8("user")).withoutFlag(0x80));
    }

    @Test
    @Mqtt311({"MQTT-3.1.2-20", "MQTT-3.1.2-21", "MQTT-3.1.2-22"})
    void a_password_is_there_when_its_flag_is_set_and_needs_a_user_name() {
        accepted(connect().userName(utf8("user")).password(bin(hex("00 ff"))));
        closed(connect().userName(utf8("user")).flag(0x40));
        closed(connect().userName(utf8("user")).password(bin(text("x"))).withoutFlag(0x40));
        closed(connect().password(bin(text("x"))));
    }

    @Test
    @Mqtt311("MQTT-3.1.3-1")
    void the_fields_of_the_payload_stand_in_their_order() {
        String id = id();
        String topic = topic("will");
        var subscriber = subscriber(topic, 1);
        var connect =
                resuming(id)
                        .will(topic, "gone")
                        .willQos(1)
                        .userName(utf8("user"))
                        .password(bin(text("secret")));
        client(connect).close();
        assertThat(subscriber.publish("gone").topic()).isEqualTo(topic);
        assertThat(open().send(resuming(id)).accepted().sessionPresent()).isTrue();
        closed(connect().clientId(hex("")).will(topic, "x").tail(hex("01")));
    }

    @Test
    @Mqtt311({"MQTT-3.1.3-3", "MQTT-3.1.4-1"})
    void a_connect_that_does_not_match_its_layout_closes_without_connack() {
        accepted(connect());
        closed(connect().clientId(new byte[0]));
        closed(connect().clientId(hex("00 05 61 62")));
        closed(connect().tail(hex("00")));
    }

    @Test
    @Mqtt311({"MQTT-3.1.3-4", "MQTT-3.1.3-10", "MQTT-3.1.3-11"})
    void strings_of_ill_formed_utf8_close_the_connection() {
        accepted(connect(id("ü")).will("wüll", "x").userName(utf8("ü")));
        for (byte[] bad : ILL_FORMED) {
            closed(connect().clientId(bad));
            closed(connect().will(bad, bin(text("x"))));
            closed(connect().userName(bad));
        }
    }

    @Test
    @Mqtt311("MQTT-3.1.3-5")
    void client_identifiers_of_1_to_23_letters_and_digits_are_accepted() {
        for (String id : new String[] {"x", "Y", "9", "3210456789abcdefghijklm"}) {
            client(resuming(id)).disconnect();
            var again = open();
            assertThat(again.send(resuming(id)).accepted().sessionPresent()).isTrue();
            again.disconnect();
            client(connect(id)).disconnect();
        }
        accepted(connect("nopqrstuvwxyzABCDEFGHIX"));
        accepted(connect("KLMNOPQRSTUVWXYZ311"));
    }

    @Test
    @Mqtt311({"MQTT-3.1.3-6", "MQTT-3.1.3-7", "MQTT-3.1.3-8"})
    void an_empty_client_identifier_needs_a_clean_session() {
        String topic = topic("a");
        var one = client(connect("")).subscribe(topic, 1);
        var two = client(connect("")).subscribe(topic, 1);
        publishes(client(), topic, "x");
        one.publish("x");
        two.publish("x");
        refused(connect("").clean(false), 0x02);
    }

    @Test
    @Mqtt311({"MQTT-3.1.3-9", "MQTT-3.2.2-5"})
    void a_refused_client_identifier_gets_return_code_2() {
        accepted(connect());
        refused(connect("").clean(false), 0x02);
    }

    @Test
    @Mqtt311({"MQTT-3.1.4-4", "MQTT-3.2.0-1"})
    void connack_with_0_comes_before_anything_else() {
        String id = id();
        String topic = topic("a");
        client(resuming(id)).subscribe(topic, 1).disconnect();
        publishes(client(), topic, "waiting");
        var client = open();
        client.send(resuming(id).bytes(), subscribe(1, topic, 1), hex("c0 00"));
        var connAck = client.next();
        assertThat(connAck.firstByte()).isEqualTo(0x20);
        assertThat(connAck.body()).isEqualTo(hex("01 00"));
        var types = new ArrayList<Integer>();
        for (int i = 0; i < 3; i++) {
            types.add(client.next().type());
        }
        assertThat(types).containsExactlyInAnyOrder(3, 9, 13);
    }

    @Test
    @Mqtt311("MQTT-3.1.4-5")
    void packets_behind_a_refused_connect_have_no_effect() {
        String topic = topic("a");
        var subscriber = subscriber(topic, 0);
        var good = open();
        good.send(connect().bytes(), publish(topic).payload("good").bytes()).accepted();
        subscriber.publish("good");
        byte[] bad = connect("").clean(false).bytes();
        open().send(bad, publish(topic).payload("bad").bytes()).refused(0x02);
        nothingBefore(good, subscriber, topic, 0);
        nothingBefore(client(), subscriber, topic, 0);
    }

    @Test
    @Needs(Profile.RESTRICTED)
    @Mqtt311("MQTT-3.2.2-6")
    void a_refusal_without_a_fitting_return_code_has_no_connack() {
        accepted(connect().will(topic("will"), "x").willQos(1));
        closed(connect().will(topic("will"), "x").willQos(2));
        closed(connect().will(topic("will"), "x").willRetain());
    }

    @Test
    @Mqtt311({"MQTT-7.1.1-1", "MQTT-7.0.0-2"})
    void the_packets_of_the_standard_are_enough_in_any_fragments() {
        String topic = topic("a");
        var subscriber = subscriber(topic, 1);
        var client = open();
        byte[] publish = publish(topic).qos(1, 5).dup().payload("x".repeat(200)).bytes();
        for (byte b : concat(connect().bytes(), publish, hex("c0 00"))) {
            client.send(new byte[] {b});
        }
        client.accepted();
        client.pubAck(5);
        client.pong();
        assertThat(subscriber.publish("x".repeat(200)).dup()).isFalse();
        client.disconnect();
    }
}

package io.godwit.conformance.v5;

import static io.godwit.conformance.wire.Bytes.bin;
import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.hex;
import static io.godwit.conformance.wire.Bytes.packet;
import static io.godwit.conformance.wire.Bytes.props;
import static io.godwit.conformance.wire.Bytes.u16;
import static io.godwit.conformance.wire.Bytes.u8;
import static io.godwit.conformance.wire.Bytes.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.Props;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

/** Strings and integers (1.5), fixed header, packet identifiers, property length (2). */
class DataTypesConformance extends Conformance5 {
    @Test
    @Mqtt5({"MQTT-1.5.4-1", "MQTT-3.3.2-1"})
    void a_topic_name_of_ill_formed_utf8_is_malformed() {
        for (byte[] bad : ILL_FORMED) {
            var client = client();
            client.send(publish("grün/€/🛰").qos(1, 1)).pubAck(1);
            client.send(publish("").topic(bad)).disconnected(0x81);
        }
    }

    @Test
    @Mqtt5({"MQTT-1.5.4-1", "MQTT-3.1.3-4"})
    void a_client_identifier_of_ill_formed_utf8_is_malformed() {
        accepted(connect(id("ü€")));
        for (byte[] bad : ILL_FORMED) {
            refused(connect().clientId(bad), 0x81);
        }
    }

    @Test
    @Mqtt5({"MQTT-1.5.4-2", "MQTT-4.7.3-2"})
    void a_string_with_a_null_character_is_malformed() {
        var publisher = client();
        publisher.send(publish(topic("ab")).qos(1, 1)).pubAck(1);
        publisher.send(publish("").topic(WITH_NULL)).disconnected(0x81);
        var subscriber = client();
        subscriber.subscribe(topic("ab"), QOS_0);
        subscriber.send(subscribe(7, props(), WITH_NULL, QOS_0)).disconnected(0x81);
        refused(connect().clientId(WITH_NULL), 0x81);
    }

    @Test
    @Mqtt5({"MQTT-1.5.4-3", "MQTT-4.7.3-4"})
    void a_byte_order_mark_is_a_character_like_any_other() {
        String topic = topic("a");
        byte[] marked = bin(concat(hex("ef bb bf"), topic.getBytes(StandardCharsets.UTF_8)));
        var with = client();
        with.send(subscribe(1, props(), marked, QOS_0)).next().subAck();
        var without = subscriber(topic, QOS_0);
        var publisher = client();
        publisher.send(publish("").topic(marked).payload("marked"));
        assertThat(with.publish("marked").topic()).isEqualTo("\uFEFF" + topic);
        nothingBefore(publisher, without, topic, 0);
    }

    @Test
    @Mqtt5("MQTT-1.5.5-1")
    void a_remaining_length_in_more_bytes_than_needed_is_malformed() {
        var client = client();
        client.quiet();
        client.send("c0 80 00").disconnected(0x81);
        var five = client();
        five.quiet();
        five.send("30 80 80 80 80 01").disconnected(0x81);
    }

    @Test
    @Mqtt5("MQTT-1.5.5-1")
    void a_property_length_in_more_bytes_than_needed_is_malformed() {
        String topic = topic("a");
        var client = client();
        client.send(packet(0x32, utf8(topic), u16(1), hex("00"))).pubAck(1);
        client.send(packet(0x32, utf8(topic), u16(2), hex("80 00"))).disconnected(0x81);
        var id = client();
        id.send(subscribe(1, topic, QOS_0, hex("0b 81 01"))).next().subAck();
        id.send(subscribe(2, topic, QOS_0, hex("0b 81 00"))).disconnected(0x81);
    }

    @Test
    @Mqtt5("MQTT-1.5.7-1")
    void both_strings_of_a_user_property_are_checked() {
        for (byte[] bad : ILL_FORMED) {
            var name = client();
            name.send(publish(topic("a")).qos(1, 1).properties(Props.userProperty("ü", "")))
                    .pubAck(1);
            name.send(publish(topic("a")).properties(concat(u8(0x26), bad, utf8("v"))))
                    .disconnected(0x81);
            disconnects(
                    0x81, publish(topic("a")).properties(concat(u8(0x26), utf8("n"), bad)).bytes());
        }
        disconnects(
                0x81,
                publish(topic("a")).properties(concat(u8(0x26), WITH_NULL, utf8("v"))).bytes());
    }

    @Test
    @Mqtt5({"MQTT-2.1.3-1", "MQTT-4.13.1-1"})
    void reserved_flags_of_the_fixed_header_are_checked() {
        var client = client();
        client.send(publish(topic("a")).qos(2, 1)).pubRec(1);
        client.sendAck(PUBREL, 1).pubComp(1, 0);
        for (String bad : new String[] {"c1 00", "c8 00", "41 02 00 01", "52 02 00 01"}) {
            disconnects(0x81, hex(bad));
        }
        disconnects(0x81, hex("71 02 00 01"));
        accepted(connect());
        open().send(connect().firstByte(0x11)).refusedOrClosed(0x81);
    }

    @Test
    @Mqtt5({"MQTT-2.1.3-1", "MQTT-4.13.1-1"})
    void packet_types_that_only_a_server_sends_and_type_0_are_refused() {
        client().quiet();
        for (String bad : new String[] {"00 00", "20 03 00 00 00", "d0 00", "90 04 00 01 00 00"}) {
            client().send(bad).disconnected(0x81, 0x82);
        }
    }

    @Test
    @Mqtt5({"MQTT-2.2.1-2", "MQTT-4.3.1-1"})
    void a_qos_0_message_goes_out_without_a_packet_identifier() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_0);
        var publisher = client();
        publisher.send(publish(topic).qos(1, 0x0102).dup().payload("x")).pubAck(0x0102);
        var frame = subscriber.next();
        assertThat(frame.firstByte()).isEqualTo(0x30);
        assertThat(frame.body()).isEqualTo(concat(utf8(topic), hex("00"), hex("78")));
    }

    @Test
    @Mqtt5("MQTT-2.2.1-3")
    void packet_identifier_0_is_refused() {
        String topic = topic("a");
        var client = client();
        client.send(publish(topic).qos(1, 1)).pubAck(1);
        client.send(publish(topic).qos(1, 0)).disconnected(0x81, 0x82);
        client().send(publish(topic).qos(2, 0)).disconnected(0x81, 0x82);
        client().send(subscribe(0, topic, QOS_0)).disconnected(0x81, 0x82);
        client().send(unsubscribe(0, topic)).disconnected(0x81, 0x82);
    }

    @Test
    @Mqtt5({"MQTT-2.2.1-4", "MQTT-4.3.2-1", "MQTT-4.3.3-1"})
    void messages_in_flight_have_packet_identifiers_of_their_own() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_2);
        var publisher = client();
        for (int qos : new int[] {1, 2, 1, 2, 1}) {
            publisher.send(publish(topic).qos(qos, 9));
            if (qos == 1) {
                publisher.pubAck(9);
            } else {
                publisher.pubRec(9);
                publisher.sendAck(PUBREL, 9).pubComp(9);
            }
        }
        var ids = new HashSet<Integer>();
        for (int i = 0; i < 5; i++) {
            ids.add(subscriber.publish().packetId());
        }
        assertThat(ids).hasSize(5).doesNotContain(0);
    }

    @Test
    @Mqtt5("MQTT-2.2.1-5")
    void acknowledgements_repeat_the_packet_identifier() {
        String topic = topic("a");
        var client = client();
        client.send(publish(topic).qos(1, 0xFFFF)).pubAck(0xFFFF);
        client.send(publish(topic).qos(2, 0x8001)).pubRec(0x8001);
        client.sendAck(PUBREL, 0x8001).pubComp(0x8001, 0);
        var subscriber = subscriber(topic, QOS_2);
        publishesQos2(client, topic, "x");
        completes(subscriber, "x");
        client.sendAck(PUBREL, 0x8001).pubComp(0x8001, 0x92);
    }

    @Test
    @Mqtt5({"MQTT-2.2.1-6", "MQTT-3.8.4-2", "MQTT-3.10.4-5"})
    void suback_and_unsuback_repeat_the_packet_identifier() {
        var client = client();
        client.send(subscribe(0xABCD, topic("a"), QOS_1));
        assertThat(client.next().subAck().packetId()).isEqualTo(0xABCD);
        client.send(unsubscribe(0xABCE, topic("a")));
        assertThat(client.next().unsubAck().packetId()).isEqualTo(0xABCE);
        client.send(unsubscribe(0xABCF, topic("a")));
        var nothing = client.next().unsubAck();
        assertThat(nothing.packetId()).isEqualTo(0xABCF);
        assertThat(nothing.codes()).containsExactly(0x11);
    }

    @Test
    @Mqtt5("MQTT-2.2.2-1")
    void a_property_length_is_never_left_out() {
        String topic = topic("a");
        var client = client();
        client.send(packet(0x32, utf8(topic), u16(1), hex("00"))).pubAck(1);
        client.send(packet(0x32, utf8(topic), u16(2))).disconnected(0x81);
        var subscriber = subscriber(topic, QOS_0);
        subscriber.send(packet(0x82, u16(2), utf8(topic), u8(0))).disconnected(0x81);
        refused(connect().clientId(new byte[0]), 0x81);
    }
}

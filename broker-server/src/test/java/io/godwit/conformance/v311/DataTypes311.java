package io.godwit.conformance.v311;

import static io.godwit.conformance.wire.Bytes.bin;
import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.hex;
import static io.godwit.conformance.wire.Bytes.packet;
import static io.godwit.conformance.wire.Bytes.text;
import static io.godwit.conformance.wire.Bytes.u16;
import static io.godwit.conformance.wire.Bytes.u8;
import static io.godwit.conformance.wire.Bytes.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt311;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

/** Strings (1.5.3), fixed header and packet identifiers (2). */
class DataTypes311 extends Conformance311 {
    @Test
    @Mqtt311({"MQTT-1.5.3-1", "MQTT-3.3.2-1"})
    void a_topic_name_of_ill_formed_utf8_closes_the_connection() {
        for (byte[] bad : ILL_FORMED) {
            var client = client();
            client.send(publish("grün/€/🛰").qos(1, 1)).pubAck(1);
            client.send(publish("").topic(bad)).closed();
        }
        closes(packet(0x30, hex("00 09 61")));
    }

    @Test
    @Mqtt311({"MQTT-1.5.3-2", "MQTT-4.7.3-2"})
    void a_string_with_a_null_character_closes_the_connection() {
        var client = client().subscribe(topic("ab"), 0);
        client.quiet();
        client.send(publish("").topic(WITH_NULL)).closed();
        closes(packet(0x82, u16(1), WITH_NULL, u8(0)));
        closed(connect().clientId(WITH_NULL));
    }

    @Test
    @Mqtt311({"MQTT-1.5.3-3", "MQTT-4.7.3-4"})
    void a_byte_order_mark_is_a_character_like_any_other() {
        String topic = topic("a");
        byte[] marked = bin(concat(hex("ef bb bf"), text(topic)));
        var with = client();
        with.send(packet(0x82, u16(1), marked, u8(0))).next().subAck();
        var without = subscriber(topic, 0);
        var publisher = client();
        publisher.send(publish("").topic(marked).payload("marked"));
        assertThat(with.publish("marked").topic()).isEqualTo("\uFEFF" + topic);
        nothingBefore(publisher, without, topic, 0);
    }

    @Test
    @Mqtt311({"MQTT-2.2.2-1", "MQTT-2.2.2-2", "MQTT-4.8.0-1"})
    void wrong_flags_of_the_fixed_header_close_the_connection() {
        var client = client();
        client.send(publish(topic("a")).qos(2, 1)).pubRec(1);
        client.sendAck(PUBREL, 1).pubComp(1);
        client.quiet();
        for (String bad :
                new String[] {
                    "c1 00", "c8 00", "41 02 00 01", "52 02 00 01", "71 02 00 01", "e1 00"
                }) {
            closes(hex(bad));
        }
        accepted(connect());
        closed(connect().firstByte(0x11));
    }

    @Test
    @Mqtt311("MQTT-4.8.0-1")
    void packet_types_that_a_client_may_not_send_close_the_connection() {
        client().quiet();
        for (String bad :
                new String[] {"00 00", "f0 00", "20 02 00 00", "d0 00", "90 03 00 01 00"}) {
            closes(hex(bad));
        }
        closes(hex("30 80 80 80 80 01"));
    }

    @Test
    @Mqtt311({"MQTT-2.3.1-1", "MQTT-2.3.1-2"})
    void packet_identifier_0_closes_the_connection() {
        String topic = topic("a");
        var client = client();
        client.send(publish(topic).qos(1, 1)).pubAck(1);
        client.subscribe(topic, 0).unsubscribe(topic);
        client.send(publish(topic).qos(1, 0)).closed();
        closes(publish(topic).qos(2, 0).bytes());
        closes(subscribe(0, topic, 0));
        closes(unsubscribe(0, topic));
    }

    @Test
    @Mqtt311("MQTT-2.3.1-3")
    void a_packet_identifier_is_free_again_after_its_exchange_only() {
        String topic = topic("a");
        var subscriber = subscriber(topic, 2);
        var publisher = client();
        publisher.send(publish(topic).qos(2, 8).payload("one")).pubRec(8);
        publisher.send(publish(topic).qos(2, 8).dup().payload("one")).pubRec(8);
        publisher.sendAck(PUBREL, 8).pubComp(8);
        completes(subscriber, "one");
        publisher.send(publish(topic).qos(2, 8).payload("two")).pubRec(8);
        publisher.sendAck(PUBREL, 8).pubComp(8);
        completes(subscriber, "two");
    }

    @Test
    @Mqtt311("MQTT-2.3.1-4")
    void messages_in_flight_have_packet_identifiers_of_their_own() {
        String topic = topic("a");
        var subscriber = subscriber(topic, 2);
        var publisher = client();
        for (int i = 0; i < 5; i++) {
            publisher.send(publish(topic).qos(1, 9)).pubAck(9);
        }
        var ids = new HashSet<Integer>();
        for (int i = 0; i < 5; i++) {
            ids.add(subscriber.publish().packetId());
        }
        assertThat(ids).hasSize(5).doesNotContain(0);
    }

    @Test
    @Mqtt311({"MQTT-2.3.1-5", "MQTT-4.3.1-1", "MQTT-3.3.1-2"})
    void a_qos_0_message_goes_out_without_a_packet_identifier_and_without_dup() {
        String topic = topic("a");
        var subscriber = subscriber(topic, 0);
        var publisher = client();
        publisher.send(publish(topic).qos(1, 0x0102).dup().payload("x")).pubAck(0x0102);
        var frame = subscriber.next();
        assertThat(frame.firstByte()).isEqualTo(0x30);
        assertThat(frame.body()).isEqualTo(concat(utf8(topic), hex("78")));
        publisher.send(publish(topic).flags(0x08)).closed();
    }

    @Test
    @Mqtt311({"MQTT-2.3.1-6", "MQTT-3.3.4-1"})
    void acknowledgements_repeat_the_packet_identifier() {
        String topic = topic("a");
        var subscriber = subscriber(topic, 1);
        var client = client();
        client.send(publish(topic).payload("zero"));
        client.quiet();
        client.send(publish(topic).qos(1, 0xFFFF).dup().payload("one")).pubAck(0xFFFF);
        client.send(publish(topic).qos(2, 0x8001).payload("two")).pubRec(0x8001);
        client.sendAck(PUBREL, 0x8001).pubComp(0x8001);
        var received = subscriber.publishes(3);
        assertThat(received.get("zero").qos()).isZero();
        assertThat(received.get("one").dup()).isFalse();
        assertThat(received.get("two").qos()).isEqualTo(1);
    }

    @Test
    @Mqtt311({"MQTT-2.3.1-7", "MQTT-3.8.4-2", "MQTT-3.10.4-4"})
    void suback_and_unsuback_repeat_the_packet_identifier() {
        var client = client();
        client.send(subscribe(0xABCD, topic("a"), 1));
        var subAck = client.next();
        assertThat(subAck.firstByte()).isEqualTo(0x90);
        assertThat(subAck.body()).isEqualTo(hex("ab cd 01"));
        client.send(unsubscribe(0xABCE, topic("a")));
        var unsubAck = client.next();
        assertThat(unsubAck.firstByte()).isEqualTo(0xB0);
        assertThat(unsubAck.body()).isEqualTo(hex("ab ce"));
        client.subscribe(topic("b"), 0);
        var publisher = client();
        publishes(publisher, topic("a"), "not subscribed");
        nothingBefore(publisher, client, topic("b"), 0);
        client.send(unsubscribe(0, topic("a"))).closed();
    }
}

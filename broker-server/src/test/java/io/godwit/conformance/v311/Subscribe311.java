package io.godwit.conformance.v311;

import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.hex;
import static io.godwit.conformance.wire.Bytes.packet;
import static io.godwit.conformance.wire.Bytes.u16;
import static io.godwit.conformance.wire.Bytes.u8;
import static io.godwit.conformance.wire.Bytes.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt311;
import io.godwit.conformance.Needs;
import io.godwit.conformance.target.Profile;
import org.junit.jupiter.api.Test;

/** SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK (3.8 to 3.11). */
class Subscribe311 extends Conformance311 {
    @Test
    @Mqtt311("MQTT-3.8.1-1")
    void subscribe_has_its_flags() {
        String topic = topic("a");
        var client = client().subscribe(topic, 1);
        byte[] bad = subscribe(9, topic, 1);
        bad[0] = (byte) 0x80;
        client.send(bad).closed();
        bad[0] = (byte) 0x8A;
        closes(bad);
    }

    @Test
    @Mqtt311("MQTT-3.8.3-1")
    void a_topic_filter_of_ill_formed_utf8_ends_the_connection() {
        for (byte[] bad : ILL_FORMED) {
            var client = client().subscribe(topic("ü"), 0);
            client.send(packet(0x82, u16(9), bad, u8(0))).closed();
        }
    }

    @Test
    @Needs(Profile.NO_FEATURES)
    @Mqtt311({"MQTT-3.8.3-2", "MQTT-3.9.3-2"})
    void without_wildcard_support_filters_with_wildcards_are_rejected() {
        var client = client().subscribe(topic("a"), 1);
        client.send(subscribeAll(1, entry(topic("+"), 1), entry(topic("b"), 1), entry("#", 0)));
        assertThat(client.next().subAck().codes()).containsExactly(0x80, 0x01, 0x80);
    }

    @Test
    @Mqtt311("MQTT-3.8.3-3")
    void subscribe_needs_a_filter_and_its_qos() {
        var client = client().subscribe(topic("a"), 0);
        client.send(packet(0x82, u16(9))).closed();
        closes(packet(0x82, u16(9), utf8(topic("a"))));
    }

    @Test
    @Mqtt311("MQTT-3.8.3-4")
    void requested_qos_3_and_reserved_bits_end_the_connection() {
        String topic = topic("a");
        var client = client().subscribe(topic, 2);
        client.send(subscribe(9, topic, 3)).closed();
        for (int bit = 4; bit <= 0x80; bit <<= 1) {
            closes(subscribe(9, topic, bit));
        }
    }

    @Test
    @Mqtt311({"MQTT-3.8.4-1", "MQTT-3.8.4-2"})
    void each_subscribe_gets_its_suback() {
        var client = client();
        client.send(subscribe(0x0102, topic("a"), 0), subscribe(0x0304, topic("b"), 1));
        var first = client.next().subAck();
        var second = client.next().subAck();
        assertThat(first.packetId()).isEqualTo(0x0102);
        assertThat(first.codes()).containsExactly(0);
        assertThat(second.packetId()).isEqualTo(0x0304);
        assertThat(second.codes()).containsExactly(1);
        client.send(subscribe(0x0506, topic("a"), 0x7F)).closed();
    }

    @Test
    @Mqtt311("MQTT-3.8.4-3")
    void subscribing_again_replaces_the_subscription_and_sends_retained_messages_again() {
        String topic = topic("a");
        retains(client(), topic, "kept");
        var subscriber = client().subscribe(topic, 0);
        assertThat(subscriber.publish("kept").retain()).isTrue();
        subscriber.subscribe(topic, 1);
        var again = subscriber.publish("kept");
        assertThat(again.retain()).isTrue();
        assertThat(again.qos()).isEqualTo(1);
        subscriber.sendAck(PUBACK, again.packetId());
        var publisher = client();
        publishes(publisher, topic, "live");
        var live = subscriber.publish("live");
        assertThat(live.qos()).isEqualTo(1);
        subscriber.sendAck(PUBACK, live.packetId());
        nothingBefore(publisher, subscriber, topic, 1);
    }

    @Test
    @Mqtt311({"MQTT-3.8.4-4", "MQTT-3.8.4-5", "MQTT-3.9.3-1"})
    void several_filters_get_one_suback_with_a_code_each_in_order() {
        var subscriber = client();
        subscriber.send(
                subscribeAll(
                        5,
                        entry(topic("two"), 2),
                        entry(topic("zero"), 0),
                        entry(topic("one"), 1),
                        entry(topic("zero"), 1)));
        var subAck = subscriber.next().subAck();
        assertThat(subAck.packetId()).isEqualTo(5);
        assertThat(subAck.codes()).containsExactly(2, 0, 1, 1);
        var publisher = client();
        for (String name : new String[] {"two", "zero", "one"}) {
            publishesQos2(publisher, topic(name), name);
        }
        var received = subscriber.publishes(3);
        assertThat(received.get("two").qos()).isEqualTo(2);
        assertThat(received.get("zero").qos()).isEqualTo(1);
        assertThat(received.get("one").qos()).isEqualTo(1);
    }

    @Test
    @Mqtt311({"MQTT-3.8.4-5", "MQTT-3.9.3-2"})
    void a_filter_that_is_refused_gets_0x80() {
        var client = client();
        client.send(subscribeAll(1, entry(topic("a"), 1), entry("a/".repeat(300), 1)));
        assertThat(client.next().subAck().codes()).containsExactly(0x01, 0x80);
    }

    @Test
    @Mqtt311("MQTT-3.8.4-6")
    void a_message_comes_at_the_lower_of_its_qos_and_the_granted_one() {
        for (int granted = 0; granted <= 2; granted++) {
            comesAtTheLowerQos(granted);
        }
    }

    @Test
    @Mqtt311("MQTT-3.10.1-1")
    void unsubscribe_has_its_flags() {
        String topic = topic("a");
        var client = client().subscribe(topic, 0).unsubscribe(topic);
        byte[] bad = unsubscribe(9, topic);
        bad[0] = (byte) 0xA0;
        client.send(bad).closed();
        bad[0] = (byte) 0xA6;
        closes(bad);
    }

    @Test
    @Mqtt311("MQTT-3.10.3-1")
    void unsubscribe_filters_are_strings_without_gaps() {
        client().subscribe(topic("ü"), 0).unsubscribe(topic("ü")).quiet();
        for (byte[] bad : ILL_FORMED) {
            closes(packet(0xA2, u16(9), bad));
        }
        closes(concat(packet(0xA2, u16(9), utf8("a"), hex("00"))));
    }

    @Test
    @Mqtt311("MQTT-3.10.3-2")
    void unsubscribe_needs_a_filter() {
        var client = client().subscribe(topic("a"), 0).unsubscribe(topic("a"));
        client.send(packet(0xA2, u16(9))).closed();
    }

    @Test
    @Mqtt311("MQTT-3.10.4-1")
    void unsubscribe_compares_filters_character_by_character() {
        String topic = topic("a");
        var subscriber = client().subscribe(topic("+"), 0);
        for (String other :
                new String[] {topic, topic("#"), topic("+/"), topic("").toUpperCase()}) {
            subscriber.unsubscribe(other);
        }
        var publisher = client();
        publisher.send(publish(topic).payload("still"));
        subscriber.publish("still");
        subscriber.unsubscribe(topic("+")).subscribe(topic("b"), 0);
        publisher.send(publish(topic).payload("no more"));
        nothingBefore(publisher, subscriber, topic("b"), 0);
    }

    @Test
    @Mqtt311({"MQTT-3.10.4-2", "MQTT-3.10.4-5"})
    void after_unsuback_nothing_new_comes_and_a_second_one_is_answered_too() {
        String topic = topic("a");
        var subscriber = client().subscribe(topic, 1).subscribe(topic("b"), 1);
        var publisher = client();
        publishes(publisher, topic, "before");
        subscriber.sendAck(PUBACK, subscriber.publish("before").packetId());
        subscriber.unsubscribe(topic).unsubscribe(topic);
        publishes(publisher, topic, "after");
        nothingBefore(publisher, subscriber, topic("b"), 1);
    }

    @Test
    @Mqtt311("MQTT-3.10.4-3")
    void a_delivery_that_has_begun_is_finished_after_unsubscribe() {
        String id = id();
        String topic = topic("a");
        var subscriber = client(resuming(id)).subscribe(topic, 2);
        publishesQos2(client(), topic, "x");
        int packetId = subscriber.publish("x").packetId();
        subscriber.unsubscribe(topic).close();
        var again = client(resuming(id));
        assertThat(again.publish("x").packetId()).isEqualTo(packetId);
        again.sendAck(PUBREC, packetId).pubRel(packetId);
        again.sendAck(PUBCOMP, packetId).quiet();
    }

    @Test
    @Mqtt311({"MQTT-3.10.4-4", "MQTT-3.10.4-6"})
    void several_filters_get_one_unsuback() {
        var client = client().subscribe(topic("a"), 0).subscribe(topic("b"), 0);
        client.subscribe(topic("c"), 0);
        client.send(unsubscribe(0x0A0B, topic("b"), topic("none"), topic("a")));
        var unsubAck = client.next();
        assertThat(unsubAck.firstByte()).isEqualTo(0xB0);
        assertThat(unsubAck.body()).isEqualTo(hex("0a 0b"));
        client.quiet();
        var publisher = client();
        for (String name : new String[] {"a", "b"}) {
            publisher.send(publish(topic(name)).payload("gone"));
        }
        nothingBefore(publisher, client, topic("c"), 0);
    }
}

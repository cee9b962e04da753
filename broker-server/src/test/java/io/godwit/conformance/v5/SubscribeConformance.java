package io.godwit.conformance.v5;

import static io.godwit.conformance.wire.Bytes.concat;
import static io.godwit.conformance.wire.Bytes.hex;
import static io.godwit.conformance.wire.Bytes.packet;
import static io.godwit.conformance.wire.Bytes.props;
import static io.godwit.conformance.wire.Bytes.u16;
import static io.godwit.conformance.wire.Bytes.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.Props;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK (3.8 to 3.11). */
class SubscribeConformance extends Conformance5 {
    @Test
    @Mqtt5("MQTT-3.8.1-1")
    void subscribe_has_its_flags() {
        String topic = topic("a");
        var client = client();
        client.subscribe(topic, QOS_1);
        byte[] bad = subscribe(9, topic, QOS_1);
        bad[0] = (byte) 0x80;
        client.send(bad).disconnected(0x81);
        bad[0] = (byte) 0x83;
        disconnects(0x81, bad);
    }

    @Test
    @Mqtt5("MQTT-3.8.3-1")
    void a_topic_filter_of_ill_formed_utf8_is_malformed() {
        for (byte[] bad : ILL_FORMED) {
            var client = client().subscribe(topic("ü"), QOS_0);
            client.send(subscribe(9, props(), bad, QOS_0)).disconnected(0x81);
        }
    }

    @Test
    @Mqtt5({"MQTT-3.8.3-2", "PE-3.8.3"})
    void subscribe_needs_a_filter() {
        var client = client().subscribe(topic("a"), QOS_0);
        client.send(packet(0x82, u16(9), props())).disconnected(0x82);
        disconnects(0x81, packet(0x82, u16(9), props(), utf8(topic("a"))));
    }

    @Test
    @Mqtt5("MQTT-3.8.3-3")
    void no_local_keeps_a_clients_own_messages_from_it() {
        String topic = topic("a");
        var own = client().subscribe(topic, QOS_1 | NO_LOCAL);
        var echo = client().subscribe(topic, QOS_1);
        publishes(own, topic, "own");
        echo.publish("own");
        nothingBefore(client(), own, topic, 1);
    }

    @Test
    @Mqtt5("MQTT-3.8.3-4")
    void no_local_on_a_shared_subscription_is_refused() {
        String filter = "$share/group/" + topic("a");
        var client = client().subscribe(filter, QOS_1);
        client.send(subscribe(9, filter, QOS_1 | NO_LOCAL)).disconnected(0x82);
    }

    @Test
    @Mqtt5("MQTT-3.8.3-5")
    void reserved_bits_of_the_options_are_malformed() {
        String topic = topic("a");
        var client = client().subscribe(topic, QOS_2 | NO_LOCAL | RETAIN_AS_PUBLISHED);
        client.send(subscribe(9, topic, 0x40)).disconnected(0x81);
        disconnects(0x81, subscribe(9, topic, 0x80));
    }

    @Test
    @Mqtt5({"PE-3.8.3.1-1", "PE-3.8.3.1-2"})
    void qos_3_and_retain_handling_3_are_refused() {
        String topic = topic("a");
        var client = client().subscribe(topic, QOS_2 | RETAIN_HANDLING_2);
        client.send(subscribe(9, topic, 3)).disconnected(0x82);
        disconnects(0x82, subscribe(9, topic, 0x30));
    }

    @Test
    @Mqtt5({"PE-3.8.2.1.2-1", "PE-3.8.2.1.2-2"})
    void a_subscription_identifier_is_there_once_and_not_0() {
        String topic = topic("a");
        var client = client().subscribe(topic, QOS_0, Props.subscriptionId(1));
        client.send(subscribe(9, topic, QOS_0, Props.subscriptionId(0))).disconnected(0x82);
        byte[] twice = concat(Props.subscriptionId(1), Props.subscriptionId(2));
        disconnects(0x82, subscribe(9, topic, QOS_0, twice));
    }

    @Test
    @Mqtt5({"MQTT-3.8.4-1", "MQTT-3.8.4-2"})
    void each_subscribe_gets_its_suback() {
        var client = client();
        client.send(
                subscribe(0x0102, topic("a"), QOS_0),
                subscribe(0x0304, topic("b"), QOS_1, Props.userProperty("n", "v")),
                unsubscribe(0x0506, topic("none")));
        assertThat(client.next().subAck().packetId()).isEqualTo(0x0102);
        assertThat(client.next().subAck().packetId()).isEqualTo(0x0304);
        assertThat(client.next().unsubAck().codes()).containsExactly(0x11);
    }

    @Test
    @Mqtt5({"MQTT-3.8.4-3", "MQTT-3.8.4-4"})
    void subscribing_again_replaces_the_subscription_without_a_gap() {
        String topic = topic("a");
        var subscriber = client().subscribe(topic, QOS_0);
        var publisher = client();
        publishes(publisher, topic, "first");
        assertThat(subscriber.publish("first").qos()).isZero();
        subscriber.subscribe(topic, QOS_1 | RETAIN_AS_PUBLISHED);
        publisher.send(publish(topic).qos(1, 1).retain().payload("second")).pubAck(1);
        var second = subscriber.publish("second");
        assertThat(second.qos()).isEqualTo(1);
        assertThat(second.retain()).isTrue();
        subscriber.sendAck(PUBACK, second.packetId());
        subscriber.send(subscribe(7, topic, QOS_1));
        publishes(publisher, topic, "third");
        var got = new ArrayList<String>();
        for (int i = 0; i < 3; i++) {
            var frame = subscriber.next();
            got.add(frame.type() == 9 ? "suback" : frame.publish().text());
        }
        assertThat(got).containsExactlyInAnyOrder("suback", "second", "third");
    }

    @Test
    @Mqtt5({"MQTT-3.8.4-5", "MQTT-3.8.4-6", "MQTT-3.9.3-1"})
    void several_filters_get_one_suback_with_a_code_each_in_order() {
        var subscriber = client();
        subscriber.send(
                subscribeAll(
                        5,
                        entry(topic("two"), QOS_2),
                        entry(topic("zero"), QOS_0),
                        entry(topic("one"), QOS_1),
                        entry(topic("zero"), QOS_1)));
        var subAck = subscriber.next().subAck();
        assertThat(subAck.packetId()).isEqualTo(5);
        assertThat(subAck.codes()).containsExactly(2, 0, 1, 1);
        var publisher = client();
        for (String name : new String[] {"two", "zero", "one"}) {
            publisher.send(publish(topic(name)).qos(2, 1).payload(name)).pubRec(1);
            publisher.sendAck(PUBREL, 1).pubComp(1);
        }
        var received = subscriber.publishes(3);
        assertThat(received.get("two").qos()).isEqualTo(2);
        assertThat(received.get("zero").qos()).isEqualTo(1);
        assertThat(received.get("one").qos()).isEqualTo(1);
    }

    @Test
    @Mqtt5({"MQTT-3.8.4-7", "MQTT-3.8.4-8"})
    void a_message_comes_at_the_lower_of_its_qos_and_the_granted_one() {
        for (int granted = 0; granted <= 2; granted++) {
            comesAtTheLowerQos(granted);
        }
    }

    @Test
    @Mqtt5({"MQTT-3.9.3-2", "MQTT-3.8.4-7"})
    void suback_codes_come_from_their_table() {
        var client = client();
        client.send(subscribeAll(1, entry(topic("a"), QOS_1), entry("a/".repeat(300), QOS_1)));
        var codes = client.next().subAck().codes();
        assertThat(codes).hasSize(2);
        assertThat(codes.get(0)).isEqualTo(1);
        assertThat(codes.get(1)).isIn(0x80, 0x83, 0x87, 0x8F, 0x97);
    }

    @Test
    @Mqtt5("PE-3.9.2.1.2")
    void a_suback_has_one_reason_string_at_most() {
        var client = client();
        client.send(subscribe(1, "a/".repeat(300), QOS_1));
        var subAck = client.next().subAck();
        assertThat(subAck.codes()).allMatch(code -> code >= 0x80).hasSize(1);
        assertThat(subAck.properties().count(0x1F)).isLessThanOrEqualTo(1);
    }

    @Test
    @Mqtt5("MQTT-3.10.1-1")
    void unsubscribe_has_its_flags() {
        String topic = topic("a");
        var client = client().subscribe(topic, QOS_0).unsubscribe(topic);
        byte[] bad = unsubscribe(9, topic);
        bad[0] = (byte) 0xA0;
        client.send(bad).disconnected(0x81);
        bad[0] = (byte) 0xA6;
        disconnects(0x81, bad);
    }

    @Test
    @Mqtt5("MQTT-3.10.3-1")
    void an_unsubscribe_filter_of_ill_formed_utf8_is_malformed() {
        for (byte[] bad : ILL_FORMED) {
            var client = client().subscribe(topic("ü"), QOS_0).unsubscribe(topic("ü"));
            client.send(packet(0xA2, u16(9), props(), bad)).disconnected(0x81);
        }
    }

    @Test
    @Mqtt5({"MQTT-3.10.3-2", "PE-3.10.3"})
    void unsubscribe_needs_a_filter() {
        var client = client().subscribe(topic("a"), QOS_0).unsubscribe(topic("a"));
        client.send(packet(0xA2, u16(9), props())).disconnected(0x82);
        disconnects(0x81, packet(0xA2, u16(9), props(), hex("00 05 61")));
    }

    @Test
    @Mqtt5("MQTT-3.10.4-1")
    void unsubscribe_compares_filters_character_by_character() {
        String topic = topic("a");
        var subscriber = client().subscribe(topic("+"), QOS_0);
        subscriber.send(unsubscribe(1, topic, topic("#"), topic("+/"), topic("").toUpperCase()));
        assertThat(subscriber.next().unsubAck().codes()).containsExactly(0x11, 0x11, 0x11, 0x11);
        var publisher = client();
        publisher.send(publish(topic).payload("still"));
        subscriber.publish("still");
        subscriber.unsubscribe(topic("+"));
        subscriber.subscribe(topic("b"), QOS_0);
        publisher.send(publish(topic).payload("no more"));
        nothingBefore(publisher, subscriber, topic("b"), 0);
    }

    @Test
    @Mqtt5("MQTT-3.10.4-2")
    void after_unsuback_nothing_new_comes() {
        String topic = topic("a");
        var subscriber = client().subscribe(topic, QOS_1).subscribe(topic("b"), QOS_1);
        var publisher = client();
        publishes(publisher, topic, "before");
        subscriber.sendAck(PUBACK, subscriber.publish("before").packetId());
        subscriber.unsubscribe(topic);
        publishes(publisher, topic, "after");
        nothingBefore(publisher, subscriber, topic("b"), 1);
    }

    @Test
    @Mqtt5("MQTT-3.10.4-3")
    void a_delivery_that_has_begun_is_finished_after_unsubscribe() {
        String id = id();
        String topic = topic("a");
        var subscriber = client(resuming(id)).subscribe(topic, QOS_2);
        publishesQos2(client(), topic, "x");
        int packetId = subscriber.publish("x").packetId();
        subscriber.unsubscribe(topic);
        subscriber.close();
        var again = client(resuming(id));
        var resent = again.publish("x");
        assertThat(resent.dup()).isTrue();
        assertThat(resent.packetId()).isEqualTo(packetId);
        again.sendAck(PUBREC, packetId).pubRel(packetId, 0);
        again.sendAck(PUBCOMP, packetId).quiet();
    }

    @Test
    @Mqtt5({"MQTT-3.10.4-4", "MQTT-3.10.4-5"})
    void each_unsubscribe_gets_its_unsuback() {
        var client = client().subscribe(topic("a"), QOS_0);
        client.send(unsubscribe(0x0A0B, topic("a")), unsubscribe(0x0C0D, topic("a")));
        var first = client.next().unsubAck();
        assertThat(first.packetId()).isEqualTo(0x0A0B);
        assertThat(first.codes()).containsExactly(0x00);
        var second = client.next().unsubAck();
        assertThat(second.packetId()).isEqualTo(0x0C0D);
        assertThat(second.codes()).containsExactly(0x11);
    }

    @Test
    @Mqtt5({"MQTT-3.10.4-6", "MQTT-3.11.3-1", "MQTT-3.11.3-2"})
    void several_filters_get_one_unsuback_with_a_code_each_in_order() {
        var client = client().subscribe(topic("a"), QOS_0).subscribe(topic("b"), QOS_0);
        client.send(unsubscribe(3, topic("none"), topic("b"), topic("a"), topic("b")));
        var unsubAck = client.next().unsubAck();
        assertThat(unsubAck.packetId()).isEqualTo(3);
        assertThat(unsubAck.codes()).containsExactly(0x11, 0x00, 0x00, 0x11);
        client.quiet();
    }

    @Test
    @Mqtt5("PE-3.11.2.1.2")
    void an_unsuback_has_one_reason_string_at_most() {
        var client = client();
        client.send(unsubscribe(3, topic("none")));
        var unsubAck = client.next().unsubAck();
        assertThat(unsubAck.codes()).containsExactly(0x11);
        assertThat(unsubAck.properties().count(0x1F)).isLessThanOrEqualTo(1);
    }
}

package io.godwit.conformance.v5;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.Props;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The QoS 1 and QoS 2 exchanges, the server as receiver and as sender (4.3). */
class QosConformance extends Conformance5 {
    @Test
    @Mqtt5({"MQTT-4.3.2-2", "MQTT-4.3.2-3"})
    void qos_1_goes_out_fresh_and_stays_until_puback() {
        String id = id();
        String topic = topic("a");
        var subscriber = client(resuming(id)).subscribe(topic, QOS_1);
        client().send(publish(topic).qos(1, 9).dup().payload("x")).pubAck(9);
        var first = subscriber.publish("x");
        assertThat(first.qos()).isEqualTo(1);
        assertThat(first.dup()).isFalse();
        subscriber.close();
        var again = client(resuming(id));
        int packetId = again.publish("x").packetId();
        assertThat(packetId).isEqualTo(first.packetId());
        again.sendAck(PUBACK, packetId).quiet();
        again.disconnect();
        client(resuming(id)).quiet();
    }

    @Test
    @Mqtt5({"MQTT-4.3.2-4", "MQTT-4.3.2-5"})
    void after_puback_the_same_identifier_is_a_new_message() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_1);
        var publisher = client();
        publisher.send(publish(topic).qos(1, 5).payload("one")).pubAck(5);
        publisher.send(publish(topic).qos(1, 5).dup().payload("two")).pubAck(5);
        var one = subscriber.publish("one");
        var two = subscriber.publish("two");
        assertThat(two.packetId()).isNotEqualTo(one.packetId());
        assertThat(two.dup()).isFalse();
    }

    @Test
    @Mqtt5({"MQTT-4.3.3-2", "MQTT-4.3.3-3", "MQTT-4.3.3-4"})
    void qos_2_goes_out_fresh_and_stays_until_pubrec_which_gets_pubrel() {
        String id = id();
        String topic = topic("a");
        var subscriber = client(resuming(id)).subscribe(topic, QOS_2);
        publishesQos2(client(), topic, "x");
        var first = subscriber.publish("x");
        assertThat(first.qos()).isEqualTo(2);
        assertThat(first.dup()).isFalse();
        subscriber.close();
        var again = client(resuming(id));
        var second = again.publish("x");
        assertThat(second.packetId()).isEqualTo(first.packetId());
        assertThat(second.dup()).isTrue();
        again.sendAck(PUBREC, second.packetId()).pubRel(second.packetId(), 0);
    }

    @Test
    @Mqtt5({"MQTT-4.3.3-5", "MQTT-4.3.3-6"})
    void after_pubrel_only_pubrel_is_sent_again_until_pubcomp() {
        String id = id();
        String topic = topic("a");
        var subscriber = client(resuming(id)).subscribe(topic, QOS_2);
        publishesQos2(client(), topic, "x");
        int packetId = subscriber.publish("x").packetId();
        subscriber.sendAck(PUBREC, packetId).pubRel(packetId, 0);
        subscriber.close();
        var again = client(resuming(id));
        again.pubRel(packetId, 0);
        again.quiet();
        again.sendAck(PUBCOMP, packetId).quiet();
        again.disconnect();
        client(resuming(id)).quiet();
    }

    @Test
    @Mqtt5("MQTT-4.3.3-7")
    void a_qos_2_message_that_was_sent_does_not_expire() {
        String id = id();
        String topic = topic("a");
        var subscriber = client(resuming(id)).subscribe(topic, QOS_2);
        var publisher = client();
        publisher.send(publish(topic).qos(2, 1).properties(Props.messageExpiry(5)).payload("x"));
        publisher.pubRec(1);
        publisher.sendAck(PUBREL, 1).pubComp(1);
        int packetId = subscriber.publish("x").packetId();
        subscriber.close();
        elapse(6_200);
        var again = client(resuming(id));
        var resent = again.publish("x");
        assertThat(resent.packetId()).isEqualTo(packetId);
        assertThat(resent.dup()).isTrue();
        again.sendAck(PUBREC, packetId).pubRel(packetId, 0);
    }

    @Test
    @Mqtt5({"MQTT-4.3.3-8", "MQTT-4.3.3-11"})
    void a_qos_2_publish_gets_pubrec_and_its_pubrel_pubcomp() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_2);
        var publisher = client();
        publisher.send(publish(topic).qos(2, 513).payload("x")).pubRec(513, 0);
        publisher.sendAck(PUBREL, 513).pubComp(513, 0);
        completes(subscriber, "x");
        publisher.sendAck(PUBREL, 513).pubComp(513, 0x92);
    }

    @Test
    @Mqtt5("MQTT-4.3.3-9")
    void after_a_refusing_pubrec_the_same_identifier_is_a_new_message() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_2);
        var publisher = client();
        var notUtf8 = publish(topic).qos(2, 7).properties(Props.payloadFormat(1));
        publisher.send(notUtf8.payload(new byte[] {-1})).pubRec(7, 0x99);
        publisher.send(publish(topic).qos(2, 7).payload("new")).pubRec(7, 0);
        publisher.sendAck(PUBREL, 7).pubComp(7, 0);
        completes(subscriber, "new");
    }

    @Test
    @Mqtt5({"MQTT-4.3.3-10", "MQTT-4.3.3-12"})
    void before_pubrel_a_repeat_is_not_a_new_message_and_after_pubcomp_it_is() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_2);
        var publisher = client();
        publisher.send(publish(topic).qos(2, 3).payload("once")).pubRec(3);
        publisher.send(publish(topic).qos(2, 3).dup().payload("once")).pubRec(3);
        publisher.sendAck(PUBREL, 3).pubComp(3, 0);
        completes(subscriber, "once");
        publisher.send(publish(topic).qos(2, 3).dup().payload("again")).pubRec(3);
        publisher.sendAck(PUBREL, 3).pubComp(3, 0);
        completes(subscriber, "again");
        nothingBefore(publisher, subscriber, topic, 2);
    }

    @Test
    @Mqtt5("MQTT-4.3.3-10")
    void a_repeat_after_a_reconnect_is_not_a_new_message() {
        String id = id();
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_2);
        var publisher = client(resuming(id));
        publisher.send(publish(topic).qos(2, 3).payload("once")).pubRec(3);
        publisher.close();
        var again = client(resuming(id));
        again.send(publish(topic).qos(2, 3).dup().payload("once")).pubRec(3);
        again.sendAck(PUBREL, 3).pubComp(3, 0);
        completes(subscriber, "once");
        nothingBefore(again, subscriber, topic, 2);
    }

    @Test
    @Mqtt5("MQTT-4.3.3-13")
    void the_exchange_is_completed_though_the_message_expired() {
        String topic = topic("a");
        var publisher = client();
        publisher.send(publish(topic).qos(2, 4).properties(Props.messageExpiry(1)).payload("x"));
        publisher.pubRec(4);
        elapse(2_200);
        publisher.sendAck(PUBREL, 4).pubComp(4, 0);
        publisher.sendAck(PUBREL, 4).pubComp(4, 0x92);
    }

    @Test
    @Mqtt5({"MQTT-4.4.0-1", "MQTT-3.3.1-1"})
    void what_is_unacknowledged_is_sent_again_with_dup_after_a_reconnect_only() {
        String id = id();
        String topic = topic("a");
        var subscriber = client(resuming(id)).subscribe(topic, QOS_2);
        var publisher = client();
        publishes(publisher, topic, "one");
        publishesQos2(publisher, topic, "two");
        publishesQos2(publisher, topic, "released");
        var sent = subscriber.publishes(3);
        int one = sent.get("one").packetId();
        int two = sent.get("two").packetId();
        int released = sent.get("released").packetId();
        subscriber.sendAck(PUBREC, released).pubRel(released);
        elapse(500);
        subscriber.quiet();
        subscriber.close();
        var again = client(resuming(id));
        var frames = new ArrayList<String>();
        for (int i = 0; i < 3; i++) {
            var frame = again.next();
            frames.add(
                    frame.type() == PUBREL
                            ? "release " + frame.ack(PUBREL).packetId()
                            : "%s %d %s"
                                    .formatted(
                                            frame.publish().text(),
                                            frame.publish().packetId(),
                                            frame.publish().dup()));
        }
        assertThat(frames)
                .containsExactlyInAnyOrder(
                        "one " + one + " true", "two " + two + " true", "release " + released);
        var order = List.copyOf(sent.byPayload().keySet());
        boolean oneFirst = order.indexOf("one") < order.indexOf("two");
        int at = frames.indexOf("one " + one + " true");
        assertThat(at < frames.indexOf("two " + two + " true")).isEqualTo(oneFirst);
        again.quiet();
    }

    @Test
    @Mqtt5("MQTT-4.4.0-2")
    void a_refusing_puback_or_pubrec_acknowledges() {
        String id = id();
        String topic = topic("a");
        var subscriber = client(resuming(id)).subscribe(topic, QOS_2);
        var publisher = client();
        publishes(publisher, topic, "one");
        publishesQos2(publisher, topic, "two");
        publishes(publisher, topic, "three");
        var sent = subscriber.publishes(3);
        subscriber.send(ack(PUBACK, sent.get("one").packetId(), 0x80));
        subscriber.send(ack(PUBREC, sent.get("two").packetId(), 0x80));
        int three = sent.get("three").packetId();
        subscriber.quiet();
        subscriber.close();
        var again = client(resuming(id));
        assertThat(again.publish("three").packetId()).isEqualTo(three);
        again.quiet();
    }
}

package io.godwit.conformance.v5;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.Props;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Overlapping subscriptions of one client, and Subscription Identifiers (3.3.4, 3.8.2.1.2). */
class OverlapConformance extends Conformance5 {
    @Test
    @Mqtt5("MQTT-3.3.4-2")
    void overlapping_subscriptions_deliver_at_the_highest_qos() {
        String topic = topic("a");
        var subscriber = client();
        subscriber.subscribe(topic, QOS_0);
        subscriber.subscribe(topic("#"), QOS_1);
        var publisher = client();
        publishesQos2(publisher, topic, "cut");
        var cut = subscriber.publish("cut");
        assertThat(cut.qos()).isEqualTo(1);
        subscriber.sendAck(PUBACK, cut.packetId());
        subscriber.subscribe(topic("+"), QOS_2);
        publishesQos2(publisher, topic, "two");
        var received = subscriber.publish("two");
        assertThat(received.qos()).isEqualTo(2);
        subscriber.sendAck(PUBREC, received.packetId()).pubRel(received.packetId());
        subscriber.sendAck(PUBCOMP, received.packetId());
        publishes(publisher, topic, "one");
        assertThat(subscriber.publish("one").qos()).isEqualTo(1);
    }

    @Test
    @Mqtt5({"MQTT-3.3.4-3", "MQTT-3.3.4-4", "MQTT-3.3.4-5"})
    void the_identifiers_of_all_matching_subscriptions_are_delivered() {
        String topic = topic("a");
        var subscriber = client();
        subscriber.subscribe(topic, QOS_0, Props.subscriptionId(1));
        subscriber.subscribe(topic("+"), QOS_0, Props.subscriptionId(268_435_455));
        subscriber.subscribe(topic("#"), QOS_0);
        subscriber.subscribe(topic("b"), QOS_0, Props.subscriptionId(3));
        var publisher = client();
        publisher.send(publish(topic).payload("x"));
        publisher.send(publish(topic("b")).payload("end"));
        var copies = new ArrayList<List<Integer>>();
        var next = subscriber.publish();
        while (next.text().equals("x")) {
            copies.add(next.properties().subscriptionIds());
            next = subscriber.publish();
        }
        if (copies.size() == 1) {
            assertThat(copies.get(0)).containsExactly(1, 268_435_455);
        } else {
            assertThat(copies)
                    .containsExactlyInAnyOrder(List.of(1), List.of(268_435_455), List.of());
        }
    }

    @Test
    @Mqtt5({"MQTT-3.3.4-3", "MQTT-3.8.4-3"})
    void a_new_identifier_replaces_the_old_one() {
        String topic = topic("a");
        var subscriber = client();
        var publisher = client();
        subscriber.subscribe(topic, QOS_0, Props.subscriptionId(5));
        publisher.send(publish(topic).payload("5"));
        assertThat(subscriber.publish("5").properties().subscriptionIds()).containsExactly(5);
        subscriber.subscribe(topic, QOS_0, Props.subscriptionId(200));
        publisher.send(publish(topic).payload("200"));
        assertThat(subscriber.publish("200").properties().subscriptionIds()).containsExactly(200);
        subscriber.subscribe(topic, QOS_0);
        publisher.send(publish(topic).payload("none"));
        assertThat(subscriber.publish("none").properties().subscriptionIds()).isEmpty();
    }

    @Test
    @Mqtt5({"MQTT-3.3.4-3", "MQTT-3.3.1-9"})
    void a_retained_message_carries_the_identifier_of_its_subscribe() {
        String topic = topic("a");
        client().send(publish(topic).qos(1, 1).retain().payload("x")).pubAck(1);
        var subscriber = client().subscribe(topic, QOS_0, Props.subscriptionId(7));
        var received = subscriber.publish("x");
        assertThat(received.retain()).isTrue();
        assertThat(received.properties().subscriptionIds()).containsExactly(7);
    }
}

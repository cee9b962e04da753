package io.godwit.conformance.v311;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt311;
import io.godwit.conformance.Needs;
import io.godwit.conformance.target.Profile;
import org.junit.jupiter.api.Test;

/** PUBLISH and retained messages (3.3). */
class Publish311 extends Conformance311 {
    @Test
    @Mqtt311("MQTT-3.3.1-3")
    void dup_is_not_passed_on() {
        String topic = topic("a");
        var subscriber = subscriber(topic, 1);
        client().send(publish(topic).qos(1, 1).dup().payload("x")).pubAck(1);
        assertThat(subscriber.publish("x").dup()).isFalse();
    }

    @Test
    @Mqtt311("MQTT-3.3.1-2")
    void dup_at_qos_0_ends_the_connection() {
        var client = client();
        client.send(publish(topic("a")).qos(1, 1).dup()).pubAck(1);
        client.send(publish(topic("a"))).quiet();
        client.send(publish(topic("a")).dup()).closed();
    }

    @Test
    @Mqtt311({"MQTT-3.3.1-4", "MQTT-4.8.0-1"})
    void qos_3_ends_the_connection() {
        var client = client();
        client.send(publish(topic("a")).qos(2, 1)).pubRec(1);
        client.send(publish(topic("a")).qos(3, 2)).closed();
    }

    @Test
    @Mqtt311({"MQTT-3.3.1-5", "MQTT-3.3.1-6"})
    void the_last_retained_message_is_sent_with_its_qos_to_a_new_subscriber() {
        String topic = topic("a");
        var publisher = client();
        retains(publisher, topic, "first");
        int packetId = publisher.nextPacketId();
        publisher.send(publish(topic).qos(2, packetId).retain().payload("second"));
        publisher.pubRec(packetId);
        publisher.sendAck(PUBREL, packetId).pubComp(packetId);
        var received = subscriber(topic("+"), 2).publish("second");
        assertThat(received.qos()).isEqualTo(2);
        assertThat(received.topic()).isEqualTo(topic);
        assertThat(received.retain()).isTrue();
    }

    @Test
    @Mqtt311("MQTT-3.3.1-7")
    void a_retained_qos_0_message_displaces_the_older_one() {
        String topic = topic("a");
        var publisher = client();
        retains(publisher, topic, "old");
        publisher.send(publish(topic).retain().payload("new")).quiet();
        var subscriber = subscriber(topic, 1);
        // It may have been dropped; what may not come is the old one.
        publishes(publisher, topic, "end");
        var next = subscriber.publish();
        if (next.retain()) {
            assertThat(next.text()).isEqualTo("new");
            assertThat(next.qos()).isZero();
            next = subscriber.publish();
        }
        assertThat(next.text()).isEqualTo("end");
        assertThat(next.retain()).isFalse();
        assertThat(next.packetId()).isLessThan(1_000);
    }

    @Test
    @Mqtt311({"MQTT-3.3.1-8", "MQTT-3.3.1-9"})
    void retain_is_1_for_a_new_subscription_and_0_for_an_established_one() {
        String topic = topic("a");
        var established = subscriber(topic, 1);
        retains(client(), topic, "x");
        assertThat(established.publish("x").retain()).isFalse();
        assertThat(subscriber(topic, 1).publish("x").retain()).isTrue();
    }

    @Test
    @Mqtt311({"MQTT-3.3.1-10", "MQTT-3.3.1-11"})
    void an_empty_retained_message_deletes_and_is_itself_delivered() {
        String topic = topic("a");
        var publisher = client();
        retains(publisher, topic, "x");
        var live = subscriber(topic, 1);
        assertThat(live.publish("x").retain()).isTrue();
        retains(publisher, topic, "");
        assertThat(live.publish("").retain()).isFalse();
        nothingBefore(publisher, subscriber(topic, 1), topic, 1);
    }

    @Test
    @Mqtt311("MQTT-3.3.1-12")
    void a_message_without_retain_leaves_the_retained_one_alone() {
        String topic = topic("a");
        var publisher = client();
        publishes(publisher, topic, "not retained");
        nothingBefore(publisher, subscriber(topic, 1), topic, 1);
        retains(publisher, topic, "retained");
        publishes(publisher, topic, "later");
        publishes(publisher, topic, "");
        assertThat(subscriber(topic, 1).publish("retained").retain()).isTrue();
    }

    @Test
    @Mqtt311({"MQTT-3.3.2-2", "MQTT-4.7.1-1"})
    void a_topic_name_with_a_wildcard_ends_the_connection() {
        var client = client();
        client.send(publish(topic("a")).qos(1, 1)).pubAck(1);
        client.send(publish(topic("+")).qos(1, 2)).closed();
        for (String bad : new String[] {"#", topic("#"), "a+b", "a/#/b"}) {
            closes(publish(bad).bytes());
        }
    }

    @Test
    @Mqtt311({"MQTT-3.3.2-3", "MQTT-4.7.1-2", "MQTT-4.7.1-3"})
    void what_is_delivered_matches_the_filter() {
        String a = topic("a");
        var plus = subscriber(a + "/+/c", 0);
        var hash = subscriber(a + "/#", 0);
        var publisher = client();
        String[] ends = {"", "/b", "/b/c", "/b/d", "/b/c/d", "//c"};
        for (String end : ends) {
            publisher.send(publish(a + end).payload("at" + end));
        }
        publisher.send(publish(a + "x/b/c").payload("sibling"));
        for (String end : ends) {
            assertThat(hash.publish("at" + end).topic()).isEqualTo(a + end);
        }
        nothingBefore(publisher, hash, a + "/z", 0);
        plus.publish("at/b/c");
        plus.publish("at//c");
        nothingBefore(publisher, plus, a + "/z/c", 0);
    }

    @Test
    @Mqtt311("MQTT-3.3.4-1")
    void each_qos_gets_its_answer() {
        String topic = topic("a");
        var subscriber = subscriber(topic, 0);
        var client = client();
        client.send(publish(topic).payload("0")).quiet();
        client.send(publish(topic).qos(1, 1).payload("1")).pubAck(1);
        client.send(publish(topic).qos(2, 2).payload("2")).pubRec(2);
        client.quiet();
        client.sendAck(PUBREL, 2).pubComp(2);
        var received = subscriber.publishes(3).byPayload();
        assertThat(received).containsOnlyKeys("0", "1", "2");
        assertThat(received.values()).allMatch(publish -> publish.qos() == 0);
    }

    @Test
    @Mqtt311("MQTT-3.3.5-1")
    void overlapping_subscriptions_deliver_at_the_highest_qos() {
        String topic = topic("a");
        var subscriber = client();
        subscriber.subscribe(topic, 0).subscribe(topic("+"), 2).subscribe(topic("#"), 1);
        var publisher = client();
        publishesQos2(publisher, topic, "x");
        publishesQos2(publisher, topic, "end");
        int highest = 0;
        var next = subscriber.publish();
        while (next.text().equals("x")) {
            highest = Math.max(highest, next.qos());
            assertThat(next.packetId()).isLessThan(1_000);
            next = subscriber.publish();
        }
        assertThat(highest).isEqualTo(2);
    }

    @Test
    @Mqtt311("MQTT-3.3.5-2")
    void a_publish_that_is_not_authorized_is_acknowledged_or_ends_the_connection() {
        String tail = topic("a");
        var subscriber = subscriber("$SYS/" + tail, 1);
        subscriber.subscribe(tail, 1);
        var client = client();
        client.send(publish(tail).qos(1, 1).dup().payload("good")).pubAck(1);
        assertThat(subscriber.publish("good").dup()).isFalse();
        client.send(publish("$SYS/" + tail).qos(1, 2).payload("bad")).pubAckOrClosed(2);
        nothingBefore(client(), subscriber, tail, 1);
    }

    @Test
    @Needs(Profile.FAILING_STORE)
    @Mqtt311("MQTT-4.8.0-2")
    void a_failure_of_the_store_ends_the_connection_without_puback() {
        var client = client();
        retains(client, topic("store-works"), "x");
        client.send(publish(topic("store-fails")).qos(1, 2).retain().payload("x")).closed();
        assertThat(subscriber(topic("store-works"), 1).publish("x").retain()).isTrue();
    }
}

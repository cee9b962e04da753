package io.godwit.conformance.v5;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.WireClient;
import org.junit.jupiter.api.Test;

/** Retained messages (3.3.1.3) and the options about them (3.8.3.1). */
class RetainConformance extends Conformance5 {
    @Test
    @Mqtt5({"MQTT-3.3.1-5", "MQTT-3.3.1-9"})
    void the_last_retained_message_is_sent_to_a_new_subscriber() {
        String topic = topic("a");
        var publisher = client();
        retains(publisher, topic, "first");
        retains(publisher, topic, "second");
        var subscriber = subscriber(topic("+"), QOS_1);
        var received = subscriber.publish("second");
        assertThat(received.retain()).isTrue();
        assertThat(received.topic()).isEqualTo(topic);
        assertThat(received.qos()).isEqualTo(1);
        nothingBefore(publisher, subscriber, topic, 1);
    }

    @Test
    @Mqtt5({"MQTT-3.3.1-6", "MQTT-3.3.1-7"})
    void an_empty_retained_message_deletes_and_is_itself_delivered() {
        String topic = topic("a");
        var publisher = client();
        retains(publisher, topic, "x");
        var live = subscriber(topic, QOS_1);
        assertThat(live.publish("x").retain()).isTrue();
        retains(publisher, topic, "");
        var empty = live.publish("");
        assertThat(empty.retain()).isFalse();
        var late = subscriber(topic, QOS_1);
        nothingBefore(publisher, late, topic, 1);
    }

    @Test
    @Mqtt5("MQTT-3.3.1-8")
    void a_message_without_retain_leaves_the_retained_one_alone() {
        String topic = topic("a");
        var publisher = client();
        publishes(publisher, topic, "not retained");
        var none = subscriber(topic, QOS_1);
        nothingBefore(publisher, none, topic, 1);
        retains(publisher, topic, "retained");
        publishes(publisher, topic, "later");
        publishes(publisher, topic, "");
        var late = subscriber(topic, QOS_1);
        assertThat(late.publish("retained").retain()).isTrue();
    }

    @Test
    @Mqtt5({"MQTT-3.3.1-9", "MQTT-3.8.4-4"})
    void retain_handling_0_sends_retained_messages_at_each_subscribe() {
        String topic = topic("a");
        retains(client(), topic, "x");
        var subscriber = subscriber(topic, QOS_0);
        subscriber.publish("x");
        subscriber.subscribe(topic, QOS_0);
        assertThat(subscriber.publish("x").retain()).isTrue();
    }

    @Test
    @Mqtt5("MQTT-3.3.1-10")
    void retain_handling_1_sends_them_when_the_subscription_is_new() {
        String topic = topic("a");
        var publisher = client();
        retains(publisher, topic, "x");
        var subscriber = subscriber(topic, QOS_0 | RETAIN_HANDLING_1);
        assertThat(subscriber.publish("x").retain()).isTrue();
        subscriber.subscribe(topic, QOS_0 | RETAIN_HANDLING_1);
        nothingBefore(publisher, subscriber, topic, 0);
        subscriber.unsubscribe(topic);
        subscriber.subscribe(topic, QOS_0 | RETAIN_HANDLING_1);
        subscriber.publish("x");
    }

    @Test
    @Mqtt5("MQTT-3.3.1-11")
    void retain_handling_2_sends_none() {
        String topic = topic("a");
        var publisher = client();
        retains(publisher, topic, "x");
        var subscriber = subscriber(topic, QOS_0 | RETAIN_HANDLING_2);
        nothingBefore(publisher, subscriber, topic, 0);
        subscriber.subscribe(topic, QOS_0);
        subscriber.publish("x");
    }

    @Test
    @Mqtt5("MQTT-3.3.1-12")
    void retain_as_published_0_clears_retain() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_1);
        var publisher = client();
        publisher.send(publish(topic).qos(1, 1).retain().payload("x")).pubAck(1);
        assertThat(subscriber.publish("x").retain()).isFalse();
    }

    @Test
    @Mqtt5("MQTT-3.3.1-13")
    void retain_as_published_1_keeps_retain() {
        String topic = topic("a");
        var kept = subscriber(topic, QOS_1 | RETAIN_AS_PUBLISHED);
        var cleared = subscriber(topic, QOS_1);
        var publisher = client();
        retains(publisher, topic, "retained");
        publishes(publisher, topic, "plain");
        assertThat(kept.publish("retained").retain()).isTrue();
        assertThat(kept.publish("plain").retain()).isFalse();
        assertThat(cleared.publish("retained").retain()).isFalse();
    }

    private void retains(WireClient publisher, String topic, String payload) {
        int packetId = publisher.nextPacketId();
        publisher.send(publish(topic).qos(1, packetId).retain().payload(payload)).pubAck(packetId);
    }
}

package io.godwit.conformance.v5;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.Props;
import org.junit.jupiter.api.Test;

/** When a Will is published, and how (3.1.2.5 to 3.1.2.7, 3.1.3.2, 3.14). */
class WillConformance extends Conformance5 {
    @Test
    @Mqtt5({"MQTT-3.1.2-7", "MQTT-3.1.2-14"})
    void a_will_is_published_when_the_connection_breaks_and_is_not_retained() {
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_2 | RETAIN_AS_PUBLISHED);
        client(connect().will(topic, "gone").willQos(1)).close();
        var will = subscriber.publish("gone");
        assertThat(will.qos()).isEqualTo(1);
        assertThat(will.retain()).isFalse();
        var late = subscriber(topic, QOS_0);
        nothingBefore(client(), late, topic, 0);
    }

    @Test
    @Mqtt5("MQTT-3.1.2-15")
    void a_will_with_will_retain_is_retained() {
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_1 | RETAIN_AS_PUBLISHED);
        client(connect().will(topic, "gone").willQos(1).willRetain()).close();
        assertThat(subscriber.publish("gone").retain()).isTrue();
        var late = subscriber(topic, QOS_1);
        assertThat(late.publish("gone").retain()).isTrue();
    }

    @Test
    @Mqtt5({"MQTT-3.14.4-3", "MQTT-3.1.2-10"})
    void disconnect_0x00_deletes_the_will_and_0x04_publishes_it() {
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_1);
        var polite = client(connect().will(topic, "not published"));
        polite.disconnect();
        var telling = client(connect().will(topic, "published"));
        telling.send(disconnect(0x04)).closed();
        var will = subscriber.publish("published");
        assertThat(will.topic()).isEqualTo(topic);
        nothingBefore(client(), subscriber, topic, 1);
    }

    @Test
    @Mqtt5("MQTT-3.1.2-10")
    void a_will_is_published_once() {
        String id = id();
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_1);
        client(resuming(id).will(topic, "once")).close();
        subscriber.publish("once");
        var again = open();
        assertThat(again.send(resuming(id)).accepted().sessionPresent()).isTrue();
        again.close();
        var third = open();
        assertThat(third.send(resuming(id)).accepted().sessionPresent()).isTrue();
        nothingBefore(client(), subscriber, topic, 1);
    }

    @Test
    @Mqtt5("MQTT-3.1.2-8")
    void a_will_waits_for_its_delay() {
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_1);
        var connect = resuming(id()).will(topic, "late").willProperties(Props.willDelay(2));
        var client = client(connect);
        long start = System.nanoTime();
        client.close();
        subscriber.publish("late");
        assertThat(System.nanoTime() - start).isGreaterThan(1_000_000_000L);
    }

    @Test
    @Mqtt5("MQTT-3.1.2-8")
    void the_end_of_the_session_publishes_a_delayed_will() {
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_1);
        var noSession = connect().will(topic, "no session").willProperties(Props.willDelay(60));
        client(noSession).close();
        subscriber.publish("no session");
        var short1 = connect(id()).properties(Props.sessionExpiry(2)).will(topic, "expired");
        var client = client(short1.willProperties(Props.willDelay(60)));
        long start = System.nanoTime();
        client.close();
        subscriber.publish("expired");
        assertThat(System.nanoTime() - start).isGreaterThan(1_000_000_000L);
    }

    @Test
    @Mqtt5("MQTT-3.1.3-9")
    void a_connection_within_the_delay_cancels_the_will_unless_it_starts_clean() {
        String id = id();
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_1);
        var delayed = resuming(id).will(topic, "cancelled").willProperties(Props.willDelay(5));
        client(delayed).close();
        var back = open();
        assertThat(back.send(resuming(id)).accepted().sessionPresent()).isTrue();
        elapse(6_300);
        nothingBefore(client(), subscriber, topic, 1);
        back.disconnect();
        var again = resuming(id).will(topic, "published").willProperties(Props.willDelay(60));
        client(again).close();
        client(connect(id)).quiet();
        subscriber.publish("published");
    }

    @Test
    @Mqtt5({"MQTT-3.1.2-8", "MQTT-3.1.4-3"})
    void a_takeover_publishes_a_will_without_delay() {
        String id = id();
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_1);
        var first = client(resuming(id).will(topic, "taken over"));
        client(resuming(id)).quiet();
        first.disconnected(0x8E);
        subscriber.publish("taken over");
    }

    @Test
    @Mqtt5("MQTT-3.1.3-10")
    void a_will_keeps_its_user_properties_in_order_and_its_other_properties() {
        String topic = topic("will");
        var subscriber = subscriber(topic, QOS_1);
        var connect =
                connect()
                        .will(topic, "grüße")
                        .willProperties(
                                Props.userProperty("z", "1"),
                                Props.payloadFormat(1),
                                Props.userProperty("a", "2"),
                                Props.contentType("text/plain"),
                                Props.responseTopic("answers"),
                                Props.correlationData(new byte[] {0, 1}),
                                Props.messageExpiry(100),
                                Props.userProperty("z", "3"));
        client(connect).close();
        var properties = subscriber.publish("grüße").properties();
        assertThat(properties.userProperties()).containsExactly("z=1", "a=2", "z=3");
        assertThat(properties.number(0x01)).isEqualTo(1);
        assertThat(properties.text(0x03)).isEqualTo("text/plain");
        assertThat(properties.text(0x08)).isEqualTo("answers");
        assertThat(properties.one(0x09)).containsExactly(0, 1);
        assertThat(properties.number(0x02)).isBetween(98L, 100L);
        assertThat(properties.has(0x18)).isFalse();
    }
}

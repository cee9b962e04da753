package io.godwit.conformance.v5;

import static io.godwit.conformance.wire.Bytes.hex;
import static io.godwit.conformance.wire.Bytes.text;
import static io.godwit.conformance.wire.Bytes.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.Bytes;
import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.WireClient;
import java.util.HashMap;
import org.junit.jupiter.api.Test;

/** PUBLISH: flags, topic, properties and what a subscriber gets of them (3.3). */
class PublishConformance extends Conformance5 {
    @Test
    @Mqtt5("MQTT-3.3.1-2")
    void dup_at_qos_0_is_refused_and_never_sent() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_0);
        var publisher = client();
        publisher.send(publish(topic).qos(1, 1).dup().payload("x")).pubAck(1);
        assertThat(subscriber.publish("x").dup()).isFalse();
        publisher.send(publish(topic).flags(0x08)).disconnected(0x81, 0x82);
    }

    @Test
    @Mqtt5("MQTT-3.3.1-3")
    void dup_is_not_passed_on() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_1);
        client().send(publish(topic).qos(1, 1).dup().payload("x")).pubAck(1);
        var received = subscriber.publish("x");
        assertThat(received.qos()).isEqualTo(1);
        assertThat(received.dup()).isFalse();
    }

    @Test
    @Mqtt5({"MQTT-3.3.1-4", "MQTT-4.13.1-1"})
    void qos_3_is_malformed() {
        String topic = topic("a");
        var client = client();
        client.send(publish(topic).qos(2, 1)).pubRec(1);
        client.send(publish(topic).qos(3, 2)).disconnected(0x81);
    }

    @Test
    @Mqtt5({"MQTT-3.3.2-2", "MQTT-4.7.0-1"})
    void a_topic_name_with_a_wildcard_is_refused() {
        var client = client();
        client.send(publish(topic("a")).qos(1, 1)).pubAck(1);
        client.send(publish(topic("+")).qos(1, 2)).disconnected(0x81, 0x90);
        for (String bad : new String[] {"#", topic("#"), "a+b", "a/#/b"}) {
            client().send(publish(bad)).disconnected(0x81, 0x90);
        }
    }

    @Test
    @Mqtt5({"MQTT-3.3.2-3", "MQTT-4.7.1-2", "MQTT-4.7.1-1"})
    void what_is_delivered_matches_the_filter() {
        String a = topic("a");
        var plus = subscriber(a + "/+/c", QOS_0);
        var hash = subscriber(a + "/#", QOS_0);
        var exact = subscriber(a + "/b/c", QOS_0);
        var publisher = client();
        for (String end : new String[] {"", "/b", "/b/c", "/b/d", "/b/c/d", "//c"}) {
            publisher.send(publish(a + end).payload("at" + end));
        }
        publisher.send(publish(a + "x/b/c").payload("sibling"));
        for (String end : new String[] {"", "/b", "/b/c", "/b/d", "/b/c/d", "//c"}) {
            assertThat(hash.publish("at" + end).topic()).isEqualTo(a + end);
        }
        nothingBefore(publisher, hash, a + "/z", 0);
        plus.publish("at/b/c");
        plus.publish("at//c");
        nothingBefore(publisher, plus, a + "/z/c", 0);
        exact.publish("at/b/c");
        nothingBefore(publisher, exact, a + "/b/c", 0);
    }

    @Test
    @Mqtt5({"MQTT-3.3.2-4", "MQTT-3.3.2-20", "MQTT-3.3.2-16"})
    void payload_format_content_type_and_correlation_data_reach_every_subscriber() {
        String topic = topic("a");
        var first = subscriber(topic, QOS_0);
        var second = subscriber(topic("+"), QOS_2);
        byte[] correlation = hex("00 ff 80");
        var publish =
                publish(topic)
                        .qos(1, 77)
                        .dup()
                        .properties(
                                Props.correlationData(correlation),
                                Props.payloadFormat(1),
                                Props.contentType("text/ü"))
                        .payload("ä");
        client().send(publish).pubAck(77);
        for (var subscriber : new WireClient[] {first, second}) {
            var received = subscriber.publish("ä");
            assertThat(received.dup()).isFalse();
            assertThat(received.properties().number(0x01)).isEqualTo(1);
            assertThat(received.properties().text(0x03)).isEqualTo("text/ü");
            assertThat(received.properties().one(0x09)).isEqualTo(correlation);
        }
        var zero = publish(topic).properties(Props.payloadFormat(0)).payload("zero");
        client().send(zero);
        assertThat(first.publish("zero").properties().number(0x01)).isZero();
    }

    @Test
    @Mqtt5("MQTT-3.3.2-15")
    void a_response_topic_reaches_every_subscriber() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_0);
        var publish = publish(topic).properties(Props.responseTopic("wohin/ü")).payload("x");
        client().send(publish.qos(1, 1)).pubAck(1);
        var received = subscriber.publish("x");
        assertThat(received.qos()).isZero();
        assertThat(received.properties().text(0x08)).isEqualTo("wohin/ü");
    }

    @Test
    @Mqtt5({"MQTT-3.3.2-17", "MQTT-3.3.2-18"})
    void user_properties_arrive_as_they_were_and_in_order() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_1);
        var publish =
                publish(topic)
                        .properties(
                                Props.userProperty("b", "1"),
                                Props.userProperty("a", ""),
                                Props.contentType("c"),
                                Props.userProperty("b", "1"),
                                Props.userProperty("", "ü"))
                        .payload("x");
        client().send(publish.qos(1, 1).dup()).pubAck(1);
        var received = subscriber.publish("x");
        assertThat(received.dup()).isFalse();
        assertThat(received.properties().userProperties())
                .containsExactly("b=1", "a=", "b=1", "=ü");
    }

    @Test
    @Mqtt5("MQTT-3.3.2-13")
    void a_response_topic_of_ill_formed_utf8_is_malformed() {
        client().send(publish(topic("a")).qos(1, 1).properties(Props.responseTopic("ü"))).pubAck(1);
        for (byte[] bad : ILL_FORMED) {
            byte[] property = Bytes.concat(hex("08"), bad);
            disconnects(0x81, publish(topic("a")).properties(property).bytes());
        }
    }

    @Test
    @Mqtt5("MQTT-3.3.2-14")
    void a_response_topic_with_a_wildcard_is_refused() {
        for (String bad : new String[] {"a/+", "#", "a#"}) {
            var client = client();
            client.send(publish(topic("a")).qos(1, 1).properties(Props.responseTopic("b")));
            client.pubAck(1);
            client.send(publish(topic("a")).properties(Props.responseTopic(bad)));
            client.disconnected(0x81, 0x82, 0x90);
        }
    }

    @Test
    @Mqtt5("MQTT-3.3.2-19")
    void a_content_type_of_ill_formed_utf8_is_malformed() {
        client().send(publish(topic("a")).qos(1, 1).properties(Props.contentType("ü"))).pubAck(1);
        for (byte[] bad : ILL_FORMED) {
            byte[] property = Bytes.concat(hex("03"), bad);
            disconnects(0x81, publish(topic("a")).properties(property).bytes());
        }
    }

    @Test
    @Mqtt5({"MQTT-3.3.2-5", "MQTT-3.3.2-6"})
    void a_message_expires_in_the_queue_and_its_interval_counts_down() {
        String id = id();
        String topic = topic("a");
        client(resuming(id)).subscribe(topic, QOS_1).disconnect();
        var publisher = client();
        publisher.send(
                publish(topic).qos(1, 1).properties(Props.messageExpiry(1)).payload("short"));
        publisher.pubAck(1);
        long start = System.nanoTime();
        publisher.send(
                publish(topic).qos(1, 2).properties(Props.messageExpiry(90)).payload("long"));
        publisher.pubAck(2);
        elapse(3_000);
        var subscriber = client(resuming(id));
        var received = subscriber.publish("long");
        long waited = (System.nanoTime() - start) / 1_000_000_000;
        assertThat(received.properties().number(0x02)).isBetween(88 - waited, 88L);
        nothingBefore(publisher, subscriber, topic, 1);
    }

    @Test
    @Mqtt5({"MQTT-3.3.2-6", "MQTT-3.3.2-5"})
    void a_retained_message_expires_too() {
        String topic = topic("a");
        var publisher = client();
        publisher.send(
                publish(topic).qos(1, 1).retain().properties(Props.messageExpiry(6)).payload("x"));
        publisher.pubAck(1);
        var early = subscriber(topic, QOS_1).publish("x");
        assertThat(early.properties().number(0x02)).isBetween(1L, 6L);
        elapse(7_200);
        var late = subscriber(topic, QOS_1);
        nothingBefore(publisher, late, topic, 1);
    }

    @Test
    @Mqtt5({"MQTT-3.3.2-8", "PE-3.3.4-2"})
    void topic_alias_0_and_one_above_the_maximum_are_refused() {
        var client = open();
        long maximum = client.send(connect()).accepted().properties().numberOr(0x22, 0);
        client.send(publish(topic("a")).qos(1, 1).properties(Props.topicAlias(1))).pubAck(1);
        client.send(publish(topic("a")).properties(Props.topicAlias(0))).disconnected(0x94);
        disconnects(
                0x94, publish(topic("a")).properties(Props.topicAlias((int) maximum + 1)).bytes());
    }

    @Test
    @Mqtt5({"MQTT-3.3.2-7", "PE-3.3.4-3"})
    void an_alias_is_gone_with_its_connection() {
        String id = id();
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_1);
        var client = client(resuming(id));
        client.send(publish(topic).properties(Props.topicAlias(1)).payload("set"));
        subscriber.publish("set");
        byte[] use = publish("").topic(utf8("")).properties(Props.topicAlias(1)).bytes();
        client.send(use).quiet();
        assertThat(subscriber.publish("").topic()).isEqualTo(topic);
        client.disconnect();
        client(resuming(id)).send(use).disconnected(0x82);
    }

    @Test
    @Mqtt5("MQTT-3.3.2-12")
    void an_alias_may_be_given_another_topic() {
        var subscriber = subscriber(topic("#"), QOS_0);
        var client = client();
        byte[] use = publish("").topic(utf8("")).properties(Props.topicAlias(1)).bytes();
        for (String name : new String[] {"a", "b"}) {
            client.send(publish(topic(name)).properties(Props.topicAlias(1)).payload("set"));
            client.send(use);
            assertThat(subscriber.publish("set").topic()).isEqualTo(topic(name));
            assertThat(subscriber.publish("").topic()).isEqualTo(topic(name));
        }
    }

    @Test
    @Mqtt5({"MQTT-3.1.2-26", "MQTT-3.3.2-11"})
    void aliases_towards_a_client_stay_within_its_maximum() {
        var subscriber = client(connect().properties(Props.topicAliasMaximum(2)));
        subscriber.subscribe(topic("#"), QOS_0);
        var publisher = client();
        var mappings = new HashMap<Long, String>();
        for (int round = 0; round < 3; round++) {
            for (String name : new String[] {"a", "b", "c", "d"}) {
                var publish =
                        publish(topic(name)).properties(Props.topicAlias(name.charAt(0) - 92));
                publisher.send(publish.payload(name));
                var received = subscriber.publish(name);
                long alias = received.properties().numberOr(0x23, 0);
                assertThat(alias).isLessThanOrEqualTo(2);
                if (!received.topic().isEmpty()) {
                    mappings.put(alias, received.topic());
                }
                String meant = alias == 0 ? received.topic() : mappings.get(alias);
                assertThat(meant).isEqualTo(topic(name));
            }
        }
    }

    @Test
    @Mqtt5("MQTT-3.1.2-27")
    void a_client_without_topic_alias_maximum_gets_no_alias() {
        for (var connect :
                new ConnectBytes[] {connect(), connect().properties(Props.topicAliasMaximum(0))}) {
            String topic = topic("a");
            var subscriber = client(connect).subscribe(topic, QOS_0);
            var publisher = client();
            for (int i = 0; i < 3; i++) {
                publisher.send(publish(topic).properties(Props.topicAlias(3)).payload("x"));
                var received = subscriber.publish("x");
                assertThat(received.topic()).isEqualTo(topic);
                assertThat(received.properties().has(0x23)).isFalse();
            }
        }
    }

    @Test
    @Mqtt5({"PE-3.3.2.1", "MQTT-4.7.3-1"})
    void a_topic_name_of_length_0_needs_an_alias() {
        var client = client();
        client.send(publish(topic("a")).qos(1, 1).properties(Props.topicAlias(1))).pubAck(1);
        client.send(publish("").topic(utf8("")).qos(1, 2).properties(Props.topicAlias(1)))
                .pubAck(2);
        client.send(publish("").topic(utf8("")).qos(1, 3)).disconnected(0x82);
    }

    @Test
    @Mqtt5({"PE-3.3.2.3.4", "PE-3.3.2.3.5", "PE-3.3.2.3.6"})
    void alias_response_topic_and_correlation_data_are_there_once() {
        once(Props.topicAlias(1));
        once(Props.responseTopic("a"));
        once(Props.correlationData(text("a")));
    }

    @Test
    @Mqtt5("PE-3.3.2.3.9")
    void a_content_type_is_there_once() {
        once(Props.contentType("a"));
        // The standard has no such sentence for these two, only the rule of 2.2.2.2 by its sense.
        once(Props.payloadFormat(1));
        once(Props.messageExpiry(10));
    }

    @Test
    @Mqtt5({"PE-3.3.2.3.8", "MQTT-3.3.4-6", "PE-3.3.4-1"})
    void a_client_sends_no_subscription_identifier() {
        var client = client();
        client.send(publish(topic("a")).qos(1, 1)).pubAck(1);
        client.send(publish(topic("a")).properties(Props.subscriptionId(1))).disconnected(0x82);
        client().send(publish(topic("a")).properties(Props.subscriptionId(0))).disconnected(0x82);
    }

    @Test
    @Mqtt5("MQTT-4.7.3-3")
    void a_topic_name_of_65535_bytes_is_delivered() {
        String topic = topic("x".repeat(65_535 - topic("").length()));
        assertThat(utf8(topic)).hasSize(65_537);
        var subscriber = client();
        subscriber.send(subscribe(1, topic, QOS_1)).next().subAck();
        var other = client();
        other.send(subscribe(1, topic.substring(0, 65_534), QOS_1)).next().subAck();
        client().send(publish(topic).qos(1, 1).payload("x")).pubAck(1);
        assertThat(subscriber.publish("x").topic()).isEqualTo(topic);
        other.quiet();
    }

    private void once(byte[] property) {
        byte[] user = Props.userProperty("n", "v");
        var client = client();
        client.send(publish(topic("a")).qos(1, 1).properties(property, user, user)).pubAck(1);
        client.send(publish(topic("a")).qos(1, 2).properties(property, user, property));
        client.disconnected(0x82);
    }
}

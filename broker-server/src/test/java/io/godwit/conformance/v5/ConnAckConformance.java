package io.godwit.conformance.v5;

import static io.godwit.conformance.wire.Bytes.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.Needs;
import io.godwit.conformance.target.Profile;
import io.godwit.conformance.wire.PropertyList;
import io.godwit.conformance.wire.Props;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;

/** What CONNACK announces, and that the server then holds clients to it (3.2.2.3). */
class ConnAckConformance extends Conformance5 {
    @Test
    @Needs(Profile.RESTRICTED)
    @Mqtt5({"MQTT-3.2.2-9", "MQTT-3.2.2-11", "PE-3.2.2.3.4-2"})
    void maximum_qos_is_announced_and_a_publish_above_it_refused() {
        var client = open();
        assertThat(client.send(connect()).accepted().properties().number(0x24)).isEqualTo(1);
        client.send(publish(topic("a")).qos(1, 1)).pubAck(1);
        client.send(publish(topic("a")).qos(2, 2)).disconnected(0x9B);
    }

    @Test
    @Needs(Profile.QOS_0)
    @Mqtt5({"MQTT-3.2.2-9", "PE-3.2.2.3.4-1", "MQTT-3.2.2-11"})
    void maximum_qos_0_is_announced_and_held() {
        String topic = topic("a");
        var client = open();
        assertThat(client.send(connect()).accepted().properties().number(0x24)).isZero();
        var subscriber = client();
        subscriber.send(subscribe(1, topic, QOS_0)).next().subAck();
        client.send(publish(topic).payload("x"));
        subscriber.publish("x");
        client.send(publish(topic).qos(1, 1)).disconnected(0x9B);
    }

    @Test
    @Needs(Profile.RESTRICTED)
    @Mqtt5("MQTT-3.2.2-10")
    void a_server_with_maximum_qos_1_accepts_a_subscribe_for_qos_2() {
        String topic = topic("a");
        var client = client();
        client.send(subscribe(1, topic, QOS_2));
        assertThat(client.next().subAck().codes()).singleElement().satisfies(granted());
        var publisher = client();
        publisher.send(publish(topic).qos(1, 9).payload("x")).pubAck(9);
        assertThat(client.publish("x").qos()).isEqualTo(1);
        publisher.send(publish(topic).qos(2, 10)).disconnected(0x9B);
    }

    private static ThrowingConsumer<Integer> granted() {
        return code -> assertThat(code).isIn(1, 2);
    }

    @Test
    @Needs(Profile.RESTRICTED)
    @Mqtt5({"MQTT-3.2.2-12", "MQTT-3.1.4-2"})
    void a_will_above_maximum_qos_is_refused() {
        accepted(connect().will(topic("will"), "x").willQos(1));
        refused(connect().will(topic("will"), "x").willQos(2), 0x9B);
    }

    @Test
    @Needs(Profile.RESTRICTED)
    @Mqtt5({"MQTT-3.2.2-13", "PE-3.2.2.3.5-1"})
    void a_retained_will_without_retained_messages_is_refused() {
        var client = open();
        client.send(connect().will(topic("will"), "x"));
        assertThat(client.accepted().properties().number(0x25)).isZero();
        refused(connect().will(topic("will"), "x").willRetain(), 0x9A);
    }

    @Test
    @Needs(Profile.RESTRICTED)
    @Mqtt5({"MQTT-3.2.2-14", "PE-3.2.2.3.5-2"})
    void a_retained_publish_without_retained_messages_is_refused() {
        var client = client();
        client.send(publish(topic("a")).qos(1, 1)).pubAck(1);
        client.send(publish(topic("a")).qos(1, 2).retain()).disconnected(0x9A);
    }

    @Test
    @Needs(Profile.RESTRICTED)
    @Mqtt5({"MQTT-3.1.2-28", "PE-3.2.2.3.15"})
    void response_information_comes_on_request_only() {
        assertThat(properties(Props.requestResponseInformation(1)).text(0x1A))
                .isEqualTo("answers/here");
        assertThat(properties(Props.requestResponseInformation(0)).has(0x1A)).isFalse();
        assertThat(properties().has(0x1A)).isFalse();
    }

    @Test
    @Needs(Profile.RESTRICTED)
    @Mqtt5("PE-3.2.2.3.2")
    void a_session_expiry_that_is_cut_is_announced_once() {
        assertThat(properties(Props.sessionExpiry(10_000)).number(0x11)).isEqualTo(120);
        assertThat(properties(Props.sessionExpiry(100)).numberOr(0x11, 100)).isEqualTo(100);
    }

    @Test
    @Needs(Profile.SMALL_WINDOWS)
    @Mqtt5({"PE-3.2.2.3.3", "PE-3.2.2.3.8"})
    void receive_maximum_and_topic_alias_maximum_are_announced_once() {
        var properties = properties();
        assertThat(properties.number(0x21)).isEqualTo(3);
        assertThat(properties.number(0x22)).isEqualTo(5);
    }

    @Test
    @Mqtt5("PE-3.2.2.3.7")
    void an_assigned_client_identifier_is_there_once_and_only_when_assigned() {
        assertThat(open().send(connect("")).accepted().properties().text(0x12)).isNotEmpty();
        assertThat(properties().has(0x12)).isFalse();
    }

    @Test
    @Mqtt5("PE-3.2.2.3.9")
    void a_connack_has_one_reason_string_at_most() {
        assertThat(properties().count(0x1F)).isZero();
        var client = open();
        var connAck = client.send(connect().properties(Props.authMethod("NO-SUCH"))).connAck();
        assertThat(connAck.reason()).isEqualTo(0x8C);
        assertThat(connAck.properties().count(0x1F)).isLessThanOrEqualTo(1);
        client.closed();
    }

    @Test
    @Needs(Profile.NO_FEATURES)
    @Mqtt5({"PE-3.2.2.3.11-1", "PE-3.2.2.3.11-2"})
    void a_wildcard_without_wildcard_subscriptions_is_refused() {
        var client = open();
        assertThat(client.send(connect()).accepted().properties().number(0x28)).isZero();
        client.subscribe(topic("a"), QOS_1);
        client.send(subscribe(2, topic("#"), QOS_1)).disconnected(0xA2);
        client().send(subscribe(3, topic("+"), QOS_1)).disconnected(0xA2);
    }

    @Test
    @Needs(Profile.NO_FEATURES)
    @Mqtt5({"PE-3.2.2.3.12-1", "PE-3.2.2.3.12-2"})
    void a_subscription_identifier_without_support_is_refused() {
        var client = open();
        assertThat(client.send(connect()).accepted().properties().number(0x29)).isZero();
        client.subscribe(topic("a"), QOS_1);
        client.send(subscribe(2, topic("a"), QOS_1, Props.subscriptionId(1))).disconnected(0xA1);
    }

    @Test
    @Needs(Profile.NO_FEATURES)
    @Mqtt5({"PE-3.2.2.3.13-1", "PE-3.2.2.3.13-2"})
    void a_shared_subscription_without_support_is_refused() {
        var client = open();
        assertThat(client.send(connect()).accepted().properties().number(0x2A)).isZero();
        client.subscribe(topic("a"), QOS_1);
        client.send(subscribe(2, "$share/group/" + topic("a"), QOS_1)).disconnected(0x9E);
    }

    @Test
    @Needs(Profile.NO_FEATURES)
    @Mqtt5("MQTT-3.2.2-18")
    void without_a_topic_alias_maximum_every_alias_is_refused() {
        var client = open();
        assertThat(client.send(connect()).accepted().properties().numberOr(0x22, 0)).isZero();
        client.send(publish(topic("a")).qos(1, 1)).pubAck(1);
        client.send(publish(topic("a")).properties(Props.topicAlias(1))).disconnected(0x94);
    }

    @Test
    @Needs(Profile.SMALL_WINDOWS)
    @Mqtt5({"MQTT-3.2.2-17", "MQTT-3.3.2-9", "MQTT-3.3.2-12"})
    void aliases_up_to_the_maximum_are_accepted_and_those_above_refused() {
        String topic = topic("a");
        var subscriber = subscriber(topic, QOS_0);
        var client = client();
        for (int alias = 1; alias <= 5; alias++) {
            client.send(publish(topic).properties(Props.topicAlias(alias)).payload("set" + alias));
            assertThat(subscriber.publish("set" + alias).topic()).isEqualTo(topic);
        }
        var short5 = publish("").topic(utf8("")).properties(Props.topicAlias(5));
        client.send(short5.payload("used"));
        var used = subscriber.publish("used");
        assertThat(used.topic()).isEqualTo(topic);
        assertThat(used.properties().has(0x23)).isFalse();
        client.send(publish(topic).properties(Props.topicAlias(6))).disconnected(0x94);
    }

    private PropertyList properties(byte[]... inConnect) {
        return open().send(connect().properties(inConnect)).accepted().properties();
    }
}

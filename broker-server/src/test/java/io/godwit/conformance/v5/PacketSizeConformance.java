package io.godwit.conformance.v5;

import static io.godwit.conformance.wire.Bytes.bin;
import static io.godwit.conformance.wire.Bytes.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.Needs;
import io.godwit.conformance.target.Profile;
import io.godwit.conformance.wire.Props;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Maximum Packet Size both ways, and what is left out to keep to it. */
class PacketSizeConformance extends Conformance5 {
    /** Room for an accepting CONNACK, but for no sentence in a Reason String. */
    private static final int SMALL = 20;

    @Test
    @Mqtt5({"MQTT-3.1.2-24", "MQTT-3.1.2-25", "PE-3.1.2.11.4-3"})
    void a_message_too_large_for_the_client_is_dropped_and_counts_as_delivered() {
        String topic = topic("a");
        int limit = 60 + topic.length();
        var subscriber =
                client(
                        connect()
                                .properties(
                                        Props.maximumPacketSize(limit), Props.receiveMaximum(1)));
        subscriber.subscribe(topic, QOS_1);
        var publisher = client();
        for (int i = 0; i < 3; i++) {
            publishes(publisher, topic, "x".repeat(limit));
        }
        publishes(publisher, topic, "small");
        int first = subscriber.publish("small").packetId();
        subscriber.sendAck(PUBACK, first);
        // Exactly at the limit: fixed header 2, topic, Packet Identifier, Property Length.
        String fits = "y".repeat(limit - 2 - 2 - topic.length() - 2 - 1);
        publishes(publisher, topic, fits + "z");
        publishes(publisher, topic, fits);
        subscriber.publish(fits);
    }

    @Test
    @Needs(Profile.RESTRICTED)
    @Mqtt5({"MQTT-3.2.2-15", "PE-3.2.2.3.6-2", "PE-3.2.2.3.6-1"})
    void a_packet_above_the_servers_maximum_is_refused() {
        var client = open();
        int limit = (int) client.send(connect()).accepted().properties().number(0x27);
        assertThat(limit).isEqualTo(2_048);
        String topic = topic("a");
        int room = limit - 3 - 2 - topic.length() - 2 - 1;
        client.send(publish(topic).qos(1, 1).payload(new byte[room])).pubAck(1);
        client.send(publish(topic).qos(1, 2).payload(new byte[room + 1])).disconnected(0x95);
    }

    @Test
    @Mqtt5({"MQTT-3.2.2-19", "MQTT-3.2.2-20"})
    void a_refusing_connack_keeps_to_the_clients_maximum() {
        accepted(connect().properties(Props.maximumPacketSize(SMALL)));
        var client = open();
        client.send(connect().properties(Props.maximumPacketSize(5), Props.authMethod("NO-SUCH")));
        var frame = client.next();
        assertThat(frame.size()).isLessThanOrEqualTo(5);
        assertThat(frame.connAck().reason()).isEqualTo(0x8C);
        client.closed();
        var bad = open();
        bad.send(
                connect()
                        .properties(Props.maximumPacketSize(SMALL))
                        .will(utf8(topic("will")), bin(new byte[] {-1}))
                        .willProperties(Props.payloadFormat(1)));
        var refusal = bad.next();
        assertThat(refusal.size()).isLessThanOrEqualTo(SMALL);
        assertThat(refusal.connAck().reason()).isEqualTo(0x99);
        bad.closed();
    }

    @Test
    @Mqtt5({"MQTT-3.4.2-2", "MQTT-3.4.2-3", "MQTT-3.4.2-1"})
    @ResourceLock(value = EVERY_TOPIC, mode = ResourceAccessMode.READ)
    void puback_keeps_to_the_clients_maximum() {
        var client = client(connect().properties(Props.maximumPacketSize(SMALL)));
        String topic = topic("nobody");
        var frame = client.send(publish(topic).qos(1, 1)).next();
        assertThat(frame.size()).isLessThanOrEqualTo(SMALL);
        assertThat(frame.ack(PUBACK).reason()).isEqualTo(0x10);
        var invalid = publish(topic).qos(1, 2).properties(Props.payloadFormat(1));
        var refused = client.send(invalid.payload(new byte[] {-1})).next();
        assertThat(refused.size()).isLessThanOrEqualTo(SMALL);
        assertThat(refused.ack(PUBACK).reason()).isEqualTo(0x99);
    }

    @Test
    @Mqtt5({"MQTT-3.5.2-2", "MQTT-3.5.2-3", "MQTT-3.5.2-1"})
    @ResourceLock(value = EVERY_TOPIC, mode = ResourceAccessMode.READ)
    void pubrec_keeps_to_the_clients_maximum() {
        var client = client(connect().properties(Props.maximumPacketSize(SMALL)));
        String topic = topic("nobody");
        var frame = client.send(publish(topic).qos(2, 1)).next();
        assertThat(frame.size()).isLessThanOrEqualTo(SMALL);
        assertThat(frame.ack(PUBREC).reason()).isEqualTo(0x10);
        var invalid = publish(topic).qos(2, 2).properties(Props.payloadFormat(1));
        var refused = client.send(invalid.payload(new byte[] {-1})).next();
        assertThat(refused.size()).isLessThanOrEqualTo(SMALL);
        assertThat(refused.ack(PUBREC).reason()).isEqualTo(0x99);
    }

    @Test
    @Mqtt5({"MQTT-3.6.2-2", "MQTT-3.6.2-3", "MQTT-3.6.2-1"})
    void pubrel_keeps_to_the_clients_maximum() {
        var client = client(connect().properties(Props.maximumPacketSize(SMALL)));
        var unknown = client.sendAck(PUBREC, 77).next();
        assertThat(unknown.size()).isLessThanOrEqualTo(SMALL);
        var pubRel = unknown.ack(PUBREL);
        assertThat(pubRel.packetId()).isEqualTo(77);
        assertThat(pubRel.reason()).isEqualTo(0x92);
    }

    @Test
    @Mqtt5({"MQTT-3.7.2-2", "MQTT-3.7.2-3", "MQTT-3.7.2-1"})
    void pubcomp_keeps_to_the_clients_maximum() {
        var client = client(connect().properties(Props.maximumPacketSize(SMALL)));
        client.send(publish(topic("a")).qos(2, 1)).pubRec(1);
        client.sendAck(PUBREL, 1).pubComp(1, 0x00);
        var unknown = client.sendAck(PUBREL, 77).next();
        assertThat(unknown.size()).isLessThanOrEqualTo(SMALL);
        assertThat(unknown.ack(PUBCOMP).reason()).isEqualTo(0x92);
    }

    @Test
    @Mqtt5({"MQTT-3.9.2-1", "MQTT-3.9.2-2"})
    void suback_keeps_to_the_clients_maximum() {
        var client = client(connect().properties(Props.maximumPacketSize(SMALL)));
        String deep = "a/".repeat(200);
        var frame = client.send(subscribe(1, deep, QOS_0)).next();
        assertThat(frame.size()).isLessThanOrEqualTo(SMALL);
        assertThat(frame.subAck().codes()).singleElement().satisfies(c -> failed(c));
    }

    @Test
    @Mqtt5({"MQTT-3.11.2-1", "MQTT-3.11.2-2"})
    void unsuback_keeps_to_the_clients_maximum() {
        var client = client(connect().properties(Props.maximumPacketSize(SMALL)));
        var frame = client.send(unsubscribe(1, "no", "such", "filter")).next();
        assertThat(frame.size()).isLessThanOrEqualTo(SMALL);
        assertThat(frame.unsubAck().codes()).containsExactly(0x11, 0x11, 0x11);
    }

    @Test
    @Mqtt5({"MQTT-3.14.2-3", "MQTT-3.14.2-4"})
    void disconnect_keeps_to_the_clients_maximum() {
        var client = client(connect().properties(Props.maximumPacketSize(SMALL)));
        client.quiet();
        var frame = client.send("c1 00").next();
        assertThat(frame.size()).isLessThanOrEqualTo(SMALL);
        assertThat(frame.disconnect().reason()).isEqualTo(0x81);
        client.closed();
    }

    @Test
    @Mqtt5("MQTT-3.1.2-29")
    @ResourceLock(value = EVERY_TOPIC, mode = ResourceAccessMode.READ)
    void without_problem_information_acknowledgements_have_no_reason_string() {
        var client = client(connect().properties(Props.requestProblemInformation(0)));
        client.send(publish(topic("nobody")).qos(1, 1));
        var pubAck = client.next().ack(PUBACK);
        assertThat(pubAck.reason()).isEqualTo(0x10);
        assertThat(pubAck.properties().all()).isEmpty();
        client.send(unsubscribe(2, "no such filter"));
        var unsubAck = client.next().unsubAck();
        assertThat(unsubAck.codes()).containsExactly(0x11);
        assertThat(unsubAck.properties().all()).isEmpty();
        client.sendAck(PUBREL, 3);
        var pubComp = client.next().ack(PUBCOMP);
        assertThat(pubComp.reason()).isEqualTo(0x92);
        assertThat(pubComp.properties().all()).isEmpty();
        client.send(
                publish(topic("a"))
                        .qos(2, 4)
                        .properties(Props.payloadFormat(1))
                        .payload(new byte[] {-1}));
        var pubRec = client.next().ack(PUBREC);
        assertThat(pubRec.reason()).isEqualTo(0x99);
        assertThat(pubRec.properties().all()).isEmpty();
    }

    private static void failed(int code) {
        assertThat(code).isIn(0x80, 0x83, 0x87, 0x8F, 0x97);
    }
}

package io.godwit.conformance.v5;

import static io.godwit.conformance.wire.Bytes.hex;
import static io.godwit.conformance.wire.Bytes.packet;
import static io.godwit.conformance.wire.Bytes.u16;
import static io.godwit.conformance.wire.Bytes.u8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.Needs;
import io.godwit.conformance.target.Profile;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.WireClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** PUBACK, PUBREC, PUBREL and PUBCOMP: layout and reason codes (3.4 to 3.7). */
class AcknowledgementConformance extends Conformance5 {
    private static final byte[] REASON = Props.reasonString("because");
    private static final byte[] USER = Props.userProperty("n", "v");

    @Test
    @Mqtt5({"MQTT-3.4.2-1", "MQTT-3.3.4-1"})
    @ResourceLock(value = EVERY_TOPIC, mode = ResourceAccessMode.READ)
    void puback_says_whether_anyone_got_the_message() {
        String topic = topic("a");
        var client = client();
        client.send(publish(topic).qos(1, 1)).pubAck(1, 0x10);
        var subscriber = subscriber(topic, QOS_0);
        client.send(publish(topic).qos(1, 2).payload("x")).pubAck(2, 0x00);
        assertThat(subscriber.publish("x").qos()).isZero();
        client.send(publish(topic)).quiet();
    }

    @Test
    @Mqtt5({"MQTT-3.5.2-1", "MQTT-3.3.4-1"})
    @ResourceLock(value = EVERY_TOPIC, mode = ResourceAccessMode.READ)
    void pubrec_says_whether_anyone_got_the_message() {
        String topic = topic("a");
        var client = client();
        client.send(publish(topic).qos(2, 1)).pubRec(1, 0x10);
        client.sendAck(PUBREL, 1).pubComp(1, 0x00);
        var subscriber = subscriber(topic, QOS_1);
        client.send(publish(topic).qos(2, 2).payload("x")).pubRec(2, 0x00);
        assertThat(subscriber.publish("x").qos()).isEqualTo(1);
    }

    @Test
    @Mqtt5({"MQTT-3.4.2-1", "MQTT-3.5.2-1", "MQTT-4.13.1-1"})
    void reason_codes_of_puback_and_pubrec_that_do_not_exist_are_refused() {
        WireClient good = withMessage(QOS_1);
        good.send(ack(PUBACK, good.publish("x").packetId(), 0x97)).quiet();
        WireClient pubAck = withMessage(QOS_1);
        pubAck.send(ack(PUBACK, pubAck.publish("x").packetId(), 0x92)).disconnected(0x81, 0x82);
        WireClient pubRec = withMessage(QOS_2);
        pubRec.send(ack(PUBREC, pubRec.publish("x").packetId(), 0x11)).disconnected(0x81, 0x82);
    }

    @Test
    @Mqtt5({"MQTT-3.6.2-1", "MQTT-3.7.2-1"})
    void reason_codes_of_pubrel_and_pubcomp_that_do_not_exist_are_refused() {
        var client = client();
        client.send(publish(topic("a")).qos(2, 1)).pubRec(1);
        client.send(ack(PUBREL, 1, 0x00)).pubComp(1, 0x00);
        client.send(ack(PUBREL, 2, 0x92)).pubComp(2, 0x92);
        client.send(ack(PUBREL, 3, 0x80)).disconnected(0x81, 0x82);
        WireClient subscriber = withMessage(QOS_2);
        int id = subscriber.publish("x").packetId();
        subscriber.sendAck(PUBREC, id).pubRel(id, 0x00);
        subscriber.send(ack(PUBCOMP, id, 0x80)).disconnected(0x81, 0x82);
    }

    @Test
    @Mqtt5("MQTT-3.6.1-1")
    void pubrel_has_its_flags() {
        var client = client();
        client.send(publish(topic("a")).qos(2, 1)).pubRec(1);
        client.send("62 02 00 01").pubComp(1, 0x00);
        client.send(publish(topic("a")).qos(2, 2)).pubRec(2);
        client.send("60 02 00 02").disconnected(0x81);
        disconnects(0x81, hex("63 02 00 01"));
    }

    @Test
    @Mqtt5("PE-3.4.2.2.2")
    void puback_has_one_reason_string() {
        WireClient good = withMessage(QOS_1);
        good.send(ack(PUBACK, good.publish("x").packetId(), 0, REASON, USER, USER)).quiet();
        WireClient bad = withMessage(QOS_1);
        bad.send(ack(PUBACK, bad.publish("x").packetId(), 0, REASON, REASON)).disconnected(0x82);
    }

    @Test
    @Mqtt5("PE-3.5.2.2.2")
    void pubrec_has_one_reason_string() {
        WireClient good = withMessage(QOS_2);
        int id = good.publish("x").packetId();
        good.send(ack(PUBREC, id, 0, REASON, USER, USER)).pubRel(id);
        WireClient bad = withMessage(QOS_2);
        bad.send(ack(PUBREC, bad.publish("x").packetId(), 0, REASON, REASON)).disconnected(0x82);
    }

    @Test
    @Mqtt5("PE-3.6.2.2.2")
    void pubrel_has_one_reason_string() {
        var client = client();
        client.send(publish(topic("a")).qos(2, 1)).pubRec(1);
        client.send(ack(PUBREL, 1, 0, REASON, USER, USER)).pubComp(1, 0);
        client.send(publish(topic("a")).qos(2, 2)).pubRec(2);
        client.send(ack(PUBREL, 2, 0, REASON, REASON)).disconnected(0x82);
    }

    @Test
    @Mqtt5("PE-3.7.2.2.2")
    void pubcomp_has_one_reason_string() {
        WireClient good = withMessage(QOS_2);
        int id = good.publish("x").packetId();
        good.sendAck(PUBREC, id).pubRel(id);
        good.send(ack(PUBCOMP, id, 0, REASON, USER, USER)).quiet();
        WireClient bad = withMessage(QOS_2);
        int other = bad.publish("x").packetId();
        bad.sendAck(PUBREC, other).pubRel(other);
        bad.send(ack(PUBCOMP, other, 0, REASON, REASON)).disconnected(0x82);
    }

    @Test
    @Mqtt5({"MQTT-4.13.1-1", "MQTT-2.2.1-5"})
    void acknowledgements_may_be_short_but_not_cut() {
        WireClient client = withMessage(QOS_1);
        int id = client.publish("x").packetId();
        client.send(packet(0x40, u16(id), u8(0))).quiet();
        WireClient cut = withMessage(QOS_1);
        cut.publish("x");
        cut.send("40 01 00").disconnected(0x81);
        disconnects(0x81, hex("40 05 00 01 00 00 00"));
    }

    @Test
    @Needs(Profile.FAILING_STORE)
    @Mqtt5({"MQTT-4.3.2-4", "MQTT-4.3.3-8"})
    void what_could_not_be_taken_in_is_not_acknowledged() {
        for (int qos = QOS_1; qos <= QOS_2; qos++) {
            var client = client();
            client.send(publish(topic("store-works")).qos(1, 1).retain().payload("x")).pubAck(1);
            client.send(publish(topic("store-fails")).qos(qos, 2).retain().payload("x"));
            client.disconnected(0x80, 0x83);
        }
    }

    /** A subscriber towards which a message "x" of that QoS is in flight. */
    private WireClient withMessage(int qos) {
        String topic = topic(id("m"));
        var subscriber = subscriber(topic, qos);
        if (qos == QOS_1) {
            publishes(client(), topic, "x");
        } else {
            publishesQos2(client(), topic, "x");
        }
        return subscriber;
    }
}

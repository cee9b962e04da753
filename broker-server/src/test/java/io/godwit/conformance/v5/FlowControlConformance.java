package io.godwit.conformance.v5;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.Needs;
import io.godwit.conformance.target.Profile;
import io.godwit.conformance.wire.Props;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Receive Maximum both ways (3.3.4, 4.9). */
class FlowControlConformance extends Conformance5 {
    @Test
    @Needs(Profile.SMALL_WINDOWS)
    @Mqtt5({"MQTT-3.3.4-7", "MQTT-3.3.4-8"})
    void a_client_that_exceeds_the_receive_maximum_is_refused() {
        var client = client();
        for (int id = 1; id <= 3; id++) {
            client.send(publish(topic("a")).qos(2, id)).pubRec(id);
        }
        client.quiet();
        client.sendAck(PUBREL, 1).pubComp(1, 0);
        client.send(publish(topic("a")).qos(2, 4)).pubRec(4);
        client.send(publish(topic("a")).qos(2, 5)).disconnected(0x93);
    }

    @Test
    @Needs(Profile.SMALL_WINDOWS)
    @Mqtt5({"MQTT-4.9.0-3", "MQTT-3.3.4-8"})
    void a_full_window_does_not_hold_back_other_packets() {
        String topic = topic("a");
        var client = client();
        for (int id = 1; id <= 3; id++) {
            client.send(publish(topic("b")).qos(2, id)).pubRec(id);
        }
        client.subscribe(topic, QOS_0);
        client.send(publish(topic).payload("QoS 0"));
        client.publish("QoS 0");
        client.unsubscribe(topic);
        client.quiet();
        client.send(publish(topic("b")).qos(1, 4)).disconnected(0x93);
    }

    @Test
    @Mqtt5({"MQTT-3.3.4-9", "MQTT-4.9.0-1", "MQTT-4.9.0-2"})
    void the_server_keeps_to_the_clients_receive_maximum() {
        String topic = topic("a");
        var subscriber = client(connect().properties(Props.receiveMaximum(2)));
        subscriber.subscribe(topic, QOS_2);
        var publisher = client();
        for (int i = 1; i <= 5; i++) {
            publishesQos2(publisher, topic, "m" + i);
        }
        subscriber.publish("m1");
        int second = subscriber.publish("m2").packetId();
        subscriber.quiet();
        subscriber.sendAck(PUBREC, second).pubRel(second);
        subscriber.quiet();
        subscriber.sendAck(PUBCOMP, second);
        int third = subscriber.publish("m3").packetId();
        subscriber.quiet();
        subscriber.send(ack(PUBREC, third, 0x83));
        subscriber.publish("m4");
        subscriber.quiet();
    }

    @Test
    @Mqtt5({"MQTT-3.3.4-10", "MQTT-4.9.0-3"})
    @ResourceLock(value = EVERY_TOPIC, mode = ResourceAccessMode.READ)
    void a_full_window_of_the_client_does_not_hold_back_other_packets() {
        String topic = topic("a");
        var subscriber = client(connect().properties(Props.receiveMaximum(1)));
        subscriber.subscribe(topic, QOS_1);
        var publisher = client();
        publishes(publisher, topic, "one");
        publishes(publisher, topic, "two");
        int one = subscriber.publish("one").packetId();
        subscriber.quiet();
        subscriber.subscribe(topic("b"), QOS_0);
        subscriber.send(publish(topic("nobody")).qos(1, 5)).pubAck(5, 0x10);
        subscriber.sendAck(PUBACK, one);
        subscriber.publish("two");
    }
}

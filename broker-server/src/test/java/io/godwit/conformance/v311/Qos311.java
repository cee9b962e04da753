package io.godwit.conformance.v311;

import static io.godwit.conformance.wire.Bytes.concat;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt311;
import org.junit.jupiter.api.Test;

/** The QoS 1 and QoS 2 exchanges, sending again, and order (3.6, 4.3, 4.4, 4.6). */
class Qos311 extends Conformance311 {
    @Test
    @Mqtt311({"MQTT-4.3.2-1", "MQTT-3.3.1-1", "MQTT-4.4.0-1"})
    void qos_1_goes_out_fresh_and_again_with_dup_until_puback() {
        String id = id();
        String topic = topic("a");
        var subscriber = client(resuming(id)).subscribe(topic, 1);
        client().send(publish(topic).qos(1, 9).dup().payload("x")).pubAck(9);
        var first = subscriber.publish("x");
        assertThat(first.qos()).isEqualTo(1);
        assertThat(first.dup()).isFalse();
        subscriber.close();
        var again = client(resuming(id));
        var second = again.publish("x");
        assertThat(second.packetId()).isEqualTo(first.packetId());
        assertThat(second.dup()).isTrue();
        again.sendAck(PUBACK, second.packetId()).quiet();
        again.close();
        client(resuming(id)).quiet();
    }

    @Test
    @Mqtt311("MQTT-4.3.2-2")
    void after_puback_the_same_identifier_is_a_new_message() {
        String topic = topic("a");
        var subscriber = subscriber(topic, 1);
        var publisher = client();
        publisher.send(publish(topic).qos(1, 5).payload("one")).pubAck(5);
        publisher.send(publish(topic).qos(1, 5).dup().payload("two")).pubAck(5);
        var one = subscriber.publish("one");
        var two = subscriber.publish("two");
        assertThat(two.packetId()).isNotEqualTo(one.packetId());
        assertThat(two.dup()).isFalse();
    }

    @Test
    @Mqtt311({"MQTT-4.3.3-1", "MQTT-4.4.0-1"})
    void qos_2_goes_out_fresh_and_each_step_again_until_its_answer() {
        String id = id();
        String topic = topic("a");
        var subscriber = client(resuming(id)).subscribe(topic, 2);
        publishesQos2(client(), topic, "x");
        var first = subscriber.publish("x");
        assertThat(first.qos()).isEqualTo(2);
        assertThat(first.dup()).isFalse();
        int packetId = first.packetId();
        subscriber.close();
        var second = client(resuming(id));
        var resent = second.publish("x");
        assertThat(resent.packetId()).isEqualTo(packetId);
        assertThat(resent.dup()).isTrue();
        second.sendAck(PUBREC, packetId).pubRel(packetId);
        second.close();
        var third = client(resuming(id));
        third.pubRel(packetId);
        third.quiet();
        third.sendAck(PUBCOMP, packetId).quiet();
        third.close();
        client(resuming(id)).quiet();
    }

    @Test
    @Mqtt311("MQTT-4.3.3-2")
    void before_pubrel_a_repeat_is_not_a_new_message_and_after_pubcomp_it_is() {
        String id = id();
        String topic = topic("a");
        var subscriber = subscriber(topic, 2);
        var publisher = client(resuming(id));
        publisher.send(publish(topic).qos(2, 3).payload("once")).pubRec(3);
        publisher.send(publish(topic).qos(2, 3).dup().payload("once")).pubRec(3);
        publisher.close();
        var again = client(resuming(id));
        again.send(publish(topic).qos(2, 3).dup().payload("once")).pubRec(3);
        again.sendAck(PUBREL, 3).pubComp(3);
        completes(subscriber, "once");
        again.send(publish(topic).qos(2, 3).payload("again")).pubRec(3);
        again.sendAck(PUBREL, 3).pubComp(3);
        completes(subscriber, "again");
        nothingBefore(again, subscriber, topic, 2);
    }

    @Test
    @Mqtt311("MQTT-3.6.1-1")
    void pubrel_has_its_flags() {
        var client = client();
        client.send(publish(topic("a")).qos(2, 1)).pubRec(1);
        client.send("62 02 00 01").pubComp(1);
        client.send(publish(topic("a")).qos(2, 2)).pubRec(2);
        client.send("60 02 00 02").closed();
    }

    @Test
    @Mqtt311({"MQTT-4.6.0-1", "MQTT-4.6.0-6"})
    void what_is_sent_again_keeps_its_order() {
        String id = id();
        String topic = topic("a");
        var subscriber = client(resuming(id)).subscribe(topic, 1);
        var publisher = client();
        for (int i = 0; i < 10; i++) {
            publishes(publisher, topic, "m" + i);
        }
        for (int i = 0; i < 10; i++) {
            assertThat(subscriber.publish("m" + i).dup()).isFalse();
        }
        subscriber.close();
        var again = client(resuming(id));
        for (int i = 0; i < 10; i++) {
            assertThat(again.publish("m" + i).dup()).isTrue();
        }
    }

    @Test
    @Mqtt311({"MQTT-4.6.0-2", "MQTT-4.6.0-3"})
    void pubacks_and_pubrecs_keep_the_order_of_their_publishes() {
        String topic = topic("a");
        var subscriber = subscriber(topic, 0);
        var publisher = client();
        for (int qos = 1; qos <= 2; qos++) {
            int[] ids = {7, 3, 65_535, 1, 20, 19};
            byte[] all = {};
            for (int id : ids) {
                byte[] one = publish(topic).qos(qos, id).dup().payload(qos + "-" + id).bytes();
                all = concat(all, one);
            }
            publisher.send(all);
            for (int id : ids) {
                if (qos == 1) {
                    publisher.pubAck(id);
                } else {
                    publisher.pubRec(id);
                }
            }
            for (int id : ids) {
                if (qos == 2) {
                    publisher.sendAck(PUBREL, id).pubComp(id);
                }
                assertThat(subscriber.publish(qos + "-" + id).dup()).isFalse();
            }
        }
    }

    @Test
    @Mqtt311({"MQTT-4.6.0-4", "MQTT-4.6.0-6"})
    void pubrels_keep_the_order_of_the_pubrecs() {
        String topic = topic("a");
        var subscriber = subscriber(topic, 2);
        var publisher = client();
        int[] ids = new int[5];
        for (int i = 0; i < ids.length; i++) {
            publishesQos2(publisher, topic, "m" + i);
            ids[i] = subscriber.publish("m" + i).packetId();
            assertThat(ids[i]).isLessThan(1_000);
        }
        int[] order = {2, 0, 4, 3, 1};
        for (int i : order) {
            subscriber.sendAck(PUBREC, ids[i]);
        }
        for (int i : order) {
            subscriber.pubRel(ids[i]);
        }
    }

    @Test
    @Mqtt311({"MQTT-4.6.0-5", "MQTT-4.6.0-6"})
    void messages_of_one_publisher_keep_their_order() {
        String topic = topic("a");
        comesInOrder(client(), subscriber(topic, 2), topic);
    }
}

package io.godwit.conformance.v5;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.WireClient;
import org.junit.jupiter.api.Test;

/** Shared Subscriptions (4.8.2). */
class SharedConformance extends Conformance5 {
    @Test
    @Mqtt5("MQTT-4.8.2-1")
    void a_share_name_has_a_character_or_more() {
        client().subscribe("$share/g/" + topic("a"), QOS_1).quiet();
        client().send(subscribe(7, "$share//" + topic("a"), QOS_1)).filterRefused();
    }

    @Test
    @Mqtt5("MQTT-4.8.2-2")
    void a_share_name_has_no_wildcard_and_is_followed_by_a_filter() {
        client().subscribe("$share/ä b/" + topic("#"), QOS_1).quiet();
        for (String bad : new String[] {"$share/g", "$share/g+/a", "$share/#/a", "$share/+/a"}) {
            client().send(subscribe(7, bad, QOS_1)).filterRefused();
        }
    }

    @Test
    @Mqtt5("MQTT-4.8.2-3")
    void a_shared_message_goes_to_one_member_at_its_granted_qos() {
        String topic = topic("a");
        String filter = "$share/g/" + topic;
        var zero = client().subscribe(filter, QOS_0);
        var two = client().subscribe(filter, QOS_2);
        var other = client().subscribe("$share/other/" + topic, QOS_1);
        var publisher = client();
        for (int i = 0; i < 6; i++) {
            publishesQos2(publisher, topic, "m" + i);
        }
        for (int i = 0; i < 6; i++) {
            assertThat(other.publish("m" + i).qos()).isEqualTo(1);
        }
        int shared = 0;
        long deadline = System.nanoTime() + target().patience().toNanos();
        while (shared < 6 && System.nanoTime() < deadline) {
            shared += arrived(zero, QOS_0) + arrived(two, QOS_2);
        }
        assertThat(shared + arrived(zero, QOS_0) + arrived(two, QOS_2)).isEqualTo(6);
    }

    /** How many messages have come by now, each of them at that QoS. */
    private static int arrived(WireClient member, int qos) {
        member.send("c0 00");
        int count = 0;
        for (var next = member.next(); next.type() != 13; next = member.next()) {
            assertThat(next.publish().qos()).isEqualTo(qos);
            count++;
        }
        return count;
    }

    @Test
    @Mqtt5("MQTT-4.8.2-4")
    void an_interrupted_qos_2_delivery_is_finished_with_the_same_client() {
        String id = id();
        String topic = topic("a");
        String filter = "$share/g/" + topic;
        var first = client(resuming(id)).subscribe(filter, QOS_2);
        var publisher = client();
        publishesQos2(publisher, topic, "x");
        int packetId = first.publish("x").packetId();
        var second = client().subscribe(filter, QOS_2);
        first.close();
        second.subscribe(topic("end"), QOS_2);
        nothingBefore(publisher, second, topic("end"), 2);
        var again = client(resuming(id));
        var resent = again.publish("x");
        assertThat(resent.packetId()).isEqualTo(packetId);
        assertThat(resent.dup()).isTrue();
        again.sendAck(PUBREC, packetId).pubRel(packetId, 0);
    }

    @Test
    @Mqtt5("MQTT-4.8.2-5")
    void a_qos_2_message_of_a_session_that_ended_goes_to_nobody_else() {
        String id = id();
        String topic = topic("a");
        String filter = "$share/g/" + topic;
        var first = client(resuming(id)).subscribe(filter, QOS_2);
        var publisher = client();
        publishesQos2(publisher, topic, "x");
        first.publish("x");
        var second = client().subscribe(filter, QOS_2).subscribe(topic("end"), QOS_2);
        first.close();
        var again = client(resuming(id));
        assertThat(again.publish("x").dup()).isTrue();
        again.close();
        var gone = open();
        gone.send(resuming(id).clean(true));
        assertThat(gone.accepted().sessionPresent()).isFalse();
        nothingBefore(publisher, second, topic("end"), 2);
        publishesQos2(publisher, topic, "y");
        completes(second, "y");
    }

    @Test
    @Mqtt5("MQTT-4.8.2-6")
    void a_message_that_a_member_refuses_is_offered_to_nobody_else() {
        String topic = topic("a");
        String filter = "$share/g/" + topic;
        var first = client().subscribe(filter, QOS_2);
        var publisher = client();
        publishes(publisher, topic, "one");
        publishesQos2(publisher, topic, "two");
        var messages = first.publishes(2);
        var one = messages.get("one");
        var two = messages.get("two");
        var second = client().subscribe(filter, QOS_2).subscribe(topic("end"), QOS_1);
        first.send(ack(PUBACK, one.packetId(), 0x83), ack(PUBREC, two.packetId(), 0x83));
        first.quiet();
        first.disconnect();
        nothingBefore(publisher, second, topic("end"), 1);
    }

    @Test
    @Mqtt5({"MQTT-4.8.2-3", "MQTT-3.3.4-3"})
    void a_shared_message_carries_the_identifier_of_the_receiving_member_only() {
        String topic = topic("a");
        String filter = "$share/g/" + topic;
        client().subscribe(filter, QOS_1, Props.subscriptionId(1)).disconnect();
        var two = client().subscribe(filter, QOS_1, Props.subscriptionId(2));
        publishes(client(), topic, "x");
        assertThat(two.publish("x").properties().subscriptionIds()).containsExactly(2);
    }
}

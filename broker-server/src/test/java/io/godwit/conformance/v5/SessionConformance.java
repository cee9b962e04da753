package io.godwit.conformance.v5;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt5;
import io.godwit.conformance.wire.Props;
import io.godwit.conformance.wire.WireClient;
import org.junit.jupiter.api.Test;

/** Clean Start, session expiry, takeover (3.1.2.4, 3.1.2.11.2, 3.1.4, 4.1). */
class SessionConformance extends Conformance5 {
    @Test
    @Mqtt5({"MQTT-3.1.2-4", "MQTT-3.2.2-2", "MQTT-3.1.4-4"})
    void clean_start_1_throws_the_session_away() {
        String id = id();
        String topic = topic("a");
        client(resuming(id)).subscribe(topic, QOS_1).disconnect();
        assertThat(resume(id).sessionPresentThenDisconnect()).isTrue();
        var clean = open();
        var connect = resuming(id).clean(true);
        assertThat(clean.send(connect).accepted().sessionPresent()).isFalse();
        var publisher = client();
        publishes(publisher, topic, "lost");
        clean.subscribe(topic("other"), QOS_1);
        nothingBefore(publisher, clean, topic("other"), 1);
    }

    @Test
    @Mqtt5({"MQTT-3.1.2-5", "MQTT-3.1.2-23", "MQTT-4.5.0-1"})
    void clean_start_0_continues_the_session() {
        String id = id();
        String topic = topic("a");
        client(resuming(id)).subscribe(topic, QOS_2).disconnect();
        var publisher = client();
        publishes(publisher, topic, "one");
        publishesQos2(publisher, topic, "two");
        var resumed = open();
        assertThat(resumed.send(resuming(id)).accepted().sessionPresent()).isTrue();
        var waited = resumed.publishes(2);
        var one = waited.get("one");
        assertThat(one.qos()).isEqualTo(1);
        assertThat(one.dup()).isFalse();
        resumed.sendAck(PUBACK, one.packetId());
        int two = waited.get("two").packetId();
        resumed.sendAck(PUBREC, two).pubRel(two, 0);
        resumed.sendAck(PUBCOMP, two);
        nothingBefore(publisher, resumed, topic, 1);
    }

    @Test
    @Mqtt5({"MQTT-3.1.2-6", "MQTT-3.2.2-3", "MQTT-3.2.2-1"})
    void session_present_says_whether_there_was_one() {
        String id = id();
        var client = open();
        assertThat(client.send(resuming(id)).connAck().flags()).isZero();
        client.disconnect();
        var again = open();
        assertThat(again.send(resuming(id)).connAck().flags()).isEqualTo(1);
        again.send(disconnect(0, Props.sessionExpiry(0))).closed();
        assertThat(open().send(resuming(id)).connAck().flags()).isZero();
    }

    @Test
    @Mqtt5("MQTT-3.1.3-2")
    void a_session_belongs_to_its_client_identifier_byte_for_byte() {
        String id = id("x");
        client(resuming(id)).disconnect();
        for (String other : new String[] {id("X"), id("x "), id("")}) {
            var client = open();
            assertThat(client.send(resuming(other)).accepted().sessionPresent()).isFalse();
        }
        assertThat(open().send(resuming(id)).accepted().sessionPresent()).isTrue();
    }

    @Test
    @Mqtt5({"MQTT-3.1.4-3", "MQTT-3.14.4-2", "MQTT-3.14.2-2"})
    void a_second_connection_takes_the_session_over() {
        String id = id();
        String topic = topic("a");
        var first = client(resuming(id)).subscribe(topic, QOS_1);
        first.quiet();
        var second = open();
        assertThat(second.send(resuming(id)).accepted().sessionPresent()).isTrue();
        var disconnect = first.disconnected(0x8E);
        assertThat(disconnect.properties().has(0x11)).isFalse();
        publishes(client(), topic, "for the second");
        second.publish("for the second");
    }

    @Test
    @Mqtt5("MQTT-4.1.0-1")
    void a_session_does_not_expire_while_it_is_connected() {
        String id = id();
        String topic = topic("a");
        var expiring = connect(id).clean(false).properties(Props.sessionExpiry(5));
        var client = client(expiring).subscribe(topic, QOS_1);
        elapse(6_300);
        publishes(client(), topic, "x");
        int packetId = client.publish("x").packetId();
        client.sendAck(PUBACK, packetId).quiet();
        client.close();
        assertThat(open().send(resuming(id)).accepted().sessionPresent()).isTrue();
    }

    @Test
    @Mqtt5("MQTT-4.1.0-2")
    void a_session_ends_when_its_expiry_interval_is_over() {
        String id = id();
        String topic = topic("a");
        var expiring = connect(id).clean(false).properties(Props.sessionExpiry(5));
        client(expiring).subscribe(topic, QOS_1).disconnect();
        var present = open();
        assertThat(present.send(expiring).accepted().sessionPresent()).isTrue();
        present.disconnect();
        elapse(6_300);
        var late = open();
        assertThat(late.send(resuming(id)).accepted().sessionPresent()).isFalse();
        var publisher = client();
        publishes(publisher, topic, "not for it");
        late.subscribe(topic("b"), QOS_1);
        nothingBefore(publisher, late, topic("b"), 1);
    }

    @Test
    @Mqtt5({"MQTT-4.1.0-2", "MQTT-3.1.2-23"})
    void disconnect_may_change_the_expiry_and_without_one_the_session_ends_at_once() {
        String id = id();
        var client = client(resuming(id));
        client.send(disconnect(0, Props.sessionExpiry(5))).closed();
        var again = open();
        assertThat(again.send(resuming(id)).accepted().sessionPresent()).isTrue();
        again.send(disconnect(0, Props.sessionExpiry(5))).closed();
        elapse(6_300);
        assertThat(open().send(connect(id).clean(false)).accepted().sessionPresent()).isFalse();
        assertThat(open().send(resuming(id)).accepted().sessionPresent()).isFalse();
    }

    private Resumed resume(String id) {
        var client = open();
        return new Resumed(client, client.send(resuming(id)).accepted().sessionPresent());
    }

    private record Resumed(WireClient client, boolean sessionPresent) {
        boolean sessionPresentThenDisconnect() {
            client.disconnect();
            return sessionPresent;
        }
    }
}

package io.godwit.conformance.v311;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.conformance.Mqtt311;
import org.junit.jupiter.api.Test;

/** Sessions, wills, keep alive, DISCONNECT, PINGREQ (3.1.2, 3.1.4, 3.12, 3.14, 4.1). */
class Session311 extends Conformance311 {
    @Test
    @Mqtt311({"MQTT-3.1.2-4", "MQTT-3.1.2-5", "MQTT-3.2.2-2"})
    void clean_session_0_continues_and_collects_while_away() {
        String id = id();
        String topic = topic("a");
        client(resuming(id)).subscribe(topic, 2).disconnect();
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
        resumed.sendAck(PUBREC, two).pubRel(two);
        resumed.sendAck(PUBCOMP, two);
        nothingBefore(publisher, resumed, topic, 1);
    }

    @Test
    @Mqtt311({"MQTT-3.1.2-6", "MQTT-3.2.2-1", "MQTT-3.1.4-3"})
    void clean_session_1_drops_the_old_session_and_keeps_none() {
        String id = id();
        String topic = topic("a");
        client(resuming(id)).subscribe(topic, 1).disconnect();
        var kept = open();
        assertThat(kept.send(resuming(id)).accepted().sessionPresent()).isTrue();
        kept.disconnect();
        var clean = open();
        assertThat(clean.send(connect(id)).accepted().sessionPresent()).isFalse();
        clean.subscribe(topic("b"), 1).disconnect();
        var publisher = client();
        publishes(publisher, topic, "lost");
        publishes(publisher, topic("b"), "lost");
        var again = open();
        assertThat(again.send(resuming(id)).accepted().sessionPresent()).isFalse();
        again.subscribe(topic("c"), 1);
        nothingBefore(publisher, again, topic("c"), 1);
    }

    @Test
    @Mqtt311({"MQTT-3.1.2-7", "MQTT-3.3.1-8"})
    void retained_messages_outlive_the_session_that_published_them() {
        String topic = topic("a");
        var publisher = client();
        retains(publisher, topic, "kept");
        publisher.disconnect();
        assertThat(subscriber(topic, 1).publish("kept").retain()).isTrue();
    }

    @Test
    @Mqtt311({"MQTT-3.1.3-2", "MQTT-3.2.2-3"})
    void a_session_belongs_to_its_client_identifier() {
        String id = id("x");
        var first = open();
        assertThat(first.send(resuming(id)).accepted().sessionPresent()).isFalse();
        first.disconnect();
        for (String other : new String[] {id("X"), id("x "), id("")}) {
            assertThat(open().send(resuming(other)).accepted().sessionPresent()).isFalse();
        }
        assertThat(open().send(resuming(id)).accepted().sessionPresent()).isTrue();
    }

    @Test
    @Mqtt311("MQTT-3.1.4-2")
    void a_second_connection_ends_the_first() {
        String id = id();
        String topic = topic("a");
        var first = client(resuming(id)).subscribe(topic, 1);
        first.quiet();
        var second = open();
        assertThat(second.send(resuming(id)).accepted().sessionPresent()).isTrue();
        first.closed();
        publishes(client(), topic, "for the second");
        second.publish("for the second");
    }

    @Test
    @Mqtt311({"MQTT-4.1.0-1", "MQTT-4.1.0-2", "MQTT-4.5.0-1"})
    void a_session_has_its_state_for_as_long_as_it_lasts() {
        String id = id();
        String topic = topic("a");
        var client = client(resuming(id)).subscribe(topic, 1);
        var publisher = client();
        publishes(publisher, topic, "connected");
        int packetId = client.publish("connected").packetId();
        client.disconnect();
        publishes(publisher, topic, "away");
        var again = open();
        assertThat(again.send(resuming(id)).accepted().sessionPresent()).isTrue();
        var both = again.publishes(2);
        assertThat(both.get("connected").packetId()).isEqualTo(packetId);
        assertThat(both.get("connected").dup()).isTrue();
        assertThat(both.get("away").dup()).isFalse();
    }

    @Test
    @Mqtt311({"MQTT-3.1.2-8", "MQTT-3.1.2-10"})
    void a_will_is_published_once_when_the_connection_breaks() {
        String id = id();
        String topic = topic("will");
        var subscriber = subscriber(topic, 1);
        client(resuming(id).will(topic, "once").willQos(1)).close();
        assertThat(subscriber.publish("once").topic()).isEqualTo(topic);
        client(resuming(id)).close();
        assertThat(open().send(resuming(id)).accepted().sessionPresent()).isTrue();
        nothingBefore(client(), subscriber, topic, 0);
    }

    @Test
    @Mqtt311({"MQTT-3.14.4-3", "MQTT-3.1.2-10", "MQTT-3.1.2-12"})
    void disconnect_deletes_the_will_and_without_will_flag_there_is_none() {
        String topic = topic("will");
        var subscriber = subscriber(topic, 1);
        client(connect().will(topic, "deleted")).disconnect();
        client(connect()).close();
        client(connect().will(topic, "published")).close();
        subscriber.publish("published");
        nothingBefore(client(), subscriber, topic, 1);
    }

    @Test
    @Mqtt311("MQTT-3.1.2-16")
    void a_will_without_will_retain_is_not_retained() {
        String topic = topic("will");
        var subscriber = subscriber(topic, 1);
        client(connect().will(topic, "gone")).close();
        assertThat(subscriber.publish("gone").retain()).isFalse();
        nothingBefore(client(), subscriber(topic, 1), topic, 1);
    }

    @Test
    @Mqtt311("MQTT-3.1.2-17")
    void a_will_with_will_retain_is_retained() {
        String topic = topic("will");
        var subscriber = subscriber(topic, 1);
        client(connect().will(topic, "gone").willQos(1).willRetain()).close();
        assertThat(subscriber.publish("gone").retain()).isFalse();
        assertThat(subscriber(topic, 1).publish("gone").retain()).isTrue();
    }

    @Test
    @Mqtt311("MQTT-3.1.2-24")
    void a_client_that_is_silent_for_one_and_a_half_keep_alives_is_cut_off() {
        String topic = topic("will");
        var subscriber = subscriber(topic, 1);
        long start = System.nanoTime();
        var client = client(connect().keepAlive(1).will(topic, "silent"));
        client.closed();
        assertThat(System.nanoTime() - start).isGreaterThan(1_000_000_000L);
        subscriber.publish("silent");
    }

    @Test
    @Mqtt311({"MQTT-3.1.2-23", "MQTT-3.12.4-1"})
    void pings_are_answered_and_keep_a_connection_alive() {
        var silent = client(connect().keepAlive(4));
        var pinging = client(connect().keepAlive(4));
        for (int i = 0; i < 7; i++) {
            elapse(1_000);
            pinging.quiet();
        }
        silent.closed();
        pinging.quiet();
    }

    @Test
    @Mqtt311("MQTT-3.12.4-1")
    void each_ping_is_answered_and_one_with_flags_ends_the_connection() {
        var client = client();
        client.send("c0 00 c0 00");
        client.pong();
        client.pong();
        client.send("c1 00").closed();
    }

    @Test
    @Mqtt311("MQTT-3.14.1-1")
    void disconnect_has_its_flags_and_a_bad_one_leaves_the_will_alone() {
        String topic = topic("will");
        var subscriber = subscriber(topic, 0);
        client(connect().will(topic, "deleted")).disconnect();
        client(connect().will(topic, "published")).send("e1 00").closed();
        subscriber.publish("published");
    }

    @Test
    @Mqtt311("MQTT-3.14.4-2")
    void packets_behind_a_disconnect_have_no_effect() {
        String topic = topic("a");
        var subscriber = subscriber(topic, 0);
        byte[] before = publish(topic).payload("before").bytes();
        byte[] behind = publish(topic).payload("behind").bytes();
        client().send(before, new byte[] {(byte) 0xE0, 0}, behind).closed();
        subscriber.publish("before");
        nothingBefore(client(), subscriber, topic, 0);
    }
}

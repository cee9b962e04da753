package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.OverloadSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whom publishers wait for while there is memory enough: who is behind, and takes enough. */
class SubscribersBehindTest extends BehindFixture {
    // ---------------------------------------------------------------- who takes enough

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "0, 2", "1, 2"})
    void a_publisher_waits_for_one_that_takes_enough_and_nothing_is_discarded(int shard, int qos) {
        Taker slow = new Taker(1, "slow", qos, "t");
        Feeder feeder = feeder(shard, qos, "t");
        for (int i = 0; i < 1_000 && slow.taken < 500; i++) {
            feeder.publish(500);
            slow.take(1);
            node.tick(100);
        }
        assertThat(slow.client.payloads()).hasSize(500).isEqualTo(feeder.sent);
        assertThat(dropped()).isZero();
    }

    @Test
    void it_waits_from_half_of_what_may_wait_and_goes_on_at_once_when_some_of_it_is_gone() {
        Taker slow = new Taker(1, "slow", 1, "t");
        Feeder feeder = feeder(0, 1, "t");
        feeder.publish(500);
        assertThat(feeder.client.isRead()).isFalse();
        assertThat(node.queuedMessages()).isBetween(MAY_WAIT / 2L + 1, MAY_WAIT / 2L + 2);
        slow.take((int) node.queuedMessages() - MAY_WAIT * 7 / 16 - 1);
        assertThat(feeder.client.isRead()).isFalse();
        slow.take(1);
        assertThat(feeder.client.isRead()).isTrue();
    }

    @Test
    void it_waits_for_bytes_as_for_messages() {
        TestNode node =
                new TestNode(
                        2,
                        Limits.with(limits -> limits.queueBytes = 64 << 10),
                        OverloadSettings.DEFAULTS);
        TestClient slow = node.client(1, "slow", 0, 1);
        slow.subscribe(1, 1, "t");
        TestClient feeder = node.client(0, "feeder");
        node.settle();
        for (int i = 1; i < 100 && feeder.isRead(); i++) {
            feeder.publish("t", 1, i, false, new byte[4_000]);
            node.settle();
        }
        assertThat(feeder.isRead()).isFalse();
        assertThat(node.queuedBytes()).isBetween(32L << 10, 44L << 10);
        for (int i = 1; i <= 5; i++) {
            slow.ack(PacketType.PUBACK, i);
        }
        node.settle();
        assertThat(feeder.isRead()).isTrue();
    }

    @Test
    void nobody_waits_who_publishes_to_others_or_at_qos_0() {
        new Taker(1, "slow", 1, "t");
        Taker patient = new Taker(1, "patient", 1, "u");
        feeder(0, 1, "t").publish(500);
        TestClient other = node.client(0, "other");
        TestClient quick = node.client(0, "quick");
        for (int i = 1; i <= 20; i++) {
            other.publish("u", 1, i, "o" + i);
            quick.publish("t", 0, 0, "q" + i);
            node.settle();
            patient.take(1);
        }
        assertThat(other.isRead()).isTrue();
        assertThat(quick.isRead()).isTrue();
        assertThat(patient.client.payloads()).hasSize(20);
    }

    /** A slow one does not set the pace for others, and loses what is too much for it. */
    @ParameterizedTest
    @ValueSource(strings = {"t", "#", "$share/group/t"})
    void nobody_waits_if_another_gets_the_same_who_is_not_behind(String filter) {
        Taker slow = new Taker(1, "slow", 1, "t");
        Taker quick = new Taker(0, "quick", 1, filter);
        Feeder feeder = feeder(0, 1, "t");
        for (int i = 0; i < 500; i++) {
            feeder.publish(i);
            quick.take(1);
            assertThat(feeder.client.isRead()).isTrue();
        }
        assertThat(quick.client.payloads()).isEqualTo(feeder.sent);
        assertThat(dropped()).isPositive();
        assertThat(slow.client.isClosed()).isFalse();
    }

    @Test
    void a_publisher_waits_if_all_are_behind() {
        Taker slow = new Taker(1, "slow", 1, "t");
        Taker other = new Taker(0, "other", 1, "#");
        Feeder feeder = feeder(0, 1, "t");
        for (int i = 0; i < 1_000 && slow.taken < 500; i++) {
            feeder.publish(500);
            slow.take(1);
            other.take(1);
            node.tick(100);
        }
        assertThat(slow.client.payloads()).hasSize(500).isEqualTo(feeder.sent);
        assertThat(other.client.payloads()).isEqualTo(feeder.sent);
        assertThat(dropped()).isZero();
    }

    @Test
    void one_that_leaves_is_not_waited_for() {
        Taker slow = new Taker(1, "slow", 1, "t");
        Feeder feeder = feeder(0, 1, "t");
        feeder.publish(500);
        assertThat(feeder.client.isRead()).isFalse();
        slow.client.cut();
        node.settle();
        node.tick(100);
        node.tick(100);
        assertThat(feeder.client.isRead()).isTrue();
        assertThat(node.context.load().countBehind()).isZero();
    }

    @Test
    void a_durable_session_is_not_waited_for() {
        TestClient durable = node.client(1, "durable", 3_600, 1);
        durable.subscribe(1, 1, "t");
        node.settle();
        Feeder feeder = feeder(0, 1, "t");
        feeder.publish(500);
        assertThat(feeder.sent).hasSize(500);
        assertThat(dropped()).isZero();
    }

    // ---------------------------------------------------------------- who also receives

    /** Its acknowledgements are read, and what it publishes is parked, but never refused. */
    @ParameterizedTest
    @ValueSource(strings = {"MQTT_3_1_1", "MQTT_5"})
    void who_also_receives_is_parked_and_goes_on_when_no_more_can_be(ProtocolVersion version) {
        Taker stuck = new Taker(1, "stuck", 1, "t");
        TestClient both = node.open(0, version);
        both.connect("both", true, 0, 100);
        both.subscribe(1, 1, "to/both");
        TestClient sender = node.client(1, "sender");
        node.settle();
        sender.publish("to/both", 1, 1, "first");
        node.settle();
        for (int i = 1; i <= MAY_WAIT / 2 + 3; i++) {
            both.publish("t", 1, i, "x");
            node.settle();
        }
        int before = both.acks(PacketType.PUBACK).size();
        both.publish("t", 1, 901, false, new byte[PARKED / 2]);
        node.settle();
        assertThat(both.isRead()).isTrue();
        assertThat(both.acks(PacketType.PUBACK)).as("it is parked").hasSize(before);
        both.publish("t", 1, 902, false, new byte[PARKED]);
        both.publish("t", 1, 903, false, new byte[1]);
        node.settle();
        both.ack(PacketType.PUBACK, 1);
        node.settle();
        node.tick(100);
        assertThat(both.isClosed()).isFalse();
        assertThat(both.acks(PacketType.PUBACK)).contains(901, 902);
        seconds(3);
        assertThat(both.acks(PacketType.PUBACK)).endsWith(901, 902, 903);
        assertThat(node.count(Metric.REFUSED_ALARM)).isZero();
        assertThat(node.parkedBytes()).isZero();
        assertThat(stuck.client.isClosed()).isFalse();
    }
}

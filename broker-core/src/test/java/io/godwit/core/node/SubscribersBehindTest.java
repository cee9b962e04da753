package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.OverloadSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whom publishers wait for while there is memory enough: who is behind, and takes enough. */
class SubscribersBehindTest {
    /** Messages that may wait for one subscriber. */
    private static final int MAY_WAIT = 64;

    /** Messages that a publisher sends before it waits for acknowledgements. */
    private static final int WINDOW = 8;

    private static final int PARKED = 2_000;
    private static final int STUCK_MS = 2_000;

    private final TestNode node =
            new TestNode(
                    2,
                    Limits.with(limits -> limits.queueMessages = MAY_WAIT),
                    new OverloadSettings(
                            200,
                            1 << 20,
                            1 << 18,
                            50_000,
                            512L << 20,
                            PARKED,
                            1_000,
                            256L << 20,
                            STUCK_MS));

    /** A client that publishes to some topics in turn while it is read, within its window. */
    private final class Feeder {
        final TestClient client;
        final int qos;
        final String[] topics;
        final List<String> sent = new ArrayList<>();
        private int handled;
        private int acknowledged;

        Feeder(TestClient client, int qos, String... topics) {
            this.client = client;
            this.qos = qos;
            this.topics = topics;
        }

        void publish(int most) {
            read();
            while (client.isRead() && sent.size() < most && sent.size() - acknowledged < WINDOW) {
                String text = "m" + sent.size();
                client.publish(
                        topics[sent.size() % topics.length], qos, 1 + sent.size() % 1_000, text);
                sent.add(text);
                node.settle();
                read();
            }
        }

        private void read() {
            List<Packet> packets = client.packets();
            for (; handled < packets.size(); handled++) {
                if (packets.get(handled) instanceof Packet.Ack ack) {
                    assertThat(ack.reason()).isEqualTo(ReasonCode.SUCCESS);
                    if (ack.type() == PacketType.PUBREC) {
                        client.ack(PacketType.PUBREL, ack.packetId());
                    } else {
                        acknowledged++;
                    }
                }
            }
        }
    }

    /** What a subscriber has taken so far. */
    private final class Taker {
        final TestClient client;
        private int handled;
        private int taken;

        Taker(int shard, String id, int qos, String... filters) {
            this(node.client(shard, id, 0, 1));
            client.subscribe(1, qos, filters);
            node.settle();
        }

        Taker(TestClient client) {
            this.client = client;
        }

        /** Acknowledges so many, as far as they have come. */
        void take(int messages) {
            int most = taken + messages;
            boolean goesOn = true;
            while (goesOn) {
                List<Packet> packets = client.packets();
                goesOn = handled < packets.size() && taken < most;
                for (; handled < packets.size() && taken < most; handled++) {
                    take(packets.get(handled));
                }
                node.settle();
            }
        }

        private void take(Packet packet) {
            if (packet instanceof Packet.Publish publish && publish.qos() > 0) {
                boolean is1 = publish.qos() == 1;
                client.ack(is1 ? PacketType.PUBACK : PacketType.PUBREC, publish.packetId());
                taken++;
            } else if (packet instanceof Packet.Ack ack && ack.type() == PacketType.PUBREL) {
                client.ack(PacketType.PUBCOMP, ack.packetId());
            }
        }
    }

    private Feeder feeder(int shard, int qos, String... topics) {
        return new Feeder(node.client(shard, "feeder"), qos, topics);
    }

    private long dropped() {
        return node.count(Metric.DROPPED_QUEUE_FULL);
    }

    private void seconds(int count) {
        for (int i = 0; i < count * 10; i++) {
            node.tick(100);
        }
    }

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

    // ---------------------------------------------------------------- who takes too little

    @Test
    void who_takes_nothing_is_waited_for_stuck_time_and_is_not_disconnected() {
        Taker stuck = new Taker(1, "stuck", 1, "t");
        Feeder feeder = feeder(0, 1, "t");
        feeder.publish(500);
        seconds(1);
        assertThat(feeder.client.isRead()).isFalse();
        seconds(1);
        node.tick(100);
        assertThat(feeder.client.isRead()).isTrue();
        for (int i = 0; i < 600; i++) {
            feeder.publish(500);
            node.tick(100);
        }
        assertThat(feeder.sent).hasSize(500);
        assertThat(feeder.acknowledged).isEqualTo(500);
        assertThat(node.queuedMessages()).isEqualTo(MAY_WAIT);
        assertThat(dropped()).isEqualTo(500 - MAY_WAIT - 1);
        assertThat(stuck.client.isClosed()).isFalse();
        assertThat(node.count(Metric.SUBSCRIBERS_BEHIND)).isEqualTo(1);
        assertThat(node.count(Metric.SUBSCRIBERS_TOO_SLOW)).isEqualTo(1);
        assertThat(node.context.load().countBehind()).isZero();
    }

    /** It is so even if they are fed one after the other by the one who publishes to all. */
    @Test
    void five_that_take_nothing_are_waited_for_five_times_as_long_at_most() {
        List<Taker> stuck =
                IntStream.range(0, 5).mapToObj(i -> new Taker(i % 2, "s" + i, 1, "t" + i)).toList();
        Taker other = new Taker(0, "other", 1, "u");
        TestClient feeder = node.client(0, "feeder");
        int ticks = 0;
        for (int topic = 0; topic < 5; topic++) {
            for (int i = 1; i <= 2 * MAY_WAIT; i++) {
                for (; !feeder.isRead(); ticks++) {
                    node.tick(100);
                }
                feeder.publish("t" + topic, 1, i, "x");
                node.settle();
            }
        }
        feeder.publish("u", 1, 1, "y");
        node.settle();
        other.take(1);
        assertThat(other.taken).isEqualTo(1);
        assertThat(ticks).isBetween(5 * 15, 5 * 21);
        assertThat(stuck).noneMatch(each -> each.client.isClosed());
    }

    /** Nobody waits for it once more when memory gets short: it is disconnected. */
    @Test
    void who_takes_nothing_is_disconnected_as_soon_as_it_makes_memory_short() {
        TestNode small =
                new TestNode(
                        2,
                        Limits.with(limits -> limits.queueBytes = 80_000),
                        new OverloadSettings(
                                200,
                                1 << 20,
                                1 << 18,
                                50_000,
                                100_000,
                                PARKED,
                                1_000,
                                256L << 20,
                                10_000));
        TestClient stuck = small.client(1, "stuck", 0, 1);
        stuck.subscribe(1, 1, "t");
        TestClient feeder = small.client(0, "feeder");
        small.settle();
        int stopped = 0;
        for (int tick = 0; tick < 300 && !stuck.isClosed(); tick++) {
            for (int i = 0; i < 3 && feeder.isRead(); i++) {
                feeder.publish("t", 1, 1 + i, false, new byte[4_000]);
                small.settle();
            }
            stopped += feeder.isRead() ? 0 : 1;
            small.tick(100);
        }
        assertThat(small.count(Metric.CLOSED_STUCK)).isEqualTo(1);
        assertThat(stopped).as("ticks").isBetween(95, 125);
        assertThat(small.count(Metric.DROPPED_QUEUE_FULL)).isZero();
    }

    @Test
    void who_takes_one_in_ten_seconds_holds_up_who_publishes_to_it_and_others_once() {
        TestNode many = new TestNode(2, LimitSettings.DEFAULTS, OverloadSettings.DEFAULTS);
        TestClient slow = many.client(1, "slow", 0, 1);
        slow.subscribe(1, 1, "t");
        TestClient quick = many.client(1, "quick", 0, 0);
        quick.subscribe(1, 0, "u");
        TestClient feeder = many.client(0, "feeder");
        many.settle();
        int sent = 0;
        int toQuick = 0;
        int stopped = 0;
        for (int tick = 0; tick < 1_200; tick++) { // two minutes
            for (int i = 0; i < 100 && feeder.isRead(); i++) {
                boolean isToQuick = i % 10 == 0;
                feeder.publish(isToQuick ? "u" : "t", 1, 1 + sent++ % 1_000, "x");
                toQuick += isToQuick ? 1 : 0;
                many.settle();
            }
            stopped += feeder.isRead() ? 0 : 1;
            if (tick % 100 == 99) {
                slow.ack(PacketType.PUBACK, 1 + tick / 100);
                quick.send(Packet.PingReq.INSTANCE);
            }
            many.settle();
            many.tick(100);
        }
        assertThat(stopped).as("ticks").isBetween(90, 105);
        assertThat(many.count(Metric.SUBSCRIBERS_TOO_SLOW)).isEqualTo(1);
        assertThat(quick.payloads()).hasSize(toQuick);
    }

    @Test
    void who_takes_enough_again_is_waited_for_again() {
        Taker slow = new Taker(1, "slow", 1, "t");
        Feeder feeder = feeder(0, 1, "t");
        for (int i = 0; i < 50; i++) {
            feeder.publish(1_000);
            node.tick(100);
        }
        long before = dropped();
        assertThat(before).isPositive();
        for (int i = 0; i < 10; i++) {
            slow.take(1);
            node.tick(100);
        }
        assertThat(node.context.load().countBehind()).isEqualTo(1);
        for (int i = 0; i < 100; i++) {
            feeder.publish(1_000);
            slow.take(1);
            node.tick(100);
        }
        assertThat(dropped()).isEqualTo(before);
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

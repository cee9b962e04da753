package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.OverloadSettings;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How long publishers wait for a subscriber that is behind and takes too little, or nothing. */
class TooSlowSubscribersTest extends BehindFixture {
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
}

package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.index.IndexProbe;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.Limits;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.PacketLimits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Work for thousands is done in slices: nobody else waits for all of it, and order is kept. */
class FanOutTest {
    private static final int SUBSCRIBERS = 15_000;

    /**
     * Limits that allow so many filters in one SUBSCRIBE that only slices keep the work from
     * holding up others.
     */
    private static final PacketLimits MANY_FILTERS =
            new PacketLimits(64 << 10, 1_000, 1_000_000, 300_000);

    private static final LimitSettings LIMITS =
            Limits.with(l -> {
                l.subscriptionsPerClient = 200_000;
                l.retainedBytes = 1L << 30;
                l.packets = MANY_FILTERS;
            });

    private static final int SLICE = OverloadSettings.DEFAULTS.sliceSteps();

    private static TestNode node(int shards) {
        return new TestNode(shards, LIMITS, OverloadSettings.DEFAULTS);
    }

    private static List<TestClient> subscribers(TestNode node, int qos) {
        List<TestClient> all = new ArrayList<>();
        for (int i = 0; i < SUBSCRIBERS; i++) {
            all.add(node.subscriber(i % node.shards.length, "s" + i, qos, "t"));
        }
        return all;
    }

    /**
     * Steps the shards to the end. @return the most PUBLISHes that one step of a shard has written
     */
    private static long settle(TestNode node, Runnable betweenSteps) {
        long most = 0;
        boolean busy = true;
        while (busy) {
            busy = false;
            for (StepLoop loop : node.loops) {
                long before = node.count(Metric.PUBLISH_SENT);
                busy |= loop.step();
                most = Math.max(most, node.count(Metric.PUBLISH_SENT) - before);
            }
            betweenSteps.run();
        }
        return most;
    }

    /** The kernel copies what is flushed. */
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void largeMessagesToManyGoInSlicesOfSomeBytes(int shards) {
        TestNode node = node(shards);
        List<TestClient> subscribers = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            subscribers.add(node.subscriber(i % shards, "s" + i, 0, "t"));
        }
        TestClient publisher = node.client(0, "p");
        publisher.publish("t", 0, 0, false, new byte[20_000]);
        assertThat(node.count(Metric.PUBLISH_SENT)).isLessThan(15);
        long most = settle(node, () -> {});
        assertThat(most).isBetween(5L, 15L);
        for (TestClient each : subscribers) {
            assertThat(each.count(PacketType.PUBLISH)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"1,1,false", "2,0,false", "2,1,false", "1,0,true", "2,1,true"})
    void aPublishToThousandsIsSlicedAndTheNextOnesFollowInOrder(
            int shards, int qos, boolean retain) {
        TestNode node = node(shards);
        List<TestClient> subscribers = subscribers(node, qos);
        TestClient own = node.subscriber(shards - 1, "own", 0, "u");
        TestClient publisher = node.client(shards - 1, "p");
        TestClient other = node.client(shards - 1, "o");
        TestClient otherSubscriber = node.subscriber(shards - 1, "os", 0, "o");

        byte[] first = "1".getBytes(StandardCharsets.UTF_8);
        publisher.publish("t", qos, qos, retain, first);
        publisher.publish("u", qos, qos * 2, "2");
        publisher.publish("t", qos, qos * 3, "3");
        publisher.publish("u", qos, qos * 4, "4");
        assertThat(node.count(Metric.PUBLISH_SENT)).isLessThanOrEqualTo(SLICE);
        int[] rounds = {0};
        int[] served = {0};
        long most =
                settle(
                        node,
                        () -> {
                            if (rounds[0]++ < 4) {
                                other.publish("o", 0, 0, "between");
                                node.loops[shards - 1].step();
                                served[0] = otherSubscriber.payloads().size();
                            }
                        });
        assertThat(served[0]).as("others are served between the slices").isEqualTo(4);
        assertThat(most).isLessThanOrEqualTo(2L * SLICE + 10);
        for (TestClient subscriber : subscribers) {
            assertThat(subscriber.payloads()).containsExactly("1", "3");
        }
        assertThat(own.payloads()).containsExactly("2", "4");
        assertThat(publisher.acks(PacketType.PUBACK))
                .isEqualTo(qos == 0 ? List.of() : List.of(1, 2, 3, 4));
    }

    @ParameterizedTest
    @CsvSource({"1,0,false", "2,1,false", "2,1,true"})
    void aPublishToThousandsOfGroupsIsSliced(int shards, int qos, boolean retain) {
        int groups = 3 * SLICE;
        TestNode node = node(shards);
        TestClient member = node.client(0, "m");
        String[] filters = new String[groups];
        for (int i = 0; i < groups; i++) {
            filters[i] = "$share/g" + i + "/t";
        }
        member.subscribe(1, 0, filters);
        node.settle();
        TestClient own = node.subscriber(0, "own", 0, "t");
        TestClient publisher = node.client(shards - 1, "p");
        byte[] payload = "1".getBytes(StandardCharsets.UTF_8);
        publisher.publish("t", qos, qos, retain, payload);
        publisher.publish("t", qos, qos * 2, "2");
        assertThat(node.count(Metric.PUBLISH_SENT)).isLessThanOrEqualTo(SLICE);
        assertThat(settle(node, () -> {})).isLessThanOrEqualTo(2L * SLICE + 10);
        assertThat(node.count(Metric.PUBLISH_SENT)).isEqualTo(2L * (groups + 1));
        assertThat(own.payloads()).containsExactly("1", "2");
        List<String> expected = new ArrayList<>(Collections.nCopies(groups, "1"));
        expected.addAll(Collections.nCopies(groups, "2"));
        assertThat(member.payloads()).isEqualTo(expected);
        assertThat(publisher.acks(PacketType.PUBACK))
                .isEqualTo(qos == 0 ? List.of() : List.of(1, 2));
    }

    @Test
    void oneReadFullOfFanOutsDoesNotTakeOneTurn() {
        TestNode node = node(1);
        for (int i = 0; i < 1_000; i++) {
            node.subscriber(0, "s" + i, 0, "t");
        }
        TestClient last = node.subscriber(0, "last", 0, "t");
        TestClient publisher = node.client(0, "p");
        ByteBuf read = Unpooled.buffer();
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            sent.add("%03d".formatted(i));
            byte[] payload = sent.get(i).getBytes(StandardCharsets.UTF_8);
            read.writeBytes(
                    publisher.encode(
                            new Packet.Publish(
                                    Topic.of("t"), 0, false, false, 0, Properties.NONE, payload)));
        }
        publisher.bytes(read);
        assertThat(node.count(Metric.PUBLISH_SENT)).isBetween(1_001L, 12L * SLICE);
        assertThat(settle(node, () -> {})).isBetween(1_001L, 12L * SLICE);
        assertThat(last.payloads()).isEqualTo(sent);
        assertThat(node.count(Metric.PUBLISH_SENT)).isEqualTo(200 * 1_001);
    }

    @Test
    void oneReadFullOfTopicsThatMatchThousandsOfFiltersDoesNotTakeOneTurn() {
        TestNode node = node(1);
        TestClient subscriber = node.client(0, "s");
        for (int i = 0; i < 1 << 11; i++) {
            StringBuilder filter = new StringBuilder();
            for (int bit = 0; bit < 11; bit++) {
                filter.append((i >> bit & 1) == 0 ? "+/" : "x/");
            }
            subscriber.subscribe(1, 0, filter + "+");
        }
        TestClient publisher = node.client(0, "p");
        int messages = 200;
        int inTurn = SLICE * 10 / (1 << 12) + 1;
        ByteBuf burst = Unpooled.buffer();
        for (int i = 0; i < messages; i++) {
            burst.writeBytes(
                    publisher.encode(
                            new Packet.Publish(
                                    Topic.of("x/".repeat(11) + i),
                                    0,
                                    false,
                                    false,
                                    0,
                                    Properties.NONE,
                                    new byte[] {(byte) i})));
        }
        publisher.bytes(burst);
        assertThat(node.count(Metric.PUBLISH_SENT)).isBetween(1L, (long) inTurn);
        assertThat(settle(node, () -> {})).isLessThanOrEqualTo(inTurn);
        assertThat(subscriber.count(PacketType.PUBLISH)).isEqualTo(messages);
        assertThat(subscriber.payloads().getLast())
                .isEqualTo(new String(new byte[] {(byte) (messages - 1)}, StandardCharsets.UTF_8));
    }

    @Test
    void manyLargeRetainedPublishesShareASlice() {
        TestNode node = node(2);
        for (int i = 0; i < 1_500; i++) {
            node.subscriber(0, "s" + i, 0, "t");
        }
        TestClient publisher = node.client(1, "p");
        for (int i = 0; i < 50; i++) {
            publisher.publish("t", 0, 0, true, new byte[] {1});
        }
        node.loops[1].endTurn();
        long most = settle(node, () -> {});
        assertThat(node.count(Metric.PUBLISH_SENT)).isEqualTo(75_000);
        assertThat(most).isLessThanOrEqualTo(2L * SLICE);
    }

    @ParameterizedTest
    @CsvSource({"0", "1"})
    void aSessionWithThousandsOfSubscriptionsEndsInSlices(int shard) {
        TestNode node = node(2);
        TestClient client = node.client(shard, "s");
        int count = 100_000;
        for (int i = 0; i < count; ) {
            List<Packet.Subscription> filters = new ArrayList<>();
            for (int j = 0; j < 5_000; j++) {
                filters.add(
                        new Packet.Subscription(TopicFilter.of("t/" + i++), 0, false, false, 0));
            }
            client.send(new Packet.Subscribe(1 + i / 5_000, filters, Properties.NONE));
        }
        assertThat(node.context.index().size()).isLessThanOrEqualTo(IndexProbe.slice());
        assertThat(mostChange(node)).isLessThanOrEqualTo(3L * IndexProbe.slice());
        assertThat(client.count(PacketType.SUBACK)).isEqualTo(20);
        assertThat(node.context.index().size()).isEqualTo(count);
        assertThat(node.shards[shard].load().subscriptions()).isEqualTo(count);

        client.send(new Packet.Disconnect(ReasonCode.SUCCESS, Properties.NONE));
        client.cut();
        assertThat(node.context.index().size()).isGreaterThan(count - 1_000);
        TestClient again = node.client(shard, "s");
        again.subscribe(1, 0, "t/5");
        assertThat(mostChange(node)).isLessThanOrEqualTo(3L * IndexProbe.slice());
        assertThat(node.context.index().size()).isEqualTo(1);
        assertThat(again.count(PacketType.SUBACK)).isEqualTo(1);
    }

    private static long mostChange(TestNode node) {
        long most = 0;
        boolean busy = true;
        while (busy) {
            busy = false;
            for (StepLoop loop : node.loops) {
                long before = node.context.index().size();
                busy |= loop.step();
                most = Math.max(most, Math.abs(node.context.index().size() - before));
            }
        }
        return most;
    }

    @Test
    void subscribeAndUnsubscribeKeepTheirOrderWhileTheIndexIsBehind() {
        TestNode node = node(2);
        TestClient large = node.client(0, "large");
        List<Packet.Subscription> filters = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            filters.add(new Packet.Subscription(TopicFilter.of("f/" + i), 0, false, false, 0));
        }
        for (int shard = 0; shard < 2; shard++) {
            TestClient client = node.client(shard, "c" + shard);
            large.send(new Packet.Subscribe(1, filters, Properties.NONE));
            client.subscribe(1, 0, "t" + shard);
            client.send(
                    new Packet.Unsubscribe(
                            2, List.of(TopicFilter.of("t" + shard)), Properties.NONE));
            client.subscribe(3, 0, "t" + shard, "v");
            client.send(new Packet.Unsubscribe(4, List.of(TopicFilter.of("v")), Properties.NONE));
            node.settle();
            assertThat(client.count(PacketType.SUBACK)).isEqualTo(2);
            assertThat(client.count(PacketType.UNSUBACK)).isEqualTo(2);
            TestClient publisher = node.client(1, "p");
            publisher.publish("t" + shard, 0, 0, "x");
            publisher.publish("v", 0, 0, "y");
            node.settle();
            assertThat(client.payloads()).containsExactly("x");
        }
    }

    @ParameterizedTest
    @CsvSource({"0", "1"})
    void aReplayOfManyRetainedMessagesWaitsForItsReader(int qos) {
        TestNode node = node(2);
        TestClient publisher = node.client(1, "p");
        int count = 100_000;
        for (int i = 0; i < count; i++) {
            publisher.publish("r/" + i, qos, qos * (1 + i % 1_000), true, new byte[100]);
            if (i % 500 == 0) {
                node.settle();
            }
        }
        node.settle();
        TestClient subscriber = node.client(1, "s");
        subscriber.wire.block();
        subscriber.subscribe(1, qos, "r/#");
        node.settle();
        long bytes = node.queuedBytes() + node.shards[1].load().queues().inFlightBytes();
        assertThat(bytes + subscriber.wire.pendingBytes()).isLessThan(2L << 20);
        assertThat(node.queuedMessages()).isLessThanOrEqualTo(300);
        int got = 0;
        long messagesMost = 0;
        while (got < count) {
            subscriber.wire.take(1_000_000);
            node.settle();
            messagesMost = Math.max(messagesMost, node.queuedMessages());
            int now = subscriber.payloads().size();
            if (qos == 1) {
                for (Packet.Publish publish : publishes(subscriber).subList(got, now)) {
                    subscriber.ack(PacketType.PUBACK, publish.packetId());
                }
                node.settle();
            }
            assertThat(now).as("goes on").isGreaterThan(got);
            got = now;
        }
        assertThat(messagesMost).isLessThanOrEqualTo(300);
        assertThat(got).isEqualTo(count);
        assertThat(node.count(Metric.DROPPED_QOS0_SLOW)).isZero();
        assertThat(node.queuedBytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,0", "0,1", "1,1"})
    void manyReplaysOfOneSessionTakeTurns(int shard, int qos) {
        LimitSettings limits =
                Limits.with(l -> {
                    l.queueMessages = 1_000;
                    l.queueBytes = 1 << 20;
                    l.retainedBytes = 1L << 30;
                    l.packets = MANY_FILTERS;
                });
        TestNode node =
                new TestNode(
                        2,
                        limits,
                        new OverloadSettings(50, 10_000, 2_000, 50_000, 1L << 30, 1 << 20, 1_000));
        TestClient publisher = node.client(1, "p");
        for (int i = 0; i < 10_000; i++) {
            int packetId = qos * (1 + i % 1_000);
            publisher.publish("r" + i % 100 + "/" + i, qos, packetId, true, new byte[20]);
            if (i % 500 == 0) {
                node.settle();
            }
        }
        node.settle();
        TestClient subscriber = node.client(shard, "s");
        subscriber.wire.block();
        List<Packet.Subscription> filters = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            String filter = "r" + i + "/#";
            filters.add(new Packet.Subscription(TopicFilter.of(filter), qos, false, false, 0));
        }
        for (int i = 1; i <= 3; i++) {
            subscriber.send(new Packet.Subscribe(i, filters, Properties.NONE));
        }
        node.settle();
        int got = 0;
        for (int rounds = 0; got < 10_000; rounds++) {
            subscriber.wire.take(20_000);
            node.settle();
            List<Packet.Publish> all = publishes(subscriber);
            for (Packet.Publish publish : all.subList(got, all.size())) {
                if (qos == 1) {
                    subscriber.ack(PacketType.PUBACK, publish.packetId());
                }
            }
            got = all.size();
            node.settle();
            assertThat(rounds).isLessThan(1_000);
        }
        assertThat(node.count(Metric.DROPPED_QOS0_SLOW)).isZero();
        assertThat(node.count(Metric.DROPPED_QUEUE_FULL)).isZero();
        assertThat(node.queuedMessages()).isLessThanOrEqualTo(300);
    }

    private static List<Packet.Publish> publishes(TestClient client) {
        List<Packet.Publish> all = new ArrayList<>();
        for (Packet packet : client.packets()) {
            if (packet instanceof Packet.Publish publish) {
                all.add(publish);
            }
        }
        return all;
    }
}

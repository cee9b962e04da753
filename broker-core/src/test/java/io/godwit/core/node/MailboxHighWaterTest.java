package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Topic;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.OverloadSettings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** overload.mailbox-high-water: publishers wait while a peer shard is behind with its mail. */
class MailboxHighWaterTest {
    private static final int HIGH_WATER = 50;

    private final TestNode node =
            new TestNode(
                    3,
                    LimitSettings.DEFAULTS,
                    new OverloadSettings(0, 1 << 20, 1 << 18, HIGH_WATER, 1L << 30, 1 << 20, 1000));

    private void flood(TestClient publisher, String topic, boolean retain, int count) {
        for (int i = 0; i < count; i++) {
            publisher.publish(
                    topic, 0, 0, retain, "%04d".formatted(i).getBytes(StandardCharsets.UTF_8));
        }
    }

    /** A turn of the publisher's shard, while the others do not come to theirs. */
    private void turn(int shard) {
        node.loops[shard].endTurn();
    }

    @Test
    void publishersAreNotReadWhileAPeerIsBehind() {
        TestClient subscriber = node.subscriber(1, "s", 0, "t");
        TestClient publisher = node.client(0, "p");
        TestClient listener = node.client(0, "l");

        flood(publisher, "t", false, HIGH_WATER);
        turn(0);
        publisher.publish("t", 0, 0, "last but one");
        turn(0);
        assertThat(node.shards[1].mailboxDepth()).isEqualTo(HIGH_WATER + 1);
        assertThat(node.shards[1].mailboxBytes()).isGreaterThan(HIGH_WATER * 100);
        publisher.publish("t", 0, 0, "last");
        turn(0);
        assertThat(publisher.wire.isRead()).isFalse();
        listener.subscribe(1, 0, "x");
        turn(0);
        assertThat(listener.wire.isRead()).as("never published").isTrue();
        assertThat(node.count(Metric.READS_PAUSED)).isEqualTo(1);

        node.settle();
        assertThat(publisher.wire.isRead()).isTrue();
        assertThat(subscriber.payloads()).hasSize(HIGH_WATER + 2).endsWith("last");
        assertThat(node.shards[1].mailboxDepth()).isZero();
        assertThat(node.shards[1].mailboxBytes()).isZero();
    }

    @Test
    void whatWasReadIsAccepted() {
        TestClient subscriber = node.subscriber(1, "s", 0, "t");
        TestClient publisher = node.client(0, "p");
        flood(publisher, "t", false, HIGH_WATER + 1);
        turn(0);
        ByteBuf one = Unpooled.buffer();
        for (int i = 0; i < 500; i++) {
            one.writeBytes(
                    publisher.encode(
                            new Packet.Publish(
                                    Topic.of("t"),
                                    0,
                                    false,
                                    false,
                                    0,
                                    Properties.NONE,
                                    new byte[] {'x'})));
        }
        publisher.bytes(one);
        assertThat(publisher.wire.isRead()).isFalse();
        node.settle();
        assertThat(subscriber.payloads()).hasSize(HIGH_WATER + 501);
        assertThat(publisher.wire.isRead()).isTrue();
    }

    @Test
    void manyPublishersThatWereReadAtOnceDoNotOvershootTogether() {
        TestClient subscriber = node.subscriber(1, "s", 0, "t");
        List<TestClient> publishers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            TestClient publisher = node.client(0, "p" + i);
            publisher.publish("none", 0, 0, "x");
            publishers.add(publisher);
        }
        node.settle();
        flood(publishers.getFirst(), "t", false, HIGH_WATER + 1);
        turn(0);
        // Each was read once more before it could hear that the shard is behind.
        for (TestClient publisher : publishers) {
            ByteBuf read = Unpooled.buffer();
            for (int i = 0; i < 100; i++) {
                read.writeBytes(
                        publisher.encode(
                                new Packet.Publish(
                                        Topic.of("t"),
                                        0,
                                        false,
                                        false,
                                        0,
                                        Properties.NONE,
                                        new byte[] {'y'})));
            }
            publisher.bytes(read);
            assertThat(publisher.wire.isRead()).isFalse();
        }
        turn(0);
        assertThat(node.shards[1].mailboxDepth()).isLessThanOrEqualTo(HIGH_WATER + 1);
        publishers.getLast().cut();
        node.settle();
        node.tick(100);
        assertThat(subscriber.payloads()).hasSize(HIGH_WATER + 1 + 50 * 100);
        assertThat(publishers.getFirst().wire.isRead()).isTrue();
        node.tick(100);
        assertThat(node.shards[0].load().onlineSessions()).isEqualTo(49);
    }

    @Test
    void retainedPublishesCountToo() {
        TestClient publisher = node.client(1, "p");
        flood(publisher, "t", true, HIGH_WATER + 10);
        turn(1);
        publisher.publish("t", 0, 0, true, new byte[] {1});
        turn(1);
        assertThat(publisher.wire.isRead()).isFalse();
        node.settle();
        assertThat(publisher.wire.isRead()).isTrue();
    }

    @Test
    void aMailboxThatDrainedBeforeItWasMarkedPausesNobodyForEver() {
        TestClient publisher = node.client(0, "p");
        publisher.publish("t", 0, 0, "x");
        node.settle();
        // As another thread may see it: the peer handles its mail between the post and the mark.
        node.context.mailboxes().onPosted(1, Long.MAX_VALUE, 0);
        node.shards[0].load().peerBehind(true);
        publisher.publish("t", 0, 0, "x");
        assertThat(publisher.wire.isRead()).isFalse();
        node.settle();
        node.tick(100);
        assertThat(publisher.wire.isRead()).isTrue();
    }

    @Test
    void aPublisherWithoutAMarkInTheMailboxHoldsNobodyElseUp() {
        TestClient quiet = node.client(2, "q");
        TestClient publisher = node.client(0, "p");
        node.subscriber(1, "s", 0, "t");
        quiet.publish("other", 0, 0, "x");
        node.settle();
        flood(publisher, "t", false, HIGH_WATER + 1);
        turn(0);
        quiet.publish("other", 0, 0, "x");
        turn(2);
        assertThat(quiet.wire.isRead()).isTrue();
        node.settle();
    }

    /** A node of which a mailbox may hold a MiB. */
    private static TestNode small() {
        return new TestNode(
                2,
                LimitSettings.DEFAULTS,
                new OverloadSettings(200, 1 << 20, 1 << 18, 50_000, 1 << 24, 1 << 20, 1000));
    }

    @Test
    void largeMessagesCountByTheirBytes() {
        TestNode small = small();
        TestClient subscriber = small.subscriber(1, "s", 0, "t");
        TestClient publisher = small.client(0, "p");
        for (int i = 0; i < 70; i++) {
            publisher.publish("t", 0, 0, false, new byte[20_000]);
            small.loops[0].endTurn();
        }
        publisher.publish("t", 0, 0, "last");
        assertThat(publisher.wire.isRead()).isFalse();
        assertThat(small.shards[1].mailboxBytes()).isBetween(1L << 20, 3L << 19);
        small.settle();
        assertThat(publisher.wire.isRead()).isTrue();
        assertThat(subscriber.payloads()).hasSize(71);
    }

    @Test
    void aFewHoldNobodyUpHoweverLargeTheyAre() {
        TestNode small = small();
        small.subscriber(1, "s", 0, "t");
        TestClient publisher = small.client(0, "p");
        publisher.publish("t", 0, 0, false, new byte[1 << 20]);
        small.loops[0].endTurn();
        publisher.publish("t", 0, 0, false, new byte[1 << 20]);
        small.loops[0].endTurn();
        assertThat(publisher.wire.isRead()).isTrue();
        small.settle();
    }

    @Test
    void aMessageToManyCountsOnceWhateverTheNumberOfMails() {
        TestNode small = small();
        for (int i = 0; i < 400; i++) {
            small.subscriber(i % 2, "s" + i, 0, "t");
        }
        TestClient publisher = small.client(0, "p");
        publisher.publish("t", 0, 0, false, new byte[20_000]);
        for (int i = 0; i < 200; i++) {
            small.loops[0].step();
        }
        assertThat(small.shards[1].mailboxDepth()).isEqualTo(200);
        assertThat(small.shards[1].mailboxBytes()).isBetween(10_000L, 15_000L);
        small.settle();
        assertThat(small.shards[1].mailboxBytes()).isZero();
    }

    @Test
    void soDoesOneThatEachIsAwaitedFor() {
        TestNode small = small();
        for (int i = 0; i < 20; i++) {
            small.client(i % 2, "s" + i, 3_600, 0).subscribe(1, 1, "t");
        }
        TestClient publisher = small.client(0, "p");
        publisher.publish("t", 1, 1, false, new byte[20_000]);
        for (int i = 0; i < 10; i++) {
            small.loops[0].step();
        }
        assertThat(small.shards[1].mailboxDepth()).isEqualTo(10);
        assertThat(small.shards[1].mailboxBytes()).isBetween(10_000L, 15_000L);
        small.settle();
        assertThat(small.shards[1].mailboxBytes()).isZero();
    }
}

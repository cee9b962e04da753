package io.godwit.core.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TestMessage;
import io.godwit.core.routing.TestSession;
import io.godwit.core.settings.SharedStrategy;
import io.godwit.core.store.CommitWaiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What waits for members: kept or not, full, long, and in slices. */
class GroupQueueTest extends GroupOfThree {
    @Nested
    class Given_nobody_online {
        private final TestSession transientOne = new TestSession("t", 9, false);

        @Test
        void messages_are_kept_for_a_durable_member_and_sent_in_order() {
            group.join(a.to("$share/g/t/#", 1), false, 0, 0, Integer.MAX_VALUE, NOW);
            assertThat(group.isDurable()).isTrue();
            assertThat(publish("1", 1)).isTrue();
            assertThat(publish("2", 2)).isTrue();
            assertThat(publish("0", 0)).isFalse();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_QOS0_OFFLINE, List.of("0")));
            group.online(a, 1, 1, Integer.MAX_VALUE, NOW);
            assertThat(sent()).containsExactly("c1=1");
        }

        @Test
        void what_a_member_gave_back_stays_in_memory_while_its_row_may_say_that_it_is_in_flight() {
            keeps = true;
            group.join(a.to("$share/g/t/#", 2), false, 0, 0, Integer.MAX_VALUE, NOW);
            publish("1", 2);
            group.work(NOW);
            group.online(a, 1, 1, Integer.MAX_VALUE, NOW);
            PartEntry one = entry(entryOf("1"));
            assertThat(one.stored()).isEqualTo(QueuedMessage.JOURNALED);
            assertThat(one.stored(QueuedMessage.JOURNALED, QueuedMessage.ROW)).isTrue();
            group.offline(a, NOW);
            group.notAppended(handedOver(one.messageId), NOW);
            sent();
            // It is a row. A page would leave it out until the store has written what was told
            // last.
            one.part.onRows(one.id());
            group.work(NOW);
            assertThat(one.part.inMemory()).isEqualTo(1);
            join(b, 2, 1);
            assertThat(sent()).containsExactly("c2=1");
        }

        @Test
        void nothing_is_kept_for_a_transient_one_or_one_of_qos_0() {
            group.join(transientOne.to("$share/g/t/#", 1), false, 0, 0, Integer.MAX_VALUE, NOW);
            assertThat(group.isDurable()).isFalse();
            assertThat(publish("1", 1)).isFalse();
            group.join(a.to("$share/g/t/#", 0), false, 0, 0, Integer.MAX_VALUE, NOW);
            assertThat(group.isDurable()).isTrue();
            assertThat(publish("2", 1)).isFalse();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_SESSION_GONE, List.of("1", "2")));
            group.leave(a, NOW);
            assertThat(group.isDurable()).isFalse();
        }

        /** It goes on from there: under an id of its own, which somebody says is over. */
        @Test
        void what_an_earlier_group_has_handed_over_goes_back_there_when_nobody_is_left() {
            join(a, 2, 1);
            publish("1", 2);
            PartEntry entry = entry(entryOf("1"));
            SharedGroup later =
                    newGroup("$share/g/t/#", SharedStrategy.ROUND_ROBIN, new SplittableRandom(1));
            later.join(transientOne.to("$share/g/t/#", 1), false, 0, 0, Integer.MAX_VALUE, NOW);
            List<PartEntry> there = new ArrayList<>();
            List<PartEntry> back = new ArrayList<>();
            PassedOn receipt = new PassedOn(entry, 1, there::add, back::add);
            later.publish(entry.content(), receipt, NOW);
            assertThat(there).isEmpty();
            assertThat(back).containsExactly(entry);
            assertThat(discarded).isEmpty();
        }

        /** Its followers confirm nothing, since one of them leads what they have of it. */
        @Test
        void what_comes_again_before_the_queue_is_given_up_goes_back_to_the_node_it_came_from() {
            keeps = true;
            waiters = new ArrayList<>();
            group.join(a.to("$share/g/t/#", 2), false, 0, 0, Integer.MAX_VALUE, NOW);
            Message message = TestMessage.of("t/1", "1", 2, Message.NEVER, null);
            group.publish(message, new Receipt(null, 0, 2), NOW);
            List<String> told = new ArrayList<>();
            Receipt again =
                    new Receipt(null, 0, 2) {
                        @Override
                        public boolean isOfOtherNode() {
                            return true;
                        }

                        @Override
                        public void giveBack(TopicFilter of, int taker) {
                            told.add(of + " is at " + taker);
                        }

                        @Override
                        public void onDone() {
                            told.add("done");
                        }
                    };
            group.publish(message, again, NOW);
            assertThat(told).isEmpty();
            group.giveUpQueues(new NodeRef(9), NOW);
            assertThat(told).containsExactly("$share/g/t/# is at 9", "done");
            waiters.forEach(each -> each.onCommit(true));
            assertThat(told).hasSize(2);
        }

        /** The node that has adopted the queue finds the mark, and asks the member's session. */
        @Test
        void of_a_queue_that_is_given_up_nobody_says_that_a_hand_over_is_over() {
            keeps = true;
            List<CommitWaiter> all = new ArrayList<>();
            waiters = all;
            join(a, 2, 2);
            for (String each : List.of("1", "2")) {
                publish(each, 2);
                all.forEach(waiter -> waiter.onCommit(true));
                all.clear();
            }
            long one = entryOf("1");
            long two = entryOf("2");
            group.appended(handedOver(one), NOW);
            all.forEach(waiter -> waiter.onCommit(true));
            all.clear();
            group.appended(handedOver(two), NOW);
            group.giveUpQueues(new NodeRef(9), NOW);
            all.forEach(waiter -> waiter.onCommit(true));
            assertThat(operations).contains("over " + one).doesNotContain("over " + two);
        }

        @Test
        void a_flood_for_a_member_without_bound_is_sent_in_slices() {
            List<String> delivered = new ArrayList<>();
            GroupFixture fixture =
                    new GroupFixture(10_000) {
                        @Override
                        void onDeliver(Subscription to, int at, long id, Message m, int qos) {
                            delivered.add(TestMessage.text(m));
                        }

                        @Override
                        void onDiscarded(Message m, Metric cause) {
                            throw new AssertionError(cause);
                        }
                    };
            SharedGroup large =
                    fixture.newGroup(
                            "$share/g/t", SharedStrategy.ROUND_ROBIN, new SplittableRandom(1));
            large.join(a.to("$share/g/t", 1), false, 0, 0, Integer.MAX_VALUE, NOW);
            for (int i = 0; i < 2_500; i++) {
                large.publish(TestMessage.of("t", "x", 1, Message.NEVER, null, i), null, NOW);
            }
            large.join(b.to("$share/g/t", 0), true, 0, 1, Integer.MAX_VALUE, NOW);
            assertThat(delivered).hasSize(GroupDelivery.SLICE);
            assertThat(large.needsWork()).isTrue();
            large.work(NOW);
            large.work(NOW);
            assertThat(delivered).hasSize(2_500);
            assertThat(large.needsWork()).isFalse();
            assertThat(large.waitingMessages()).isZero();
        }
    }

    @Nested
    class Given_a_queue_that_is_full_or_long {
        private final TestSession transientOne = new TestSession("t", 9, false);

        @Test
        void a_full_queue_looks_at_its_head_only() {
            group.join(a.to("$share/g/t/#", 1), true, 0, 1, Integer.MAX_VALUE, NOW);
            publish("1", 1);
            publish("t/1", "2", 1, NOW + 1, null);
            publish("3", 1);
            nowMs = NOW + 2;

            assertThat(publish("4", 1)).isFalse();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_GROUP_FULL, List.of("4")));
            group.online(a, 9, 2, Integer.MAX_VALUE, NOW + 2);
            assertThat(sent()).containsExactly("c1=1", "c1=3");
        }

        private SharedGroup longOne(GroupFixture fixture, int messages) {
            fixture.keeps = true;
            SharedGroup made =
                    fixture.newGroup(
                            "$share/g/t", SharedStrategy.ROUND_ROBIN, new SplittableRandom(1));
            made.join(transientOne.to("$share/g/t", 1), true, 0, 1, Integer.MAX_VALUE, NOW);
            for (int i = 0; i < messages; i++) {
                made.publish(TestMessage.of("t", "x", 1, Message.NEVER, null, i), null, NOW);
            }
            return made;
        }

        private GroupFixture quiet() {
            return new GroupFixture(1_000_000) {
                @Override
                void onDeliver(Subscription to, int at, long id, Message m, int qos) {
                    delivered.add(new Delivery("", id, TestMessage.text(m), qos, at));
                }

                @Override
                void onDiscarded(Message m, Metric cause) {
                    throw new AssertionError(cause);
                }
            };
        }

        @Test
        void a_durable_member_that_joins_has_it_kept_in_slices_and_in_order() {
            GroupFixture fixture = quiet();
            SharedGroup large = longOne(fixture, 100_000);
            assertThat(fixture.operations).isEmpty();

            large.join(a.to("$share/g/t", 1), false, 0, 0, Integer.MAX_VALUE, NOW);
            assertThat(fixture.operations).hasSizeLessThanOrEqualTo(GroupQueue.KEEP_SLICE);
            assertThat(large.needsWork()).isTrue();
            List<Boolean> told = new ArrayList<>();
            large.publish(
                    TestMessage.of("t", "late", 1, Message.NEVER, null, 7),
                    new Receipt(null, 1, 1) {
                        @Override
                        protected void onTaken() {
                            told.add(true);
                        }
                    },
                    NOW);
            while (large.needsWork()) {
                assertThat(told).as("its publisher waits").isEmpty();
                int before = fixture.operations.size();
                large.work(NOW);
                assertThat(fixture.operations.size() - before)
                        .isLessThanOrEqualTo(GroupQueue.KEEP_SLICE);
            }
            assertThat(fixture.operations).hasSize(100_001).doesNotHaveDuplicates();
            assertThat(fixture.load.queues().keptMessages()).isEqualTo(100_001);
        }

        @Test
        void what_came_back_from_a_member_is_kept_too() {
            GroupFixture fixture = quiet();
            SharedGroup group = longOne(fixture, 3);
            group.online(transientOne, 2, 2, Integer.MAX_VALUE, NOW);
            assertThat(delivered).hasSize(2);
            group.offline(transientOne, NOW);

            group.join(a.to("$share/g/t", 1), false, 0, 0, Integer.MAX_VALUE, NOW);
            assertThat(fixture.operations).hasSize(3).doesNotHaveDuplicates();
            assertThat(fixture.load.queues().keptMessages()).isEqualTo(3);
            group.online(a, 10, 3, Integer.MAX_VALUE, NOW);
            for (Delivery each : List.copyOf(delivered.subList(2, 5))) {
                group.acked(a, fixture.entry(each.entryId()), NOW);
            }
            assertThat(fixture.load.queues().keptMessages()).isZero();
            assertThat(fixture.load.queues().keptBytes()).isZero();
            assertThat(fixture.load.queues().queuedBytes()).isZero();
        }

        @Test
        void what_comes_back_while_the_rest_is_kept_is_kept_too() {
            GroupFixture fixture = quiet();
            SharedGroup group = longOne(fixture, GroupQueue.KEEP_SLICE + 10);
            group.online(transientOne, 4 * GroupQueue.KEEP_SLICE, 2, Integer.MAX_VALUE, NOW);
            assertThat(group.waitingMessages()).isZero();
            group.join(a.to("$share/g/t", 1), false, 0, 0, Integer.MAX_VALUE, NOW);
            assertThat(fixture.operations).hasSize(GroupQueue.KEEP_SLICE);
            group.offline(transientOne, NOW);
            while (group.needsWork()) {
                group.work(NOW);
            }
            assertThat(fixture.operations)
                    .hasSize(GroupQueue.KEEP_SLICE + 10)
                    .doesNotHaveDuplicates();
            assertThat(fixture.load.queues().keptMessages()).isEqualTo(GroupQueue.KEEP_SLICE + 10);
        }

        @Test
        void what_is_taken_or_looked_past_while_the_rest_is_kept_is_kept_and_counted() {
            GroupFixture fixture = quiet();
            fixture.keeps = true;
            SharedGroup group =
                    fixture.newGroup(
                            "$share/g/t/#", SharedStrategy.HASH_TOPIC, new SplittableRandom(1));
            group.join(transientOne.to("$share/g/t/#", 1), true, 0, 1, Integer.MAX_VALUE, NOW);
            TestSession transientTwo = new TestSession("u", 8, false);
            group.join(transientTwo.to("$share/g/t/#", 1), true, 0, 1, Integer.MAX_VALUE, NOW);
            int messages = 3 * GroupQueue.KEEP_SLICE;
            for (int i = 0; i < messages; i++) {
                String topic = "t/" + i % 50;
                group.publish(TestMessage.of(topic, "x", 1, Message.NEVER, null, i), null, NOW);
            }
            group.join(a.to("$share/g/t/#", 1), false, 0, 0, Integer.MAX_VALUE, NOW);
            assertThat(fixture.operations).hasSize(GroupQueue.KEEP_SLICE);
            // The other one has no credit, so that what is its own is looked past.
            group.online(transientTwo, 2 * messages, 2, Integer.MAX_VALUE, NOW);
            check(fixture, group);
            while (group.needsWork()) {
                group.work(NOW);
                check(fixture, group);
            }
            assertThat(fixture.operations).hasSize(messages).doesNotHaveDuplicates();
            group.online(transientOne, 2 * messages, 2, Integer.MAX_VALUE, NOW);
            assertThat(delivered).hasSize(messages);
            check(fixture, group);
            assertThat(fixture.load.queues().keptMessages()).isZero();
            assertThat(fixture.load.queues().queuedMessages()).isZero();
        }

        @Test
        void what_is_sent_at_once_while_the_rest_is_kept_is_kept_though_nobody_waits_for_it() {
            GroupFixture fixture = quiet();
            SharedGroup group = longOne(fixture, GroupQueue.KEEP_SLICE + 10);
            group.online(transientOne, 4 * GroupQueue.KEEP_SLICE, 2, Integer.MAX_VALUE, NOW);
            group.join(a.to("$share/g/t", 1), false, 0, 0, Integer.MAX_VALUE, NOW);
            assertThat(group.needsWork()).isTrue();
            assertThat(group.waitingMessages()).isZero();
            group.publish(TestMessage.of("t", "new", 1, Message.NEVER, null, 9_999), null, NOW);
            assertThat(group.waitingMessages()).isZero();
            while (group.needsWork()) {
                group.work(NOW);
            }
            assertThat(fixture.operations)
                    .hasSize(GroupQueue.KEEP_SLICE + 11)
                    .doesNotHaveDuplicates();
        }

        private void check(GroupFixture fixture, SharedGroup group) {
            long[] sum = new long[4];
            group.addTo(sum);
            assertThat(fixture.load.queues().queuedMessages()).isEqualTo(sum[0]);
            assertThat(fixture.load.queues().queuedBytes()).isEqualTo(sum[1]);
            assertThat(fixture.load.queues().keptMessages()).isEqualTo(sum[2]);
            assertThat(fixture.load.queues().keptBytes()).isEqualTo(sum[3]);
        }

        @Test
        void what_is_no_longer_durable_leaves_the_store_as_it_is_delivered() {
            GroupFixture fixture = quiet();
            SharedGroup group = longOne(fixture, 3);
            group.join(a.to("$share/g/t", 1), false, 0, 0, Integer.MAX_VALUE, NOW);
            assertThat(fixture.operations).hasSize(3);
            group.gone(a, NOW);
            assertThat(group.isDurable()).isFalse();
            group.publish(TestMessage.of("t", "new", 1, Message.NEVER, null, 9), null, NOW);
            assertThat(fixture.operations).hasSize(3);

            group.online(transientOne, 10, 2, Integer.MAX_VALUE, NOW);
            for (Delivery each : List.copyOf(delivered)) {
                group.acked(transientOne, fixture.entry(each.entryId()), NOW);
            }
            assertThat(delivered).hasSize(4);
            assertThat(fixture.operations).anyMatch(each -> each.startsWith("queue"));
            assertThat(fixture.load.queues().keptMessages()).isZero();
        }
    }
}

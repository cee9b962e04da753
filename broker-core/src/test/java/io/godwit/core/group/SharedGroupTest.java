package io.godwit.core.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TestMessage;
import io.godwit.core.routing.TestSession;
import io.godwit.core.settings.SharedStrategy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class SharedGroupTest extends GroupFixture {
    private static final long NOW = 1_000;

    private record Delivery(String client, long entryId, String payload, int qos, int attachment) {}

    private final List<Delivery> delivered = new ArrayList<>();
    private final Map<Metric, List<String>> discarded = new HashMap<>();
    private final TestSession a = new TestSession(1);
    private final TestSession b = new TestSession(2);
    private final TestSession c = new TestSession(3);
    private SharedGroup group = group(SharedStrategy.ROUND_ROBIN);

    SharedGroupTest() {
        super(3);
    }

    private SharedGroup group(SharedStrategy strategy) {
        return newGroup("$share/g/t/#", strategy, new SplittableRandom(1));
    }

    @Override
    void onDeliver(Subscription to, int attachment, long entryId, Message m, int qos) {
        String client = to.session.clientId().toString();
        delivered.add(new Delivery(client, entryId, TestMessage.text(m), qos, attachment));
    }

    @Override
    void onDiscarded(Message m, Metric cause) {
        discarded.computeIfAbsent(cause, k -> new ArrayList<>()).add(TestMessage.text(m));
    }

    private void acked(TestSession session, long entryId) {
        group.acked(session, entries.get(entryId), NOW);
    }

    private void join(TestSession session, int qos, int credit) {
        group.join(session.to("$share/g/t/#", qos), true, credit, 1, NOW);
    }

    private boolean publish(String payload, int qos) {
        return publish("t/1", payload, qos, Message.NEVER, null);
    }

    private boolean publish(
            String topic, String payload, int qos, long expires, @Nullable ClientId publisher) {
        return group.publish(TestMessage.of(topic, payload, qos, expires, publisher), null, NOW);
    }

    /** What went out since the last call, such as {@code c1=x}. */
    private List<String> sent() {
        List<String> sent = delivered.stream().map(d -> d.client + "=" + d.payload).toList();
        delivered.clear();
        return sent;
    }

    private long entryOf(String payload) {
        return delivered.stream()
                .filter(d -> d.payload.equals(payload))
                .reduce((first, second) -> second)
                .orElseThrow()
                .entryId;
    }

    @Nested
    class Given_three_members_online {
        Given_three_members_online() {
            join(a, 2, 2);
            join(b, 2, 2);
            join(c, 2, 2);
        }

        @Test
        void round_robin_goes_around_and_passes_those_without_credit() {
            for (String p : List.of("1", "2", "3", "4", "5")) {
                publish(p, 1);
            }
            acked(b, entryOf("2"));
            assertThat(sent()).containsExactly("c1=1", "c2=2", "c3=3", "c1=4", "c2=5");

            publish("6", 1);
            publish("7", 1);
            publish("8", 1);
            assertThat(sent()).containsExactly("c3=6", "c2=7");
            assertThat(group.waitingMessages()).isEqualTo(1);
        }

        @Test
        void an_acknowledgement_pulls_the_message_that_waits_longest() {
            for (int i = 1; i <= 8; i++) {
                publish("" + i, 1);
            }
            long third = entryOf("3");
            assertThat(sent()).hasSize(6);
            acked(c, third);
            assertThat(sent()).containsExactly("c3=7");
            acked(c, third); // once more
            assertThat(sent()).isEmpty();
            assertThat(group.waitingMessages()).isEqualTo(1);
            assertThat(group.inFlight()).isEqualTo(6);
        }

        @Test
        void when_the_queue_is_full_then_the_newest_is_discarded_and_counted() {
            for (int i = 1; i <= 9; i++) {
                assertThat(publish("" + i, 1)).isTrue();
            }
            assertThat(publish("10", 2)).isFalse();

            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_GROUP_FULL, List.of("10")));
            assertThat(group.waitingMessages()).isEqualTo(3);
            Message m = TestMessage.of("t/1", "1", 1, Message.NEVER, null);
            assertThat(group.waitingBytes()).isEqualTo(3L * (64 + m.accountedBytes()));
        }

        @Test
        void when_the_queue_is_full_of_expired_ones_then_these_go_first() {
            for (int i = 1; i <= 6; i++) {
                publish("" + i, 1);
            }
            publish("t/1", "7", 1, NOW + 1, null);
            publish("t/1", "8", 1, NOW + 5, null);
            publish("t/1", "9", 1, Message.NEVER, null);
            Message ten = TestMessage.of("t/1", "10", 1, Message.NEVER, null);

            nowMs = NOW + 2;
            assertThat(group.publish(ten, null, NOW + 2)).isTrue();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_EXPIRED, List.of("7")));
            nowMs = NOW + 4;
            group.expire();
            assertThat(group.waitingMessages()).isEqualTo(3);
            nowMs = NOW + 5;
            group.expire();
            assertThat(group.waitingMessages()).isEqualTo(2);
        }

        @Test
        void an_expired_message_that_waited_is_not_sent() {
            for (int i = 1; i <= 6; i++) {
                publish("" + i, 1);
            }
            publish("t/1", "7", 1, NOW + 1, null);
            publish("8", 1);
            long first = entryOf("1");
            sent();
            nowMs = NOW + 1;
            group.acked(a, entries.get(first), NOW + 1);

            assertThat(sent()).containsExactly("c1=8");
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_EXPIRED, List.of("7")));
        }

        @Test
        void qos_0_needs_no_credit_and_no_acknowledgement() {
            for (int i = 1; i <= 6; i++) {
                publish("" + i, 1);
            }
            sent();
            publish("zero", 0);
            assertThat(entryOf("zero")).isEqualTo(0);
            assertThat(sent()).containsExactly("c1=zero");
            assertThat(group.inFlight()).isEqualTo(6);
        }

        @Test
        void what_was_sent_as_qos_1_to_a_lost_member_goes_to_others_in_order() {
            for (int i = 1; i <= 8; i++) {
                publish("" + i, 1);
            }
            long two = entryOf("2");
            long three = entryOf("3");
            sent();
            group.offline(a, NOW); // had 1 and 4
            assertThat(sent()).isEmpty();
            assertThat(group.waitingMessages()).isEqualTo(4);
            acked(b, two);
            acked(c, three);
            assertThat(sent()).containsExactly("c2=1", "c3=4");
            group.online(a, 2, 7, NOW);
            assertThat(delivered).extracting(Delivery::attachment).containsOnly(7);
            assertThat(sent()).containsExactly("c1=7", "c1=8");
        }

        @Test
        void what_was_sent_as_qos_2_waits_for_its_member_and_ends_with_its_session() {
            publish("1", 2);
            long one = entryOf("1");
            mark(group, a, entries.get(one), 1);
            sent();
            group.offline(a, NOW);
            assertThat(sent()).isEmpty();
            assertThat(group.inFlight()).isEqualTo(1);
            group.online(a, 1, 2, NOW);
            assertThat(sent()).isEmpty();
            acked(a, one);
            assertThat(group.inFlight()).isZero();

            publish("2", 2);
            publish("3", 2);
            publish("4", 2);
            mark(group, a, entries.get(entryOf("4")), 2);
            assertThat(sent()).containsExactly("c2=2", "c3=3", "c1=4");
            group.offline(a, NOW);
            group.gone(a, NOW);
            assertThat(sent()).isEmpty();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_SESSION_GONE, List.of("4")));
            assertThat(group.members()).isEqualTo(2);
        }

        @Test
        void when_a_session_is_gone_at_once_then_its_qos_1_messages_go_to_others() {
            publish("1", 1);
            sent();
            group.gone(a, NOW);
            assertThat(sent()).containsExactly("c2=1");
            assertThat(discarded).isEmpty();
        }

        @Test
        void what_was_on_its_way_at_qos_2_to_a_lost_member_goes_to_others() {
            publish("1", 2);
            sent();
            group.offline(a, NOW);
            assertThat(sent()).containsExactly("c2=1");
        }

        @Test
        void a_message_that_a_member_could_not_send_goes_to_another_as_qos_2_too() {
            publish("1", 2);
            PartEntry one = entries.get(entryOf("1"));
            mark(group, a, one, 1);
            group.offline(a, NOW);
            sent();
            group.ends(a, one, false, NOW);
            assertThat(sent()).containsExactly("c2=1");
            group.ends(a, one, false, NOW);
            assertThat(sent()).isEmpty();
        }

        @Test
        void who_unsubscribes_gets_no_more_but_completes_what_is_in_flight() {
            publish("1", 1);
            long one = entryOf("1");
            group.leave(a, NOW);
            for (int i = 2; i <= 6; i++) {
                publish("" + i, 1);
            }
            assertThat(sent()).containsExactly("c1=1", "c2=2", "c3=3", "c2=4", "c3=5");
            assertThat(group.inFlight()).isEqualTo(5);
            acked(a, one);
            assertThat(group.inFlight()).isEqualTo(4);
            assertThat(sent()).isEmpty();
            assertThat(group.members()).isEqualTo(2);
        }

        @Test
        void when_one_that_left_loses_its_connection_then_the_others_get_its_messages() {
            publish("1", 1);
            group.leave(a, NOW);
            sent();
            group.offline(a, NOW);
            assertThat(sent()).containsExactly("c2=1");
        }

        @Test
        void who_left_and_subscribes_again_is_a_member_again() {
            publish("1", 1);
            group.leave(a, NOW);
            sent();
            group.join(a.to("$share/g/t/#", 1), true, 1, 1, NOW);
            publish("2", 1);
            publish("3", 1);
            publish("4", 1);
            assertThat(sent()).contains("c1=4");
            assertThat(group.members()).isEqualTo(3);
        }

        @Test
        void who_subscribes_again_does_not_get_again_what_is_in_flight() {
            publish("1", 1);
            assertThat(sent()).containsExactly("c1=1");
            group.join(a.to("$share/g/t/#", 1), false, 0, 0, NOW);
            group.online(a, 2, 1, NOW);
            assertThat(sent()).isEmpty();
            group.leave(a, NOW);
            group.join(a.to("$share/g/t/#", 1), false, 0, 0, NOW);
            group.online(a, 2, 1, NOW);
            assertThat(sent()).isEmpty();
            for (int i = 2; i <= 8; i++) {
                publish("" + i, 1);
            }
            assertThat(sent()).filteredOn(each -> each.startsWith("c1=")).hasSize(1);
        }

        @Test
        void when_all_have_left_then_the_group_is_empty_and_what_waited_is_counted() {
            for (int i = 1; i <= 8; i++) {
                publish("" + i, 1);
            }
            group.leave(a, NOW);
            group.leave(b, NOW);
            assertThat(group.isEmpty()).isFalse();
            group.leave(c, NOW);
            assertThat(group.isEmpty()).isTrue();
            assertThat(group.waitingMessages()).isZero();
            assertThat(group.inFlight()).isZero();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_SESSION_GONE, List.of("7", "8")));
        }

        @Test
        void when_the_last_session_is_gone_then_what_it_had_is_counted() {
            group.leave(b, NOW);
            group.leave(c, NOW);
            publish("1", 1);
            publish("2", 2);
            publish("3", 1);
            group.gone(a, NOW);
            assertThat(group.isEmpty()).isTrue();
            assertThat(discarded.get(Metric.DROPPED_SESSION_GONE))
                    .containsExactlyInAnyOrder("1", "2", "3");
        }

        @Test
        void an_expired_message_is_not_taken() {
            assertThat(publish("t/1", "1", 1, NOW, null)).isFalse();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_EXPIRED, List.of("1")));
        }
    }

    @Nested
    class Given_members_of_different_qos {
        @Test
        void each_gets_the_lower_of_both() {
            join(a, 0, 1);
            join(b, 1, 9);
            join(c, 2, 9);
            for (int i = 0; i < 3; i++) {
                publish("x", 2);
            }
            for (int i = 0; i < 3; i++) {
                publish("x", 1);
            }
            assertThat(delivered).extracting(Delivery::qos).containsExactly(0, 1, 2, 0, 1, 1);
            assertThat(group.inFlight()).isEqualTo(4);
            assertThat(delivered.getFirst().entryId).isEqualTo(0);
        }

        @Test
        void what_was_sent_as_qos_1_of_a_qos_2_message_goes_to_another_when_lost() {
            join(a, 1, 1);
            publish("x", 2);
            join(b, 2, 1);
            sent();
            group.offline(a, NOW);
            assertThat(delivered).extracting(Delivery::qos).containsExactly(2);
        }
    }

    @Nested
    class Given_nobody_online {
        private final TestSession transientOne = new TestSession("t", 9, false);

        @Test
        void messages_are_kept_for_a_durable_member_and_sent_in_order() {
            group.join(a.to("$share/g/t/#", 1), false, 0, 0, NOW);
            assertThat(group.isDurable()).isTrue();
            assertThat(publish("1", 1)).isTrue();
            assertThat(publish("2", 2)).isTrue();
            assertThat(publish("0", 0)).isFalse();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_QOS0_OFFLINE, List.of("0")));
            group.online(a, 1, 1, NOW);
            assertThat(sent()).containsExactly("c1=1");
        }

        @Test
        void what_a_member_gave_back_stays_in_memory_while_its_row_may_say_that_it_is_in_flight() {
            keeps = true;
            group.join(a.to("$share/g/t/#", 2), false, 0, 0, NOW);
            publish("1", 2);
            group.work(NOW);
            group.online(a, 1, 1, NOW);
            PartEntry one = entries.get(entryOf("1"));
            mark(group, a, one, 1);
            assertThat(one.stored()).isEqualTo(QueuedMessage.JOURNALED);
            assertThat(one.stored(QueuedMessage.JOURNALED, QueuedMessage.ROW)).isTrue();
            group.offline(a, NOW);
            group.ends(a, one, false, NOW);
            sent();
            // It is a row. A page would leave it out until the store has written what was told
            // last.
            one.part.onRows(one.messageId);
            group.work(NOW);
            assertThat(one.part.inMemory()).isEqualTo(1);
            join(b, 2, 1);
            assertThat(sent()).containsExactly("c2=1");
        }

        @Test
        void nothing_is_kept_for_a_transient_one_or_one_of_qos_0() {
            group.join(transientOne.to("$share/g/t/#", 1), false, 0, 0, NOW);
            assertThat(group.isDurable()).isFalse();
            assertThat(publish("1", 1)).isFalse();
            group.join(a.to("$share/g/t/#", 0), false, 0, 0, NOW);
            assertThat(group.isDurable()).isTrue();
            assertThat(publish("2", 1)).isFalse();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_SESSION_GONE, List.of("1", "2")));
            group.leave(a, NOW);
            assertThat(group.isDurable()).isFalse();
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
            large.join(a.to("$share/g/t", 1), false, 0, 0, NOW);
            for (int i = 0; i < 2_500; i++) {
                large.publish(TestMessage.of("t", "x", 1, Message.NEVER, null, i), null, NOW);
            }
            large.join(b.to("$share/g/t", 0), true, 0, 1, NOW);
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
            group.join(a.to("$share/g/t/#", 1), true, 0, 1, NOW);
            publish("1", 1);
            publish("t/1", "2", 1, NOW + 1, null);
            publish("3", 1);
            nowMs = NOW + 2;

            assertThat(publish("4", 1)).isFalse();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_GROUP_FULL, List.of("4")));
            group.online(a, 9, 2, NOW + 2);
            assertThat(sent()).containsExactly("c1=1", "c1=3");
        }

        private SharedGroup longOne(GroupFixture fixture, int messages) {
            fixture.keeps = true;
            SharedGroup made =
                    fixture.newGroup(
                            "$share/g/t", SharedStrategy.ROUND_ROBIN, new SplittableRandom(1));
            made.join(transientOne.to("$share/g/t", 1), true, 0, 1, NOW);
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

            large.join(a.to("$share/g/t", 1), false, 0, 0, NOW);
            assertThat(fixture.operations).hasSizeLessThanOrEqualTo(GroupQueue.KEEP_SLICE);
            assertThat(large.needsWork()).isTrue();
            List<Boolean> told = new ArrayList<>();
            large.publish(
                    TestMessage.of("t", "late", 1, Message.NEVER, null, 7),
                    new io.godwit.core.ack.Receipt(null, 1, 1) {
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
            assertThat(fixture.load.keptMessages()).isEqualTo(100_001);
        }

        @Test
        void what_is_no_longer_durable_leaves_the_store_as_it_is_delivered() {
            GroupFixture fixture = quiet();
            SharedGroup group = longOne(fixture, 3);
            group.join(a.to("$share/g/t", 1), false, 0, 0, NOW);
            assertThat(fixture.operations).hasSize(3);
            group.gone(a, NOW);
            assertThat(group.isDurable()).isFalse();
            group.publish(TestMessage.of("t", "new", 1, Message.NEVER, null, 9), null, NOW);
            assertThat(fixture.operations).hasSize(3);

            group.online(transientOne, 10, 2, NOW);
            for (Delivery each : List.copyOf(delivered)) {
                group.acked(transientOne, fixture.entries.get(each.entryId), NOW);
            }
            assertThat(delivered).hasSize(4);
            assertThat(fixture.operations).anyMatch(each -> each.startsWith("queue"));
            assertThat(fixture.load.keptMessages()).isZero();
        }
    }

    @Nested
    class Given_another_strategy {
        private void joinAll(SharedStrategy strategy, int credit) {
            group = group(strategy);
            join(a, 2, credit);
            join(b, 2, credit);
            join(c, 2, credit);
        }

        private Map<String, Integer> counts(int messages) {
            Map<String, Integer> counts = new HashMap<>();
            for (int i = 0; i < messages; i++) {
                publish("x", 0);
            }
            delivered.forEach(d -> counts.merge(d.client, 1, Integer::sum));
            delivered.clear();
            return counts;
        }

        @Test
        void random_gives_each_about_the_same() {
            joinAll(SharedStrategy.RANDOM, 1);
            assertThat(counts(3_000).values()).hasSize(3).allMatch(n -> n > 900 && n < 1_100);
            publish("1", 1);
            publish("2", 1);
            publish("3", 1);
            publish("4", 1);
            assertThat(delivered.stream().map(Delivery::client)).containsOnlyOnce("c1", "c2", "c3");
            assertThat(group.waitingMessages()).isEqualTo(1);
        }

        @Test
        void sticky_stays_until_no_credit_is_left_or_the_member_is_gone() {
            joinAll(SharedStrategy.STICKY, 3);
            for (int i = 1; i <= 5; i++) {
                publish("" + i, 1);
            }
            assertThat(sent()).containsExactly("c1=1", "c1=2", "c1=3", "c2=4", "c2=5");
            group.gone(b, NOW);
            assertThat(delivered.stream().map(Delivery::client).distinct()).hasSize(1);
        }

        @Test
        void least_in_flight_takes_the_one_with_the_least_to_do() {
            joinAll(SharedStrategy.LEAST_IN_FLIGHT, 10);
            for (int i = 1; i <= 6; i++) {
                publish("" + i, 1);
            }
            acked(b, entryOf("2"));
            acked(b, entryOf("5"));
            sent();
            publish("7", 1);
            publish("8", 1);
            publish("9", 1);
            assertThat(sent()).startsWith("c2=7", "c2=8").hasSize(3);
        }

        @Test
        void hash_topic_gives_a_topic_to_one_member_and_waits_for_its_credit() {
            joinAll(SharedStrategy.HASH_TOPIC, 1);
            publish("t/x", "1", 1, Message.NEVER, null);
            String owner = delivered.getFirst().client;
            long first = entryOf("1");
            sent();
            publish("t/x", "2", 1, Message.NEVER, null);
            publish("t/x", "3", 1, Message.NEVER, null);
            assertThat(sent()).as("others have credit").isEmpty();
            acked(List.of(a, b, c).get(owner.charAt(1) - '1'), first);
            assertThat(sent()).containsExactly(owner + "=2");
        }

        @Test
        void hash_topic_moves_only_the_topics_of_who_goes_and_gives_them_back() {
            joinAll(SharedStrategy.HASH_TOPIC, 1);
            Map<String, String> before = owners();
            assertThat(before.values()).contains("c1", "c2", "c3");
            group.offline(b, NOW);
            Map<String, String> without = owners();
            before.forEach((topic, owner) -> {
                if (owner.equals("c2")) {
                    assertThat(without.get(topic)).isNotEqualTo("c2");
                } else {
                    assertThat(without.get(topic)).isEqualTo(owner);
                }
            });
            group.online(b, 1, 2, NOW);
            assertThat(owners()).isEqualTo(before);
        }

        private Map<String, String> owners() {
            Map<String, String> owners = new HashMap<>();
            for (int i = 0; i < 200; i++) {
                publish("t/" + i, "x", 0, Message.NEVER, null);
                owners.put("t/" + i, delivered.getFirst().client);
                delivered.clear();
            }
            return owners;
        }

        @Test
        void hash_client_gives_a_publisher_to_one_member() {
            joinAll(SharedStrategy.HASH_CLIENT, 1);
            Map<Integer, String> owners = new HashMap<>();
            for (int i = 0; i < 400; i++) {
                int client = i % 100;
                publish("t/" + i, "x", 0, Message.NEVER, ClientId.of("c" + client));
                String owner = delivered.getFirst().client;
                assertThat(owners.computeIfAbsent(client, k -> owner)).isEqualTo(owner);
                delivered.clear();
            }
            assertThat(owners.values()).contains("c1", "c2", "c3");
            publish("t", "will", 0, Message.NEVER, null);
            assertThat(sent()).hasSize(1);
        }

        @Test
        void a_hash_whose_member_has_no_credit_is_looked_past_within_a_bound() {
            GroupFixture fixture =
                    new GroupFixture(10_000) {
                        @Override
                        void onDeliver(Subscription to, int at, long id, Message m, int qos) {
                            String client = to.session.clientId().toString();
                            delivered.add(new Delivery(client, id, m.topic.toString(), qos, at));
                        }

                        @Override
                        void onDiscarded(Message m, Metric cause) {
                            throw new AssertionError(cause);
                        }
                    };
            SharedGroup many =
                    fixture.newGroup(
                            "$share/g/t/#", SharedStrategy.HASH_TOPIC, new SplittableRandom(1));
            List<TestSession> members = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                members.add(new TestSession("m" + i, i + 1, true));
                many.join(members.get(i).to("$share/g/t/#", 1), false, 0, 0, NOW);
            }
            for (int i = 0; i < 2_000; i++) {
                many.publish(TestMessage.of("t/" + i, "x", 1, Message.NEVER, null, i), null, NOW);
            }
            members.forEach(each -> many.online(each, 1, 1, NOW));
            assertThat(delivered.stream().map(Delivery::client).distinct().count())
                    .as("members that have got something, of 40")
                    .isEqualTo(40);
            Map<String, Integer> lastOf = new HashMap<>();
            while (!delivered.isEmpty()) {
                Delivery next = delivered.removeFirst();
                TestSession to = members.get(Integer.parseInt(next.client.substring(1)));
                int number = Integer.parseInt(next.payload.substring(2));
                lastOf.put(next.payload, number);
                many.acked(to, fixture.entries.get(next.entryId), NOW);
                while (many.needsWork()) {
                    many.work(NOW);
                }
            }
            assertThat(lastOf).hasSize(2_000);
            assertThat(many.waitingMessages()).isZero();
            assertThat(fixture.load.queuedMessages()).isZero();
        }

        @Test
        void what_waited_for_a_hash_owner_that_goes_moves_to_the_next() {
            joinAll(SharedStrategy.HASH_TOPIC, 1);
            publish("t/x", "1", 1, Message.NEVER, null);
            publish("t/x", "2", 1, Message.NEVER, null);
            TestSession owner = List.of(a, b, c).get(delivered.getFirst().client.charAt(1) - '1');
            sent();
            group.offline(owner, NOW);
            assertThat(sent()).hasSize(1).allMatch(s -> s.endsWith("=1"));
            assertThat(group.waitingMessages()).isEqualTo(1);
        }
    }
}

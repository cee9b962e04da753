package io.godwit.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.SharedStrategy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class SharedGroupTest {
    private static final long NOW = 1_000;

    private record Delivery(String client, long entryId, String payload, int qos, int attachment) {}

    private final List<Delivery> delivered = new ArrayList<>();
    private final Map<Metric, List<String>> discarded = new HashMap<>();
    private final TestSession a = new TestSession(1);
    private final TestSession b = new TestSession(2);
    private final TestSession c = new TestSession(3);
    private SharedGroup group = group(SharedStrategy.ROUND_ROBIN);

    private SharedGroup group(SharedStrategy strategy) {
        return new SharedGroup(
                TopicFilter.of("$share/g/t/#"),
                0,
                strategy,
                3,
                new SplittableRandom(1),
                new SharedGroup.Effects() {
                    @Override
                    public void deliver(
                            SharedGroup from,
                            Subscription to,
                            int at,
                            long id,
                            int server,
                            Message m,
                            int qos) {
                        String client = to.session.clientId().toString();
                        delivered.add(new Delivery(client, id, TestMessage.text(m), qos, at));
                    }

                    @Override
                    public void discarded(Message m, Metric cause) {
                        discarded
                                .computeIfAbsent(cause, k -> new ArrayList<>())
                                .add(TestMessage.text(m));
                    }
                },
                GroupStore.NONE);
    }

    private void join(TestSession session, int qos, int credit) {
        group.join(session.to("$share/g/t/#", qos), true, credit, 1, NOW);
    }

    private boolean publish(String payload, int qos) {
        return publish("t/1", payload, qos, Message.NEVER, null);
    }

    private boolean publish(
            String topic, String payload, int qos, long expires, @Nullable ClientId publisher) {
        return group.publish(TestMessage.of(topic, payload, qos, expires, publisher), NOW);
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
            group.acked(b, entryOf("2"), NOW);
            assertThat(sent()).containsExactly("c1=1", "c2=2", "c3=3", "c1=4", "c2=5");

            publish("6", 1);
            publish("7", 1);
            publish("8", 1);
            assertThat(sent()).containsExactly("c3=6", "c2=7");
            assertThat(group.waiting()).isEqualTo(1);
        }

        @Test
        void an_acknowledgement_pulls_the_message_that_waits_longest() {
            for (int i = 1; i <= 8; i++) {
                publish("" + i, 1);
            }
            long third = entryOf("3");
            assertThat(sent()).hasSize(6);
            group.acked(c, third, NOW);
            assertThat(sent()).containsExactly("c3=7");
            group.acked(c, third, NOW); // once more
            group.acked(a, 99, NOW);
            assertThat(sent()).isEmpty();
            assertThat(group.waiting()).isEqualTo(1);
            assertThat(group.inFlight()).isEqualTo(6);
        }

        @Test
        void when_the_queue_is_full_then_the_newest_is_discarded_and_counted() {
            for (int i = 1; i <= 9; i++) {
                assertThat(publish("" + i, 1)).isTrue();
            }
            assertThat(publish("10", 2)).isFalse();

            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_GROUP_FULL, List.of("10")));
            assertThat(group.waiting()).isEqualTo(3);
            Message m = TestMessage.of("t/1", "1", 1, Message.NEVER, null);
            assertThat(group.waitingBytes()).isEqualTo(3L * m.accountedBytes());
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

            assertThat(group.publish(ten, NOW + 2)).isTrue();
            assertThat(discarded).isEqualTo(Map.of(Metric.DROPPED_EXPIRED, List.of("7")));
            group.expire(NOW + 4);
            assertThat(group.waiting()).isEqualTo(3);
            group.expire(NOW + 5);
            assertThat(group.waiting()).isEqualTo(2);
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
            group.acked(a, first, NOW + 1);

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
            assertThat(entryOf("zero")).isEqualTo(SharedGroup.NO_ENTRY);
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
            assertThat(group.waiting()).isEqualTo(4);
            group.acked(b, two, NOW);
            group.acked(c, three, NOW);
            assertThat(sent()).containsExactly("c2=1", "c3=4");
            group.online(a, 2, 7, NOW);
            assertThat(delivered).extracting(Delivery::attachment).containsOnly(7);
            assertThat(sent()).containsExactly("c1=7", "c1=8");
        }

        @Test
        void what_was_sent_as_qos_2_waits_for_its_member_and_ends_with_its_session() {
            publish("1", 2);
            long one = entryOf("1");
            sent();
            group.offline(a, NOW);
            assertThat(sent()).isEmpty();
            assertThat(group.inFlight()).isEqualTo(1);
            group.online(a, 1, 2, NOW);
            assertThat(sent()).isEmpty();
            group.acked(a, one, NOW);
            assertThat(group.inFlight()).isZero();

            publish("2", 2);
            publish("3", 2);
            publish("4", 2);
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
        void a_message_that_a_member_could_not_send_goes_to_another_as_qos_2_too() {
            publish("1", 2);
            long one = entryOf("1");
            group.offline(a, NOW);
            sent();
            group.returned(a, one, NOW);
            assertThat(sent()).containsExactly("c2=1");
            group.returned(a, one, NOW);
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
            group.acked(a, one, NOW);
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
            assertThat(group.waiting()).isZero();
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
        void more_credit_lets_waiting_messages_go() {
            for (int i = 1; i <= 8; i++) {
                publish("" + i, 1);
            }
            sent();
            group.grant(b, 5, NOW);
            assertThat(sent()).containsExactly("c2=7", "c2=8");
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
            assertThat(delivered.getFirst().entryId).isEqualTo(SharedGroup.NO_ENTRY);
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
            SharedGroup large =
                    new SharedGroup(
                            TopicFilter.of("$share/g/t"),
                            0,
                            SharedStrategy.ROUND_ROBIN,
                            10_000,
                            new SplittableRandom(1),
                            new SharedGroup.Effects() {
                                @Override
                                public void deliver(
                                        SharedGroup from,
                                        Subscription to,
                                        int at,
                                        long id,
                                        int server,
                                        Message m,
                                        int qos) {
                                    delivered.add(new Delivery("a", id, "", qos, at));
                                }

                                @Override
                                public void discarded(Message m, Metric cause) {
                                    throw new AssertionError(cause);
                                }
                            },
                            GroupStore.NONE);
            large.join(a.to("$share/g/t", 1), false, 0, 0, NOW);
            for (int i = 0; i < 2_500; i++) {
                large.publish(TestMessage.of("t", "x", 1, Message.NEVER, null), NOW);
            }
            large.join(b.to("$share/g/t", 0), true, 0, 1, NOW);
            assertThat(delivered).hasSize(SharedGroup.SLICE);
            assertThat(large.needsDrain()).isTrue();
            large.drain(NOW);
            large.drain(NOW);
            assertThat(delivered).hasSize(2_500);
            assertThat(large.needsDrain()).isFalse();
            assertThat(large.waiting()).isZero();
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
            assertThat(group.waiting()).isEqualTo(1);
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
            group.acked(b, entryOf("2"), NOW);
            group.acked(b, entryOf("5"), NOW);
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
            group.acked(List.of(a, b, c).get(owner.charAt(1) - '1'), first, NOW);
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
        void what_waited_for_a_hash_owner_that_goes_moves_to_the_next() {
            joinAll(SharedStrategy.HASH_TOPIC, 1);
            publish("t/x", "1", 1, Message.NEVER, null);
            publish("t/x", "2", 1, Message.NEVER, null);
            TestSession owner = List.of(a, b, c).get(delivered.getFirst().client.charAt(1) - '1');
            sent();
            group.offline(owner, NOW);
            assertThat(sent()).hasSize(1).allMatch(s -> s.endsWith("=1"));
            assertThat(group.waiting()).isEqualTo(1);
        }
    }
}

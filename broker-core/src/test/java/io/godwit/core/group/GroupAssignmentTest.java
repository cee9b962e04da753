package io.godwit.core.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TestMessage;
import io.godwit.core.routing.TestSession;
import io.godwit.core.settings.SharedStrategy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The strategies: who gets a message. */
class GroupAssignmentTest extends GroupOfThree {
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
        delivered.forEach(d -> counts.merge(d.client(), 1, Integer::sum));
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
        String owner = delivered.getFirst().client();
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
        group.online(b, 1, 2, Integer.MAX_VALUE, NOW);
        assertThat(owners()).isEqualTo(before);
    }

    private Map<String, String> owners() {
        Map<String, String> owners = new HashMap<>();
        for (int i = 0; i < 200; i++) {
            publish("t/" + i, "x", 0, Message.NEVER, null);
            owners.put("t/" + i, delivered.getFirst().client());
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
            String owner = delivered.getFirst().client();
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
            many.join(members.get(i).to("$share/g/t/#", 1), false, 0, 0, Integer.MAX_VALUE, NOW);
        }
        for (int i = 0; i < 2_000; i++) {
            many.publish(TestMessage.of("t/" + i, "x", 1, Message.NEVER, null, i), null, NOW);
        }
        members.forEach(each -> many.online(each, 1, 1, Integer.MAX_VALUE, NOW));
        assertThat(delivered.stream().map(Delivery::client).distinct().count())
                .as("members that have got something, of 40")
                .isEqualTo(40);
        Map<String, Integer> lastOf = new HashMap<>();
        while (!delivered.isEmpty()) {
            Delivery next = delivered.removeFirst();
            TestSession to = members.get(Integer.parseInt(next.client().substring(1)));
            int number = Integer.parseInt(next.payload().substring(2));
            lastOf.put(next.payload(), number);
            many.acked(to, fixture.entry(next.entryId()), NOW);
            while (many.needsWork()) {
                many.work(NOW);
            }
        }
        assertThat(lastOf).hasSize(2_000);
        assertThat(many.waitingMessages()).isZero();
        assertThat(fixture.load.queues().queuedMessages()).isZero();
    }

    @Test
    void what_waited_for_a_hash_owner_that_goes_moves_to_the_next() {
        joinAll(SharedStrategy.HASH_TOPIC, 1);
        publish("t/x", "1", 1, Message.NEVER, null);
        publish("t/x", "2", 1, Message.NEVER, null);
        TestSession owner = List.of(a, b, c).get(delivered.getFirst().client().charAt(1) - '1');
        sent();
        group.offline(owner, NOW);
        assertThat(sent()).hasSize(1).allMatch(s -> s.endsWith("=1"));
        assertThat(group.waitingMessages()).isEqualTo(1);
    }
}

package io.godwit.cluster.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Slow subscribers of another node slow their publishers down as those of the same node do, and
 * nobody else.
 */
class FullSubscriberTest extends FloodFixture {
    private static final long MEMORY = 4 << 20;

    /** Their queues together are more than what makes memory short, and less than the alarm. */
    private static final int PAIRS = 7;

    FullSubscriberTest() {
        super(MEMORY, MEMORY / 4); // Memory is short before half of that waits for each.
    }

    /** Publishers at one node, whose subscribers at the other acknowledge nothing yet. */
    private List<Client> publishers(int qos) {
        return IntStream.range(0, PAIRS)
                .mapToObj(i -> new Client(ingress(), "publisher" + i, "t/" + i, qos))
                .toList();
    }

    private List<Client> subscribers(int qos) {
        return IntStream.range(0, PAIRS)
                .mapToObj(i -> new Client(leader(), "slow" + i, "", qos).subscribes("t/" + i))
                .toList();
    }

    private void flood(List<Client> clients, int rounds, int most) {
        for (int round = 0; round < rounds; round++) {
            for (Client each : clients) {
                each.publish(most);
            }
            nodes.settle();
            clients.forEach(each -> each.read(0));
            nodes.pass(100);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void publishers_of_another_node_wait_and_nothing_is_discarded(int qos) {
        List<Client> subscribers = subscribers(qos);
        List<Client> publishers = publishers(qos);
        Client patient = new Client(leader(), "patient", "", 1).subscribes("u");
        Client other = new Client(ingress(), "other", "u", 1);
        flood(publishers, 40, 400);
        assertThat(publishers).noneMatch(each -> each.connection.isRead());
        assertThat(dropped()).isZero();

        other.publish(5);
        for (int i = 0; i < 5; i++) {
            nodes.settle();
            patient.read(2);
        }
        assertThat(patient.seen).as("of who publishes to others").isEqualTo(all("u", 5));

        for (int i = 0; i < 1_000 && subscribers.stream().anyMatch(s -> s.seen.size() < 400); i++) {
            publishers.forEach(each -> each.publish(400));
            nodes.settle();
            publishers.forEach(each -> each.read(0));
            subscribers.forEach(each -> each.read(2));
            nodes.settle();
            nodes.pass(100);
        }
        for (int i = 0; i < PAIRS; i++) {
            assertThat(subscribers.get(i).seen).isEqualTo(all("t/" + i, 400));
            assertThat(publishers.get(i).acknowledged).isEqualTo(400);
        }
        assertThat(dropped()).isZero();
    }

    @Test
    void a_subscriber_that_never_reads_is_disconnected_and_its_publisher_goes_on() {
        List<Client> subscribers = subscribers(1);
        List<Client> publishers = publishers(1);
        flood(publishers, 40, 400);
        assertThat(publishers).noneMatch(each -> each.connection.isRead());
        nodes.pass(20_000);
        assertThat(subscribers).anyMatch(each -> each.connection.isClosed());
        flood(publishers, 200, 400);
        nodes.pass(20_000);
        flood(publishers, 200, 400);
        assertThat(publishers).allMatch(each -> each.acknowledged == 400);
    }

    /** Each waits for the other's node, and what it has to acknowledge still gets through. */
    @Test
    void clients_that_publish_and_subscribe_at_two_full_nodes_finish() {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 2 * PAIRS; i++) {
            LoopNodes.One at = i % 2 == 0 ? ingress() : leader();
            clients.add(new Client(at, "both" + i, "t/" + i, 1).subscribes("t/" + (i ^ 1)));
        }
        flood(clients, 40, 400);
        assertThat(dropped()).isZero();
        for (int i = 0; i < 1_000 && clients.stream().anyMatch(s -> s.seen.size() < 400); i++) {
            clients.forEach(each -> each.publish(400));
            nodes.settle();
            clients.forEach(each -> each.read(2));
            nodes.settle();
            nodes.pass(100);
        }
        for (int i = 0; i < 2 * PAIRS; i++) {
            assertThat(clients.get(i).seen).isEqualTo(all("t/" + (i ^ 1), 400));
        }
        assertThat(dropped()).isZero();
    }

    @Test
    void nobody_waits_for_a_subscriber_of_whom_nothing_is_heard() {
        subscribers(1);
        List<Client> publishers = publishers(1);
        flood(publishers, 40, 400);
        assertThat(publishers).noneMatch(each -> each.connection.isRead());
        nodes.cut(ingress(), leader());
        nodes.settle();
        nodes.pass(100);
        assertThat(publishers).allMatch(each -> each.connection.isRead());
        nodes.link(ingress(), leader());
        flood(publishers, 2, 400);
        assertThat(publishers).noneMatch(each -> each.connection.isRead());
        assertThat(dropped()).isZero();
    }
}

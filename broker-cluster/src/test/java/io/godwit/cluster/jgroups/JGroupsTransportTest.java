package io.godwit.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.Discovery;
import io.godwit.cluster.membership.Refusal;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.TransportFailure;
import io.godwit.loopback.FreePorts;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two and three nodes in one process, over real JGroups on loopback. */
@Tag("alone")
class JGroupsTransportTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final List<TestNode> nodes = new ArrayList<>();

    @AfterEach
    void leave() {
        nodes.forEach(TestNode::close);
    }

    private TestNode begin(TestNode.Plan plan) throws TransportFailure {
        TestNode node = plan.begin();
        nodes.add(node);
        return node;
    }

    private static void awaitLive(int count, TestNode... among) {
        for (TestNode each : among) {
            TestNode.await(count + " live nodes", SOON, () -> each.live() == count);
        }
    }

    @Test
    void nodes_join_talk_and_leave_in_order() throws Exception {
        List<Integer> ports = FreePorts.next(3);
        TestNode first = begin(TestNode.plan(1, ports));
        TestNode second = begin(TestNode.plan(2, ports));
        TestNode third = begin(TestNode.plan(3, ports));
        awaitLive(3, first, second, third);

        for (int i = 0; i < 500; i++) {
            assertThat(first.say(3, "text " + i)).isTrue();
        }
        assertThat(first.say(3, "x".repeat(300_000))).isTrue();
        TestNode.await("every text", SOON, () -> third.bytesHeard.get() > 300_000);
        assertThat(third.heard).hasSize(500).first().isEqualTo("text 0");
        assertThat(third.heard).last().isEqualTo("text 499");
        assertThat(second.heard).isEmpty();

        third.close();
        awaitLive(2, first, second);
        assertThat(first.node.membership().nodes().members()).hasSize(3);
        assertThat(first.events).contains("up 3/1", "down 3/1");
    }

    @Test
    void node_whose_address_refuses_connections_is_known_to_have_ended() throws Exception {
        List<Integer> ports = FreePorts.next(2);
        TestNode first = begin(TestNode.plan(1, ports));
        TestNode second = begin(TestNode.plan(2, ports));
        awaitLive(2, first, second);
        assertThat(first.node.hasEnded(2)).isFalse();

        second.kill();
        TestNode.await("node 2 has ended", SOON, () -> first.node.hasEnded(2));
        begin(TestNode.plan(2, ports).start(2));
        awaitLive(2, first);
        assertThat(first.node.hasEnded(2)).isFalse();
    }

    @Test
    void who_starts_anew_on_the_same_address_is_another_one() throws Exception {
        List<Integer> ports = FreePorts.next(2);
        TestNode first = begin(TestNode.plan(1, ports));
        TestNode second = begin(TestNode.plan(2, ports));
        awaitLive(2, first, second);

        second.kill();
        TestNode again = begin(TestNode.plan(2, ports).start(2));
        awaitLive(2, again);
        TestNode.await(
                "the new start",
                SOON,
                () -> new NodeStart(2, 2).equals(first.node.membership().nodes().live().get(2)));
        TestNode.await(
                "a text", SOON, () -> again.heard.contains("hello") || !first.say(2, "hello"));
        assertThat(first.events).containsSubsequence("up 2/1", "down 2/1", "up 2/2");
    }

    /** Ten clusters of three, five at a time: thirty nodes, each three begin at once. */
    @Test
    void who_starts_at_the_same_moment_is_found_ten_times_of_ten() throws Exception {
        for (int round = 0; round < 2; round++) {
            List<CompletableFuture<TestNode>> starting = new ArrayList<>();
            for (int cluster = 0; cluster < 5; cluster++) {
                List<Integer> ports = FreePorts.next(3);
                for (int i = 1; i <= 3; i++) {
                    TestNode.Plan plan = TestNode.plan(i, ports);
                    starting.add(begun(plan));
                }
            }
            List<TestNode> all = starting.stream().map(CompletableFuture::join).toList();
            nodes.addAll(all);
            awaitLive(3, all.toArray(TestNode[]::new));
            all.stream()
                    .map(each -> CompletableFuture.runAsync(each::close))
                    .toList()
                    .forEach(CompletableFuture::join);
            nodes.removeAll(all);
        }
    }

    @Test
    void who_starts_at_the_same_moment_waits_for_no_time_out() {
        List<Integer> ports = FreePorts.next(5);
        List<CompletableFuture<TestNode>> starting = new ArrayList<>();
        for (int i = 1; i <= 4; i++) { // The fifth does not run.
            starting.add(begun(TestNode.plan(i, ports).joinMs(3 * SOON.toMillis())));
        }
        awaitTogether(starting, SOON);
    }

    /** Those that begin first have asked before the one that lets them in could. */
    @Test
    void who_might_be_there_is_waited_for_once() throws Exception {
        Duration wait = Duration.ofSeconds(6);
        List<Integer> ports = FreePorts.next(5);
        try (ServerSocket mute =
                new ServerSocket(ports.get(4), 50, InetAddress.getLoopbackAddress())) {
            List<CompletableFuture<TestNode>> starting = new ArrayList<>();
            for (int i = 1; i <= 4; i++) {
                starting.add(begun(TestNode.plan(i, ports).joinMs(wait.toMillis())));
                Thread.sleep(300);
            }
            awaitTogether(starting, wait.multipliedBy(2).minusSeconds(1));
            assertThat(mute.isBound()).isTrue();
        }
    }

    private void awaitTogether(List<CompletableFuture<TestNode>> starting, Duration most) {
        TestNode.await(
                "every node sees all",
                most,
                () ->
                        starting.stream()
                                .allMatch(each ->
                                        each.isDone() && each.join().live() == starting.size()));
        starting.forEach(each -> nodes.add(each.join()));
    }

    private static CompletableFuture<TestNode> begun(TestNode.Plan plan) {
        CompletableFuture<TestNode> begun = new CompletableFuture<>();
        Thread.ofPlatform()
                .start(() -> {
                    try {
                        begun.complete(plan.begin());
                    } catch (TransportFailure e) {
                        begun.completeExceptionally(e);
                    }
                });
        return begun;
    }

    @Test
    void who_belongs_elsewhere_is_refused_on_both_sides() throws Exception {
        List<Integer> ports = FreePorts.next(3);
        TestNode first = begin(TestNode.plan(1, ports));
        TestNode ahead = begin(TestNode.plan(2, ports).clockAheadMs(60_000));
        TestNode.await(
                "a refusal",
                SOON,
                () ->
                        first.node.membership().counters().get(Refusal.CLOCK) > 0
                                && ahead.node.membership().counters().byOthers(Refusal.CLOCK) > 0);
        TestNode stranger = begin(TestNode.plan(3, ports).cluster("another"));
        TestNode.await(
                "a refusal",
                SOON,
                () ->
                        first.node.membership().counters().get(Refusal.CLUSTER_NAME) > 0
                                && stranger.node
                                                .membership()
                                                .counters()
                                                .byOthers(Refusal.CLUSTER_NAME)
                                        > 0);
        assertThat(first.live()).isEqualTo(1);
        assertThat(stranger.live()).isEqualTo(1);
    }

    @Test
    void the_later_of_two_processes_with_one_server_id_is_told_to_stop() throws Exception {
        List<Integer> ports = FreePorts.next(3);
        TestNode first = begin(TestNode.plan(1, ports));
        // So that it is clear who was there before: both are told when it is not.
        TestNode other = begin(TestNode.plan(2, ports).olderMs(60_000));
        awaitLive(2, first, other);
        TestNode.Plan plan = TestNode.plan(3, ports).server(2).start(2);
        TestNode copy = begin(plan);
        TestNode.await("that it is a copy", SOON, () -> copy.intruder != null);
        assertThat(other.intruder).isNull();
        awaitLive(2, first, other);
        assertThat(first.node.membership().nodes().live()).containsEntry(2, new NodeStart(2, 1));
    }

    @Test
    void of_two_with_one_server_id_and_nobody_else_the_later_is_told_to_stop() throws Exception {
        List<Integer> ports = FreePorts.next(2);
        TestNode first = begin(TestNode.plan(1, ports).olderMs(60_000));
        TestNode copy = begin(TestNode.plan(2, ports).server(1));
        TestNode.await("that it is a copy", SOON, () -> copy.intruder != null);
        TestNode.await(
                "a refusal by it",
                SOON,
                () -> first.node.membership().counters().byOthers(Refusal.SERVER_ID) > 0);
        assertThat(first.intruder).isNull();
    }

    @Test
    void a_shared_folder_is_enough_to_find_each_other(@TempDir Path folder) throws Exception {
        List<Integer> ports = FreePorts.next(2);
        TestNode first =
                begin(TestNode.plan(1, ports).discovery(Discovery.FILE, folder.toString()));
        TestNode second =
                begin(TestNode.plan(2, ports).discovery(Discovery.FILE, folder.toString()));
        awaitLive(2, first, second);
    }

    @Test
    void what_is_reached_from_outside_needs_tls_or_the_operators_word() {
        TestNode.Plan plan = TestNode.plan(1, List.of(7_900)).at("192.0.2.1");
        assertThatThrownBy(plan::begin)
                .isInstanceOf(TransportFailure.class)
                .hasMessageContaining("cluster.tls")
                .hasMessageContaining("cluster.insecure");
    }

    @Test
    void an_address_in_use_is_said_in_one_line() throws Exception {
        List<Integer> ports = FreePorts.next(1);
        begin(TestNode.plan(1, ports));
        assertThatThrownBy(() -> begin(TestNode.plan(1, ports)))
                .isInstanceOf(TransportFailure.class)
                .hasMessageContaining(String.valueOf(ports.get(0)));
    }
}

package io.godwit.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.ClusterSettings;
import io.godwit.cluster.Discovery;
import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.TransportFailure;
import io.godwit.cluster.transport.TransportListener;
import io.godwit.loopback.FreePorts;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jgroups.JChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that begin within a few hundredths of a second, many times: always one cluster. */
@Tag("alone")
class StartsTogetherTest {
    private static final int ROUNDS = 30;
    private static final int NODES = 7;
    private static final int SPREAD_MICROS = 60_000;

    private final Random random = new Random(1);

    @Test
    void none_begins_a_cluster_of_its_own_while_others_are_let_in() {
        for (int round = 0; round < ROUNDS; round++) {
            List<Integer> ports = FreePorts.next(NODES);
            List<JGroupsTransport> nodes =
                    ports.stream()
                            .map(port -> begun(port, ports, random.nextInt(SPREAD_MICROS)))
                            .toList()
                            .stream()
                            .map(CompletableFuture::join)
                            .toList();
            try {
                assertThat(
                                nodes.stream()
                                        .map(StartsTogetherTest::founder)
                                        .collect(Collectors.toSet()))
                        .as("who has begun a cluster, round %d", round)
                        .hasSize(1);
            } finally {
                nodes.stream()
                        .map(each -> CompletableFuture.runAsync(each::close))
                        .toList()
                        .forEach(CompletableFuture::join);
            }
        }
    }

    /** Nobody will ask a node that is not a seed. */
    @Test
    void who_is_no_seed_does_not_begin_before_a_seed_could_answer() {
        List<Integer> ports = FreePorts.next(2);
        List<Integer> seeds = ports.subList(0, 1);
        CompletableFuture<JGroupsTransport> second = begun(ports.get(1), seeds, 0);
        CompletableFuture<JGroupsTransport> first = begun(ports.get(0), seeds, 900_000);
        try (JGroupsTransport one = first.join();
                JGroupsTransport two = second.join()) {
            assertThat(founder(two)).isEqualTo(founder(one));
        }
    }

    /** Who made the first view of all: the coordinator, since nobody has left. */
    private static String founder(JGroupsTransport node) {
        JChannel channel = node.channel();
        return channel == null ? "none" : channel.getView().getCoord().toString();
    }

    private static CompletableFuture<JGroupsTransport> begun(
            int port, List<Integer> ports, int delayMicros) {
        CompletableFuture<JGroupsTransport> begun = new CompletableFuture<>();
        Thread.ofPlatform()
                .start(() -> {
                    try {
                        TimeUnit.MICROSECONDS.sleep(delayMicros);
                        JGroupsTransport node =
                                new JGroupsTransport(settings(port, ports), "n" + port);
                        node.open(new Deaf());
                        begun.complete(node);
                    } catch (InterruptedException | TransportFailure e) {
                        begun.completeExceptionally(e);
                    }
                });
        return begun;
    }

    private static ClusterSettings settings(int port, List<Integer> ports) {
        return new ClusterSettings(
                "together",
                new InetSocketAddress("127.0.0.1", port),
                Discovery.STATIC,
                ports.stream().map(each -> "127.0.0.1:" + each).toList(),
                2_000,
                10_000, // Merges mend nothing here.
                2_000,
                5_000,
                0,
                null,
                true);
    }

    private static final class Deaf implements TransportListener {
        @Override
        public void onFrame(Endpoint from, byte[] frame, int offset, int length) {}

        @Override
        public void onEndpoints(Set<Endpoint> others) {}
    }
}

package io.godwit.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.cluster.ClusterProcesses;
import io.godwit.server.cluster.NodeNetwork;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A few rounds of what {@code ./godwit chaos cluster} does for hours. */
@Tag("alone")
class ClusterRunIT {
    /** From what nobody comes back in time. Here nobody takes over: sessions wait. */
    private static final Set<ClusterRun.Fate> LOST =
            EnumSet.of(
                    ClusterRun.Fate.GONE,
                    ClusterRun.Fate.WIPE,
                    ClusterRun.Fate.JOIN,
                    ClusterRun.Fate.KILL_LONG,
                    ClusterRun.Fate.STOP_LONG);

    @Test
    void nothing_acknowledged_is_lost_while_nodes_and_links_and_disks_fail() {
        NodeNetwork network = network();
        Set<ClusterRun.Fate> fates = ClusterRun.Fate.possible(network != null, doDisksFail(), true);
        fates.removeAll(LOST);
        run(network, fates, 9);
    }

    private static void run(
            @Nullable NodeNetwork network, Set<ClusterRun.Fate> fates, int roundsUsually) {
        long seed = Long.getLong("chaos.seed", System.nanoTime() & 0xFFFF);
        int rounds = Integer.getInteger("chaos.rounds", roundsUsually);
        try (ClusterProcesses nodes =
                new ClusterProcesses(
                        network, 3, "cluster.nodes=3", "cluster.failover-timeout=never")) {
            ChaosRun.Report report =
                    ClusterRun.run(seed, fates, rounds, 1_500, 30, 2_000, nodes, line -> {});
            assertThat(report.violations()).as("%s%n%s", report, nodes.story()).isEmpty();
            for (Happening each :
                    List.of(
                            Happening.STARTS,
                            Happening.SESSIONS_PRESENT,
                            Happening.RECEIVED_QOS1,
                            Happening.RECEIVED_QOS2,
                            Happening.RETAINED_CHECKED)) {
                assertThat(report.tally().of(each)).as("%s in%n%s", each, report).isPositive();
            }
        }
    }

    /** Says so when disks can't be made to fail here. */
    private static boolean doDisksFail() {
        String problem = DiskFault.problem();
        if (problem != null) {
            System.err.println("NOT TESTED: disks that are full or slow: " + problem);
        }
        return problem == null;
    }

    /** Null, and said so, when no link can be cut here. */
    private static @Nullable NodeNetwork network() {
        String problem = NodeNetwork.problem();
        if (problem != null) {
            System.err.println("NOT TESTED: links that are cut: " + problem);
            return null;
        }
        return NodeNetwork.of(3);
    }
}

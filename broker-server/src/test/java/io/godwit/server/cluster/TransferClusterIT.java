package io.godwit.server.cluster;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Shows shortly what {@link TransferRuns} shows at length. */
@Tag("alone")
class TransferClusterIT {
    private static final Duration SERVED_WITHIN = Duration.ofSeconds(20);
    private static final int PAIRS = 8;

    @Test
    void node_that_is_stopped_under_load_gives_its_sessions_away_and_comes_back() throws Exception {
        try (ClusterProcesses cluster = TransferRuns.whole();
                FailoverLoad load = new FailoverLoad(cluster, PAIRS, 2, 3)) {
            load.begin();
            load.runFor(Duration.ofSeconds(1));
            load.addPairsUntil(() -> TransferRuns.servesSubscribers(cluster, 1));
            TransferRuns.stop(cluster, 1);
            load.awaitAllServed(SERVED_WITHIN);
            cluster.start(1);
            TransferRuns.awaitWhole(cluster);
            load.awaitAllServed(SERVED_WITHIN);
            load.finish();
        }
    }
}

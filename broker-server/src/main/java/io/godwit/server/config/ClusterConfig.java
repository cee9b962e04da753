package io.godwit.server.config;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Other nodes ({@code cluster.*}). Nothing of it counts unless it is enabled.
 *
 * @param bind of one address, with a port
 * @param seeds as many as the discovery takes, in its form
 * @param nodes with which the cluster begins, this one included
 * @param copies of each durable session and its queue
 * @param confirm when a copy counts
 * @param copyRateBytes how many bytes per second a new copy is filled with
 * @param serverReference for clients of a node that leaves; empty for none
 * @param forgetAfterMs a node that was not heard for so long is no member any more; 0 = never
 * @param tls null: without
 */
public record ClusterConfig(
        boolean enabled,
        String name,
        BindAddress bind,
        Discovery discovery,
        List<String> seeds,
        int nodes,
        int copies,
        Confirm confirm,
        long copyRateBytes,
        long failureTimeoutMs,
        long mergeIntervalMs,
        long peerTimeoutMs,
        long startWaitMs,
        long claimWaitMs,
        long failoverTimeoutMs,
        long rebalanceAfterMs,
        LeaderAway leaderAway,
        boolean drain,
        long drainWaitMs,
        String serverReference,
        long clockOffsetMaxMs,
        long forgetAfterMs,
        @Nullable Tls tls,
        boolean insecure) {
    public ClusterConfig {
        seeds = List.copyOf(seeds);
    }

    /** How a node finds others. */
    public enum Discovery {
        STATIC,
        DNS,
        MULTICAST,
        KUBERNETES,
        FILE
    }

    /** When a copy at another node counts. */
    public enum Confirm {
        COMMITTED,
        RECEIVED
    }

    /** What becomes of a message of QoS 1 or 2 when a node that it goes to is out of reach. */
    public enum LeaderAway {
        WAIT,
        REFUSE
    }

    /** PEM files, absolute, not opened yet. */
    public record Tls(Path ca, Path certificate, Path key) {}
}

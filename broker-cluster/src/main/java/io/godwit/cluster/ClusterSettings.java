package io.godwit.cluster;

import io.godwit.cluster.tls.TlsFiles;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code cluster.*} says. The texts are as the operator wrote them; what is wrong with them is
 * found when the transport is opened.
 *
 * @param name {@code cluster.name}: only nodes with the same come together
 * @param bind {@code cluster.bind}: where this node listens for others, and where they reach it
 * @param discovery {@code cluster.discovery}
 * @param seeds {@code cluster.seeds}
 * @param failureTimeoutMs {@code cluster.failure-timeout}: the transport suspects a node that it
 *     has not heard for so long
 * @param mergeIntervalMs {@code cluster.merge-interval}: so often, at most, parts of a cluster look
 *     for each other
 * @param peerTimeoutMs {@code cluster.peer-timeout}: nobody waits longer for a node
 * @param clockOffsetMaxMs {@code cluster.max-clock-offset}
 * @param forgetAfterMs {@code cluster.forget-after}; 0 = never
 * @param tls {@code cluster.tls.*}; null: without
 * @param insecure {@code cluster.insecure}: without TLS beyond loopback all the same
 */
public record ClusterSettings(
        String name,
        InetSocketAddress bind,
        Discovery discovery,
        List<String> seeds,
        long failureTimeoutMs,
        long mergeIntervalMs,
        long peerTimeoutMs,
        long clockOffsetMaxMs,
        long forgetAfterMs,
        @Nullable TlsFiles tls,
        boolean insecure) {
    public static final long FAILURE_TIMEOUT_MS = 4_000;
    public static final long MERGE_INTERVAL_MS = 2_000;
    public static final long PEER_TIMEOUT_MS = 5_000;
    public static final long CLOCK_OFFSET_MAX_MS = 5_000;

    public ClusterSettings {
        seeds = List.copyOf(seeds);
    }
}

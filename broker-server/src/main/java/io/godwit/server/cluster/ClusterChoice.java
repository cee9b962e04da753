package io.godwit.server.cluster;

import io.godwit.cluster.ClusterSettings;
import io.godwit.cluster.Discovery;
import io.godwit.cluster.tls.TlsFiles;
import io.godwit.server.config.ClusterConfig;

/** What the operator chose, as the cluster takes it. */
final class ClusterChoice {
    private ClusterChoice() {}

    static ClusterSettings settings(ClusterConfig chosen) {
        ClusterConfig.Tls tls = chosen.tls();
        return new ClusterSettings(
                chosen.name(),
                chosen.bind().toSocketAddress(),
                discovery(chosen.discovery()),
                chosen.seeds(),
                chosen.failureTimeoutMs(),
                chosen.mergeIntervalMs(),
                chosen.peerTimeoutMs(),
                chosen.clockOffsetMaxMs(),
                chosen.forgetAfterMs(),
                tls == null ? null : new TlsFiles(tls.ca(), tls.certificate(), tls.key()),
                chosen.insecure());
    }

    private static Discovery discovery(ClusterConfig.Discovery chosen) {
        return switch (chosen) {
            case STATIC -> Discovery.STATIC;
            case DNS -> Discovery.DNS;
            case MULTICAST -> Discovery.MULTICAST;
            case KUBERNETES -> Discovery.KUBERNETES;
            case FILE -> Discovery.FILE;
        };
    }
}

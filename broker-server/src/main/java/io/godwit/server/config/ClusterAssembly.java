package io.godwit.server.config;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** {@link ConfigAssembly} for the cluster. */
final class ClusterAssembly {
    private final Values values;
    private final ConfigFolders folders;

    ClusterAssembly(Values values, ConfigFolders folders) {
        this.values = values;
        this.folders = folders;
    }

    ClusterConfig assemble() {
        boolean enabled = values.get(ClusterKeys.ENABLED);
        ClusterConfig.Discovery discovery = values.get(ClusterKeys.DISCOVERY);
        List<String> seeds = values.get(ClusterKeys.SEEDS);
        BindAddress bind = values.get(ClusterKeys.BIND).orElseThrow();
        if (enabled) {
            checkBind(bind);
            checkSeeds(discovery, seeds);
        }
        return new ClusterConfig(
                enabled,
                values.get(ClusterKeys.NAME),
                bind,
                discovery,
                discovery == ClusterConfig.Discovery.FILE
                        ? seeds.stream().map(each -> folders.resolve(each).toString()).toList()
                        : seeds,
                Math.toIntExact(values.get(ClusterKeys.NODES)),
                copies(),
                values.get(ClusterKeys.CONFIRM),
                values.get(ClusterKeys.COPY_RATE),
                values.get(ClusterKeys.FAILURE_TIMEOUT),
                values.get(ClusterKeys.MERGE_INTERVAL),
                values.get(ClusterKeys.PEER_TIMEOUT),
                values.get(ClusterKeys.START_WAIT),
                values.get(ClusterKeys.CLAIM_WAIT),
                values.get(ClusterKeys.FAILOVER_TIMEOUT),
                values.get(ClusterKeys.REBALANCE_AFTER),
                values.get(ClusterKeys.LEADER_AWAY),
                values.get(ClusterKeys.DRAIN),
                values.get(ClusterKeys.DRAIN_WAIT),
                values.get(ClusterKeys.SERVER_REFERENCE),
                values.get(ClusterKeys.CLOCK_OFFSET),
                TimeUnit.SECONDS.toMillis(values.get(ClusterKeys.FORGET_AFTER)),
                tls(),
                values.get(ClusterKeys.INSECURE));
    }

    private void checkBind(BindAddress bind) {
        boolean isAny =
                bind.host().isEmpty() || bind.host().equals("0.0.0.0") || bind.host().equals("::");
        if (isAny || bind.port() == 0) {
            values.refuse(
                    ClusterKeys.BIND.name(),
                    "allowed: host:port, [IPv6 address]:port, where other nodes reach this one");
        }
    }

    /** Returns how many copies there are to be: one of what is in memory. */
    private int copies() {
        long copies = values.get(ClusterKeys.COPIES);
        boolean isInMemory = values.get(StoreKeys.STORE) == DurabilityConfig.Store.MEMORY;
        if (!isInMemory || copies == 1) {
            return Math.toIntExact(copies);
        }
        if (values.get(ClusterKeys.ENABLED) && values.isSet(ClusterKeys.COPIES.name())) {
            values.refuse(
                    ClusterKeys.COPIES.name(),
                    "allowed with durability.store: memory: 1. Copies are of what is on a disk");
        }
        return 1;
    }

    private void checkSeeds(ClusterConfig.Discovery discovery, List<String> seeds) {
        String wrong =
                switch (discovery) {
                    case STATIC ->
                            seeds.stream().allMatch(ClusterAssembly::isAddress)
                                    ? ""
                                    : "a list of host:port, [IPv6 address]:port";
                    case DNS, KUBERNETES -> seeds.size() == 1 ? "" : "one DNS name";
                    case FILE -> seeds.size() == 1 ? "" : "one folder";
                    case MULTICAST -> seeds.isEmpty() ? "" : "none";
                };
        if (!wrong.isEmpty()) {
            String word = ClusterKeys.DISCOVERY.type().show(discovery);
            values.refuse(
                    ClusterKeys.SEEDS.name(),
                    "allowed with cluster.discovery: " + word + ": " + wrong);
        }
    }

    private static boolean isAddress(String seed) {
        return BindAddress.parse(seed)
                .filter(each -> !each.host().isEmpty() && each.port() > 0)
                .isPresent();
    }

    private ClusterConfig.@Nullable Tls tls() {
        List<Key<String>> files =
                List.of(ClusterKeys.TLS_CA, ClusterKeys.TLS_CERTIFICATE, ClusterKeys.TLS_KEY);
        List<Key<String>> missing =
                files.stream().filter(each -> values.get(each).isEmpty()).toList();
        if (missing.size() == files.size()) {
            return null;
        }
        for (Key<String> each : missing) {
            values.refuse(each.name(), "must be set, because other files of cluster.tls are set");
        }
        return new ClusterConfig.Tls(
                file(ClusterKeys.TLS_CA),
                file(ClusterKeys.TLS_CERTIFICATE),
                file(ClusterKeys.TLS_KEY));
    }

    private Path file(Key<String> key) {
        return folders.resolve(values.get(key));
    }
}

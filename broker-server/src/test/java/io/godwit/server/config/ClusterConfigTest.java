package io.godwit.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterConfigTest {
    private static ClusterConfig load(String... sets) throws ConfigException {
        List<String> all =
                Stream.concat(Stream.of("cluster.enabled=true"), Stream.of(sets)).toList();
        return ConfigLoader.load(null, Map.of(), all).cluster();
    }

    @Test
    void there_is_none_unless_it_is_said() throws Exception {
        assertThat(ConfigLoader.load(null, Map.of(), List.of()).cluster().enabled()).isFalse();
        ClusterConfig usual = load();
        assertThat(usual.enabled()).isTrue();
        assertThat(usual.bind()).isEqualTo(new BindAddress("127.0.0.1", 7800));
        assertThat(usual.seeds()).isEmpty();
        assertThat(usual.tls()).isNull();
    }

    @Test
    void what_is_said_is_taken() throws Exception {
        ClusterConfig chosen =
                load(
                        "cluster.name=x-1",
                        "cluster.bind=[::1]:7000",
                        "cluster.seeds=a:1, [::1]:2",
                        "cluster.peer-timeout=2s",
                        "cluster.start-wait=3s",
                        "cluster.claim-wait=4s",
                        "cluster.failover-timeout=5s",
                        "cluster.rebalance-after=2m",
                        "cluster.leader-away=refuse",
                        "cluster.failure-timeout=1s",
                        "cluster.merge-interval=700",
                        "cluster.max-clock-offset=1s",
                        "cluster.insecure=true",
                        "cluster.copies=3",
                        "cluster.confirm=received",
                        "cluster.copy-rate=2MiB",
                        "cluster.nodes=3",
                        "cluster.drain=false",
                        "cluster.drain-wait=500ms",
                        "cluster.server-reference=other:1883",
                        "cluster.tls.ca=/x/ca.pem",
                        "cluster.tls.certificate=/x/n.pem",
                        "cluster.tls.key=/x/n.key");
        assertThat(chosen)
                .isEqualTo(
                        new ClusterConfig(
                                true,
                                "x-1",
                                new BindAddress("::1", 7000),
                                ClusterConfig.Discovery.STATIC,
                                List.of("a:1", "[::1]:2"),
                                3,
                                3,
                                ClusterConfig.Confirm.RECEIVED,
                                2 << 20,
                                1_000,
                                700,
                                2_000,
                                3_000,
                                4_000,
                                5_000,
                                120_000,
                                ClusterConfig.LeaderAway.REFUSE,
                                false,
                                500,
                                "other:1883",
                                1_000,
                                604_800_000,
                                new ClusterConfig.Tls(
                                        Path.of("/x/ca.pem"),
                                        Path.of("/x/n.pem"),
                                        Path.of("/x/n.key")),
                                true));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cluster.copies=6 | cluster.copies = 6: allowed: 1..5",
                "cluster.nodes=0 | cluster.nodes = 0: allowed: 1..1000",
                "cluster.bind=7800 | cluster.bind = 7800: allowed: host:port",
                "cluster.bind=0.0.0.0:7800 | cluster.bind = 0.0.0.0:7800: allowed: host:port",
                "cluster.bind=127.0.0.1:0 | cluster.bind = 127.0.0.1:0: allowed: host:port",
                "cluster.seeds=a | cluster.seeds = a: allowed with cluster.discovery: static: a list"
                        + " of host:port",
                "cluster.discovery=dns | cluster.seeds: allowed with cluster.discovery: dns: one DNS"
                        + " name",
                "cluster.discovery=kubernetes | cluster.seeds: allowed with cluster.discovery:"
                        + " kubernetes: one DNS name",
                "cluster.discovery=file | cluster.seeds: allowed with cluster.discovery: file: one"
                        + " folder",
                "cluster.discovery=gossip | cluster.discovery = gossip: allowed: static, dns",
                "cluster.name=a b | cluster.name = a b: allowed: 1 to 64 of",
                "cluster.tls.key=k.pem | cluster.tls.ca: must be set",
                "cluster.peer-timeout=1 | cluster.peer-timeout = 1: allowed: 500ms..10m"
            })
    void a_mistake_names_key_value_and_what_is_allowed(String set, String said) {
        assertThatThrownBy(() -> load(set))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(said);
    }

    @Test
    void what_is_in_memory_has_one_copy_unless_more_are_asked_for() throws Exception {
        assertThat(load().copies()).isEqualTo(2);
        assertThat(load("durability.store=memory").copies()).isEqualTo(1);
        assertThat(load("durability.store=memory", "cluster.copies=1").copies()).isEqualTo(1);
        assertThatThrownBy(() -> load("durability.store=memory", "cluster.copies=2"))
                .hasMessageContaining(
                        "cluster.copies = 2: allowed with durability.store: memory: 1.");
    }

    @Test
    void multicast_takes_no_seeds() {
        assertThatThrownBy(() -> load("cluster.discovery=multicast", "cluster.seeds=a:1"))
                .hasMessageContaining(
                        "cluster.seeds = a:1: allowed with cluster.discovery: multicast: none");
    }
}

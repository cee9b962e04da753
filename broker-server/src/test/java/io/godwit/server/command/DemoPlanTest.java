package io.godwit.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.Main;
import io.godwit.server.config.Config;
import io.godwit.server.config.ConfigLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoPlanTest {
    @TempDir Path folder;

    @Test
    void each_node_has_ports_and_data_of_its_own_and_the_same_seeds() throws Exception {
        Path quoted = Files.createDirectory(folder.resolve("it's"));
        DemoPlan plan = new DemoPlan(5_000, quoted);
        for (int node = 1; node <= DemoPlan.NODES; node++) {
            Files.writeString(plan.config(node), plan.configText(node));
            Config config = ConfigLoader.load(plan.config(node), Map.of(), List.of());
            assertThat(config.node().name()).isEqualTo("n" + node);
            assertThat(config.node().data()).isEqualTo(quoted.resolve("n" + node));
            assertThat(config.listeners()).hasSize(1);
            assertThat(config.listeners().get(0).bind()).hasToString("127.0.0.1:500" + node);
            assertThat(config.admin().bind()).hasToString("127.0.0.1:501" + node);
            assertThat(config.cluster().bind()).hasToString("127.0.0.1:502" + node);
            assertThat(config.cluster().seeds())
                    .containsExactly("127.0.0.1:5021", "127.0.0.1:5022", "127.0.0.1:5023");
            assertThat(config.cluster().failoverTimeoutMs()).isEqualTo(6_000);
        }
    }

    @Test
    void haproxy_asks_each_node_whether_it_is_ready() {
        assertThat(new DemoPlan(5_000, folder).balancerText())
                .contains("\n  bind 127.0.0.1:5000\n", "option httpchk GET /health/ready\n")
                .endsWith(
                        "  server n1 127.0.0.1:5001 check port 5011 inter 500ms\n"
                                + "  server n2 127.0.0.1:5002 check port 5012 inter 500ms\n"
                                + "  server n3 127.0.0.1:5003 check port 5013 inter 500ms\n");
    }

    @Test
    void the_operator_reads_where_everything_is_and_what_to_try() {
        DemoPlan plan = new DemoPlan(5_000, folder);
        assertThat(plan.explain("/opt/godwit", List.of(7L, 8L, 9L), true))
                .contains(
                        "n2: MQTT at 127.0.0.1:5002, admin port 127.0.0.1:5012, process 8\n",
                        "the clients of 127.0.0.1:5000",
                        "mosquitto_pub -p 5003 ",
                        "/opt/godwit cluster status --admin 127.0.0.1:5011\n",
                        "kill -9 9    # kills n3; its clients go on at the other nodes, with their sessions\n");
        assertThat(plan.explain("g", List.of(7L, 8L, 9L), false))
                .contains("HAProxy is not installed");
    }

    @Test
    void the_operator_reads_how_to_start_a_node_again_that_has_ended() {
        DemoPlan plan = new DemoPlan(5_000, folder);
        assertThat(plan.explainEnd(3, "/opt/godwit", "has ended"))
                .startsWith("n3 has ended. The other nodes take its sessions over within seconds")
                .endsWith("\n    /opt/godwit run --config " + folder.resolve("n3.yaml"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "65001", "x", "-1"})
    void a_port_without_room_for_the_others_is_a_wrong_argument(String port) {
        assertThat(Main.execute("cluster", "demo", "--port=" + port)).isEqualTo(2);
    }

    @Test
    void without_the_launcher_there_is_no_demo() {
        assertThat(Main.execute("cluster", "demo")).isEqualTo(1);
    }
}

package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.settings.StoreSettings;
import io.godwit.server.config.Config;
import io.godwit.server.config.ConfigLoader;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreWiringIT {
    private final ToldStore store = new ToldStore();

    private static HttpResponse<String> get(BrokerFixture broker, String path) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            URI uri = URI.create("http://127.0.0.1:" + broker.adminPort() + path);
            return http.send(
                    HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private static Socket client(BrokerFixture broker, byte[] connect) throws IOException {
        Socket socket = broker.connect();
        socket.getOutputStream().write(connect);
        assertThat(RawMqtt.read(socket)[0]).isEqualTo((byte) 0x20);
        return socket;
    }

    @Test
    void a_store_that_fails_ends_the_broker_as_a_crash_would() throws Exception {
        BrokerFixture broker = BrokerFixture.tryStart(store, Map.of(), "log.level=error");
        IOException broken = new IOException("planted by the test");
        try (Socket watcher = client(broker, RawMqtt.connect(RawMqtt.V5, "watcher"));
                Socket client = client(broker, RawMqtt.connect(RawMqtt.V5, "client"))) {
            store.listener().onFailed(broken);

            assertThat(broker.server().fault()).isSameAs(broken);
            assertThat(get(broker, "/health/ready").statusCode()).isEqualTo(503);
            assertThatThrownBy(broker::close).isInstanceOf(AssertionError.class).hasCause(broken);
            // No DISCONNECT: that would be an orderly stop, with its wills.
            assertThat(client.getInputStream().read()).isEqualTo(-1);
            assertThat(watcher.getInputStream().read()).isEqualTo(-1);
            assertThat(store.isClosed()).isTrue();
        }
    }

    @Test
    void a_disk_alarm_degrades_the_health_but_lets_clients_in() throws Exception {
        try (BrokerFixture broker = BrokerFixture.tryStart(store, Map.of())) {
            store.listener().onDiskAlarm(true);

            HttpResponse<String> ready = get(broker, "/health/ready");
            assertThat(ready.statusCode()).isEqualTo(200);
            assertThat(ready.body()).isEqualTo("{\"status\":\"degraded\",\"alarms\":[\"disk\"]}\n");
            client(broker, RawMqtt.connect(RawMqtt.V5, "drains")).close();

            store.listener().onDiskAlarm(false);
            assertThat(get(broker, "/health/ready").body()).isEqualTo("{\"status\":\"ready\"}\n");
        }
    }

    @Test
    void a_client_that_closes_behind_its_publish_during_a_disk_alarm_is_gone_within_seconds()
            throws Exception {
        assumeThat(Epoll.isAvailable()).as("only Linux tells").isTrue();
        try (BrokerFixture broker = BrokerFixture.tryStart(store, Map.of())) {
            store.listener().onDiskAlarm(true);
            try (Socket client = client(broker, RawMqtt.connect(RawMqtt.V311, "leaves"))) {
                client.getOutputStream().write(RawMqtt.publishQos1("t", 1, new byte[1 << 20]));
                client.shutdownOutput();
                client.setSoTimeout(10_000);
                assertThat(client.getInputStream().read()).as("without a PUBACK").isEqualTo(-1);
            }
            assertThat(get(broker, "/metrics").body()).contains("godwit_unread_alarm_total");
        }
    }

    @Test
    void every_metric_of_the_store_is_on_the_page() throws Exception {
        try (BrokerFixture broker = BrokerFixture.tryStart(store, Map.of())) {
            List<String> lines = get(broker, "/metrics").body().lines().toList();

            for (StoreMetric metric : StoreMetric.values()) {
                if (metric == StoreMetric.SYNCS) { // the histogram of syncs counts them
                    assertThat(lines)
                            .anyMatch(line -> line.startsWith("godwit_store_sync_seconds_count"));
                    continue;
                }
                String name = "godwit_" + metric.key().replace('.', '_');
                double value = store.value(metric);
                if (name.endsWith("_micros")) {
                    name = name.replace("_micros", "_seconds");
                    value /= 1e6;
                }
                name += metric.isGauge() ? "" : "_total";
                assertThat(lines).contains(name + " " + value);
                assertThat(lines).contains("# HELP " + name + " " + metric.meaning());
            }
        }
    }

    @Test
    void a_store_that_does_not_open_leaves_the_folder_free(@TempDir Path folder) throws Exception {
        Config config =
                ConfigLoader.load(
                        null, Map.of(), BrokerFixture.settings(folder, "log.level=error"));
        Server.Ports none =
                new Server.Ports(
                        (given, data, time, serverId) -> {
                            assertThat(given).isSameAs(config);
                            assertThat(data).isEqualTo(folder.resolve("data"));
                            throw new StartFailed("planted by the test");
                        },
                        Map.of(),
                        System::currentTimeMillis);

        assertThatThrownBy(() -> Server.start(config, none)).hasMessage("planted by the test");

        Server.start(config, new Server.Ports(store, Map.of(), System::currentTimeMillis)).close();
        assertThat(store.isClosed()).isTrue();
    }

    @Test
    void the_stores_own_defaults_are_those_of_the_configuration() throws Exception {
        Config config = ConfigLoader.load(null, Map.of(), List.of());
        StoreSettings settings = ConfiguredStore.settings(config.durability());
        StoreSettings defaults = StoreSettings.DEFAULTS;
        assertThat(settings)
                .usingRecursiveComparison()
                .ignoringFields("windowBytes")
                .isEqualTo(defaults);
        assertThat(settings.windowBytes()).isBetween(1L << 20, defaults.windowBytes());
    }
}

package io.godwit.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.BrokerFixture;
import io.godwit.server.RawMqtt;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The metrics page by the rules of its formats, and by Prometheus' conventions. */
class MetricsFormatIT {
    private static final String OPEN_METRICS =
            "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

    private final BrokerFixture broker = BrokerFixture.start();
    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void stop() {
        broker.close();
        http.close();
    }

    private HttpResponse<String> metrics(String accept) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + broker.adminPort() + "/metrics");
        return http.send(
                HttpRequest.newBuilder(uri).header("Accept", accept).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private void exchange(int messages) throws Exception {
        try (Socket subscriber = broker.connect();
                Socket publisher = broker.connect()) {
            subscriber.getOutputStream().write(RawMqtt.connect(RawMqtt.V311, "subscriber"));
            RawMqtt.read(subscriber);
            subscriber.getOutputStream().write(RawMqtt.subscribe(RawMqtt.V311, "a/b"));
            RawMqtt.read(subscriber);
            publisher.getOutputStream().write(RawMqtt.connect(RawMqtt.V311, "publisher"));
            RawMqtt.read(publisher);
            for (int i = 1; i <= messages; i++) {
                publisher.getOutputStream().write(RawMqtt.publishQos1("a/b", i, new byte[10]));
                assertThat(RawMqtt.read(publisher)).startsWith(0x40);
                assertThat(RawMqtt.read(subscriber)).startsWith(0x32);
            }
        }
    }

    @Test
    void pages_of_both_formats_keep_the_rules_and_have_the_same_families() throws Exception {
        exchange(3);
        HttpResponse<String> plain = metrics("text/plain");
        HttpResponse<String> open = metrics(OPEN_METRICS);

        assertThat(plain.headers().firstValue("Content-Type"))
                .contains("text/plain; version=0.0.4; charset=utf-8");
        assertThat(open.headers().firstValue("Content-Type"))
                .contains("application/openmetrics-text; version=1.0.0; charset=utf-8");
        Map<String, MetricsText.Family> families = MetricsText.prometheus(plain.body());
        Map<String, MetricsText.Family> opened = MetricsText.openMetrics(open.body());
        assertThat(new TreeSet<>(opened.keySet()))
                .isEqualTo(
                        new TreeSet<>(
                                families.keySet().stream()
                                        .map(each -> each.replaceAll("_(total|info)$", ""))
                                        .toList()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"*/*", "text/html", "application/openmetrics-text;q=0", "application/json"})
    void page_is_prometheus_text_unless_open_metrics_is_accepted(String accept) throws Exception {
        assertThat(metrics(accept).headers().firstValue("Content-Type"))
                .contains("text/plain; version=0.0.4; charset=utf-8");
    }

    @Test
    void every_help_is_a_sentence_that_stands_alone_and_each_thing_has_one_name() throws Exception {
        Map<String, MetricsText.Family> families =
                MetricsText.prometheus(metrics("text/plain").body());
        Map<String, String> byHelp = new TreeMap<>();
        families.values().stream()
                .filter(each -> each.name.startsWith("godwit_"))
                .forEach(each -> {
                    assertThat(each.help)
                            .as(each.name)
                            .matches("[A-Z1].*[.]")
                            .doesNotContainPattern("\\b([Ss]uch|[Tt]hose messages|The same)\\b");
                    assertThat(byHelp.put(each.help, each.name)).as(each.help).isNull();
                });
        assertThat(families)
                .doesNotContainKeys(
                        "godwit_session_total", "godwit_node", "godwit_store_syncs_total")
                .containsKeys(
                        "godwit_build_info", "godwit_sessions", "godwit_session_started_total");
    }

    @Test
    void histograms_count_each_delivery_each_acknowledgement_and_each_request() throws Exception {
        exchange(5);
        metrics("text/plain");
        String page = metrics("text/plain").body();

        assertThat(page.lines())
                .contains(
                        "godwit_publish_deliver_seconds_count{qos=\"1\"} 5",
                        "godwit_publish_deliver_seconds_count{qos=\"0\"} 0",
                        "godwit_publish_ack_seconds_count{qos=\"1\"} 5",
                        "godwit_publish_ack_seconds_bucket{qos=\"1\",le=\"+Inf\"} 5",
                        "godwit_admin_request_seconds_count{page=\"metrics\"} 1");
        double sum =
                page.lines()
                        .filter(line ->
                                line.startsWith("godwit_publish_ack_seconds_sum{qos=\"1\"} "))
                        .mapToDouble(
                                line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                        .sum();
        assertThat(sum).isPositive().isLessThan(5 * 10);
    }
}

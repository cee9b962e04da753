package io.godwit.server.extension;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.BrokerFixture;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Meters that extensions have registered, on {@code /metrics} of a running broker. */
class ExtensionMetersIT {
    private static final String COUNTING =
            """
            context.meters().counter("starts", "kind", "%s").increment();
            context.meters().timer("work").record(Duration.ofMillis(1500));
            """;

    @TempDir private Path folder;

    private static HttpResponse<String> ask(BrokerFixture broker, String method, String path)
            throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + broker.adminPort() + path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .header("Authorization", "Bearer 0123456789abcdef-token")
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static String metrics(BrokerFixture broker) throws Exception {
        HttpResponse<String> answer = ask(broker, "GET", "/metrics");
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void meters_are_shown_begin_anew_with_a_replacement_and_go_with_the_extension()
            throws Exception {
        TestExtension.starting("one", COUNTING.formatted("a")).writeTo(folder);
        TestExtension.starting("two", COUNTING.formatted("a")).writeTo(folder);
        try (BrokerFixture broker =
                BrokerFixture.start(
                        "extensions.folder=" + folder,
                        "extensions.watch=0",
                        "admin.token=0123456789abcdef-token")) {
            assertThat(metrics(broker))
                    .containsOnlyOnce("# TYPE godwit_extension_own_starts_total counter")
                    .contains(
                            "godwit_extension_own_starts_total{extension=\"one\",kind=\"a\"} 1.0",
                            "godwit_extension_own_starts_total{extension=\"two\",kind=\"a\"} 1.0",
                            "godwit_extension_own_work_seconds_sum{extension=\"one\"} 1.5",
                            "godwit_extension_meters_refused_total{extension=\"one\"} 0.0");
            TestExtension.starting("one", COUNTING.formatted("b")).writeTo(folder);
            assertThat(ask(broker, "POST", "/extensions/one/replace").statusCode()).isEqualTo(200);
            assertThat(metrics(broker))
                    .contains("godwit_extension_own_starts_total{extension=\"one\",kind=\"b\"} 1.0")
                    .doesNotContain("{extension=\"one\",kind=\"a\"}");
            assertThat(ask(broker, "POST", "/extensions/one/disable").statusCode()).isEqualTo(200);
            assertThat(metrics(broker))
                    .contains("godwit_extension_own_starts_total{extension=\"two\",kind=\"a\"} 1.0")
                    .doesNotContain("godwit_extension_own_starts_total{extension=\"one\"");
        }
    }
}

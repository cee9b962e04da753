package io.godwit.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.BrokerFixture;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The page that a browser gets at the admin port. */
class StatusPageIT {
    private static final String BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8";

    private final BrokerFixture broker = BrokerFixture.start();
    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void stop() {
        broker.close();
        http.close();
    }

    private HttpResponse<String> get(String path, String accept) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + broker.adminPort() + path);
        return http.send(
                HttpRequest.newBuilder(uri).header("Accept", accept).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static List<String> all(String pattern, String in) {
        List<String> found = new ArrayList<>();
        Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(in);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    @Test
    void browser_gets_a_page_whose_every_request_and_metric_is_answered() throws Exception {
        HttpResponse<String> page = get("/", BROWSER);

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
        List<String> paths = all("ask\\('([^']+)'\\)", page.body());
        assertThat(paths)
                .containsExactlyInAnyOrder(
                        "/health/ready",
                        "/metrics",
                        "/memory",
                        "/clients?sort=queuedBytes&limit=10",
                        "/cluster");
        for (String path : paths) {
            assertThat(get(path, "*/*").statusCode()).as(path).isEqualTo(200);
        }
        String metrics = get("/metrics", "*/*").body();
        List<String> names = all("'((?:godwit|process)_[a-z_]+[a-z])'", page.body());
        assertThat(names).hasSizeGreaterThan(15);
        for (String name : names) {
            assertThat(metrics.lines())
                    .as(name)
                    .anyMatch(line -> line.matches(name + "(_count)?(\\{.*\\})? .*"));
        }
    }

    @Test
    void program_gets_the_list_of_paths_instead() throws Exception {
        HttpResponse<String> answer = get("/", "*/*");
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("/metrics", "/clients");
    }

    @Test
    void page_runs_its_own_script_only_and_makes_no_html_of_what_clients_have_named()
            throws Exception {
        HttpResponse<String> page = get("/", BROWSER);
        String policy = page.headers().firstValue("Content-Security-Policy").orElseThrow();

        assertThat(policy)
                .contains("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("unsafe", "http");
        for (String element : List.of("script", "style")) {
            List<String> content = all("<" + element + ">(.*?)</" + element + ">", page.body());
            assertThat(content).hasSize(1);
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(content.getFirst().getBytes(StandardCharsets.UTF_8));
            assertThat(policy)
                    .contains(
                            element
                                    + "-src 'sha256-"
                                    + Base64.getEncoder().encodeToString(digest)
                                    + "'");
        }
        assertThat(page.body())
                .doesNotContain(
                        "innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(")
                .doesNotContainPattern("(?i)(src|href)=\"?https?:")
                .doesNotContainPattern("(?i) on[a-z]+=")
                .doesNotContainPattern("(?i) style=");
    }
}

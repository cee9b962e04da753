package io.godwit.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.BrokerFixture;
import io.godwit.server.Main;
import io.godwit.server.RawHttp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a web page of somebody else can get out of the admin port, and what a program can. */
class AdminAccessIT {
    private static final String TOKEN = "0123456789abcdef-token";
    private static final String HEADER = "Godwit-Command: backup";

    private BrokerFixture broker = BrokerFixture.start();

    @AfterEach
    void stop() {
        broker.close();
    }

    private void restart(String... settings) {
        broker.close();
        broker = BrokerFixture.start(settings);
    }

    private int status(String request, String... headers) throws IOException {
        return RawHttp.status(answer(request, headers));
    }

    private String answer(String request, String... headers) throws IOException {
        List<String> lines = new ArrayList<>(List.of(request + " HTTP/1.1"));
        lines.addAll(List.of(headers));
        lines.add("Connection: close");
        return RawHttp.send(broker.adminPort(), lines.toArray(String[]::new));
    }

    private double refused(String cause) throws IOException {
        String line = "godwit_admin_refused_total{cause=\"" + cause + "\"} ";
        return answer("GET /metrics", "Host: localhost")
                .lines()
                .filter(each -> each.startsWith(line))
                .mapToDouble(each -> Double.parseDouble(each.substring(line.length())))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"localhost:8081", "127.0.0.1:8081", "[::1]:8081", "192.0.2.1", "LocalHost."})
    void it_is_read_under_names_that_nobody_else_can_own(String host) throws IOException {
        assertThat(status("GET /clients", "Host: " + host)).isEqualTo(200);
        assertThat(status("GET /metrics", "Host: " + host)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"evil.example:8081", "localhost.evil.example", "127.0.0.1.evil.example", ""})
    void a_name_that_was_made_to_mean_this_machine_reads_nothing_but_health(String host)
            throws IOException {
        assertThat(status("GET /clients", "Host: " + host)).isEqualTo(403);
        assertThat(status("GET /metrics", "Host: " + host)).isEqualTo(403);
        assertThat(status("GET /health/ready", "Host: " + host)).isEqualTo(200);
        assertThat(refused("host")).isEqualTo(2);
    }

    @Test
    void port_that_others_reach_tells_strangers_nothing_but_health() throws IOException {
        restart("admin.bind=0.0.0.0:0");
        assertThat(status("GET /health/live", "Host: localhost")).isEqualTo(200);
        for (String page : List.of("/metrics", "/clients", "/memory", "/", "/nothing")) {
            assertThat(status("GET " + page, "Host: localhost")).as(page).isEqualTo(403);
        }
        restart("admin.bind=0.0.0.0:0", "admin.token=" + TOKEN);
        assertThat(status("GET /metrics", "Host: localhost")).isEqualTo(401);
        assertThat(status("GET /metrics", "Host: localhost", "Authorization: Bearer " + TOKEN))
                .isEqualTo(200);
    }

    @Test
    void one_host_is_needed_and_no_more() throws IOException {
        assertThat(status("GET /health/live")).isEqualTo(400);
        assertThat(status("GET /clients", "Host: localhost", "Host: localhost")).isEqualTo(400);
        assertThat(RawHttp.status(RawHttp.send(broker.adminPort(), "GET /clients HTTP/1.0")))
                .as("HTTP/1.0 has none")
                .isEqualTo(200);
    }

    @Test
    void names_that_the_operator_wrote_down_are_this_machines() throws IOException {
        restart("admin.hosts=godwit,metrics.example.org");
        assertThat(status("GET /clients", "Host: godwit:8081")).isEqualTo(200);
        assertThat(status("GET /clients", "Host: METRICS.example.org")).isEqualTo(200);
        assertThat(status("GET /clients", "Host: example.org")).isEqualTo(403);
        restart("admin.hosts=*");
        assertThat(status("GET /clients", "Host: evil.example")).isEqualTo(200);
    }

    @Test
    void what_changes_something_needs_its_header_and_a_loopback_name() throws IOException {
        String backup = "POST /store/backup?to=x";
        assertThat(status(backup, "Host: localhost:8081")).isEqualTo(403);
        assertThat(status(backup, "Host: localhost:8081", "Godwit-Command: other")).isEqualTo(403);
        assertThat(status(backup, "Host: evil.example", HEADER)).isEqualTo(403);
        assertThat(status(backup, "Host: 192.0.2.1:8081", HEADER)).isEqualTo(403);
        // A store in memory keeps nothing, so this is as far as it gets.
        assertThat(status(backup, "Host: localhost:8081", HEADER)).isEqualTo(409);
        assertThat(status(backup, "Host: 127.0.0.1", HEADER)).isEqualTo(409);
        assertThat(status(backup, "Host: [::1]:8081", HEADER)).isEqualTo(409);
        assertThat(refused("command")).isEqualTo(3);
    }

    @Test
    void forgetting_a_node_needs_the_same() throws IOException {
        String forget = "POST /cluster/forget?node=n1";
        String header = "Godwit-Command: forget";
        assertThat(status(forget, "Host: localhost:8081")).isEqualTo(403);
        assertThat(status(forget, "Host: localhost:8081", HEADER)).isEqualTo(403);
        assertThat(status(forget, "Host: evil.example", header)).isEqualTo(403);
        // This broker is in no cluster.
        assertThat(status(forget, "Host: localhost:8081", header)).isEqualTo(409);
        assertThat(status("GET /cluster/forget?node=n1", "Host: localhost:8081", header))
                .isEqualTo(405);
    }

    @Test
    void a_browsers_question_whether_it_may_send_the_header_is_not_granted() throws IOException {
        String answer =
                answer(
                        "OPTIONS /store/backup",
                        "Host: localhost:8081",
                        "Origin: https://evil.example",
                        "Access-Control-Request-Method: POST",
                        "Access-Control-Request-Headers: godwit-command");
        assertThat(answer).doesNotContainIgnoringCase("Access-Control-Allow");
        assertThat(RawHttp.status(answer)).isBetween(400, 499);
    }

    @ParameterizedTest
    @CsvSource({
        "'', 401",
        "Bearer 0123456789abcdef-toke, 401",
        "Bearer 0123456789abcdef-token2, 401",
        "Basic 0123456789abcdef-token, 401",
        "Bearer 0123456789abcdef-token, 409"
    })
    void with_a_token_only_the_token_changes_something(String authorization, int status)
            throws IOException {
        restart("admin.token=" + TOKEN);
        String[] headers =
                authorization.isEmpty()
                        ? new String[] {"Host: localhost", HEADER}
                        : new String[] {"Host: any", HEADER, "Authorization: " + authorization};
        String answer = answer("POST /store/backup?to=x", headers);
        assertThat(RawHttp.status(answer)).isEqualTo(status);
        if (status == 401) {
            assertThat(answer)
                    .containsIgnoringCase("WWW-Authenticate: Bearer")
                    .doesNotContain(TOKEN);
            assertThat(refused("token")).isEqualTo(1);
        }
    }

    @Test
    void reading_needs_no_token_on_this_machine_and_the_token_reads_under_any_name()
            throws IOException {
        restart("admin.token=" + TOKEN);
        assertThat(status("GET /clients", "Host: localhost")).isEqualTo(200);
        assertThat(status("GET /clients", "Host: proxy.example")).isEqualTo(403);
        assertThat(status("GET /clients", "Host: proxy.example", "Authorization: Bearer " + TOKEN))
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"memory", "cluster status"})
    void commands_that_read_send_the_token_that_is_configured(String command) throws IOException {
        restart("admin.token=" + TOKEN);
        String[] words = (command + " --admin 127.0.0.1:" + broker.adminPort()).split(" ");
        int answered = Main.execute(words);

        assertThat(Main.execute(with(words, "--set", "admin.token=" + TOKEN))).isEqualTo(answered);
        assertThat(refused("token")).isZero();
        assertThat(Main.execute(with(words, "--set", "admin.token=" + TOKEN + "2"))).isEqualTo(1);
        assertThat(refused("token")).as("another token was sent").isEqualTo(1);
    }

    private static String[] with(String[] words, String... more) {
        return Stream.of(words, more).flatMap(Stream::of).toArray(String[]::new);
    }
}

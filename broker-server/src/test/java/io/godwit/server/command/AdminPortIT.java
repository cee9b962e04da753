package io.godwit.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.godwit.server.BrokerFixture;
import io.godwit.server.Main;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdminPortIT {
    private record Result(int exitCode, String err) {}

    private static Result godwit(String... arguments) {
        PrintStream before = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            return new Result(Main.execute(arguments), err.toString(StandardCharsets.UTF_8));
        } finally {
            System.setErr(before);
        }
    }

    @Test
    void a_port_an_address_and_a_url_all_find_the_broker() {
        try (BrokerFixture broker = BrokerFixture.start()) {
            int port = broker.adminPort();
            for (String form :
                    List.of(
                            "" + port,
                            ":" + port,
                            "127.0.0.1:" + port,
                            "localhost:" + port,
                            "http://127.0.0.1:" + port,
                            "HTTP://127.0.0.1:" + port + "/")) {
                Result result = godwit("memory", "--admin", form);
                assertThat(result.exitCode()).as(form + " " + result.err()).isZero();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost",
                "a b:1",
                "localhost:99999",
                "127.0.0.1:0",
                "http://",
                "http://h:1/metrics",
                "https://h:8081",
                "ftp://h:1",
                "[::1",
                "h:1#x",
                "%zz:1"
            })
    void another_form_is_one_sentence(String admin) {
        for (List<String> command :
                List.of(
                        List.of("memory"),
                        List.of("cluster", "status"),
                        List.of("cluster", "forget", "n1"),
                        List.of("store", "backup", "x"))) {
            List<String> all = new ArrayList<>(command);
            all.add("--admin=" + admin);
            Result result = godwit(all.toArray(String[]::new));
            assertThat(result.exitCode()).as(all + result.err()).isEqualTo(1);
            assertThat(result.err()).startsWith("--admin: ").hasLineCount(1);
        }
    }

    @Test
    void an_address_where_nobody_answers_is_one_sentence() throws Exception {
        int port;
        try (var free = new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Result result = godwit("memory", "--admin", "http://127.0.0.1:" + port);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo("no broker answers at its admin port 127.0.0.1:" + port + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>hello</html>", "{}", "[1]", "hello", "{\"status\":\"ok\"", ""})
    void something_else_than_a_broker_is_one_sentence(String body) throws Exception {
        HttpServer other =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        other.createContext(
                "/",
                exchange -> {
                    exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
                    exchange.getResponseBody().write(bytes);
                    exchange.close();
                });
        other.start();
        try {
            String admin = "--admin=" + other.getAddress().getPort();
            for (Result result :
                    List.of(
                            godwit("memory", admin),
                            godwit("cluster", "status", admin),
                            godwit("cluster", "forget", "n1", admin))) {
                assertThat(result.exitCode()).isEqualTo(1);
                assertThat(result.err())
                        .startsWith("what answers at 127.0.0.1:")
                        .doesNotContain("Exception", "Source", "REDACTED")
                        .hasLineCount(1);
            }
        } finally {
            other.stop(0);
        }
    }

    @Test
    void a_broker_that_wants_a_token_is_one_sentence_that_names_the_key() {
        try (BrokerFixture broker = BrokerFixture.start("admin.token=0123456789abcdef")) {
            Result result = godwit("cluster", "forget", "n1", "--admin=" + broker.adminPort());
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.err()).contains("admin.token", "refused").hasLineCount(1);
            Result wrong =
                    godwit(
                            "cluster",
                            "forget",
                            "n1",
                            "--admin=" + broker.adminPort(),
                            "--set=admin.token=fedcba9876543210");
            assertThat(wrong.exitCode()).isEqualTo(1);
            assertThat(wrong.err()).contains("admin.token", "refused").hasLineCount(1);
        }
    }
}

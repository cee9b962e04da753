package io.godwit.extensions.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import io.godwit.extension.ConfigurationException;
import io.godwit.extension.access.AccessRule;
import io.godwit.extension.access.AccessRules;
import io.godwit.extension.auth.AuthenticationResult;
import io.godwit.extension.auth.Authorization;
import io.godwit.extension.auth.Grant;
import io.godwit.extension.client.Origin;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.packet.ReasonCode;
import io.godwit.extension.packet.Subscription;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpExtensionTest {
    private static final Bytes SECRET = Bytes.ofText("secret");
    private static final String ALLOW = "{\"result\": \"allow\"}";

    private final TestServer server = TestServer.start();

    @AfterEach
    void stop() {
        server.close();
    }

    private static AuthenticationResult refused(ReasonCode reason, String text) {
        return AuthenticationResult.refused(reason, text);
    }

    private static Grant grantOf(AuthenticationResult result) {
        assertThat(result).isInstanceOf(AuthenticationResult.Granted.class);
        return ((AuthenticationResult.Granted) result).grant();
    }

    @Nested
    class Questions {
        @Test
        void connect_is_asked_about_without_the_clients_port() throws Exception {
            try (Running http =
                    Running.start(Settings.of(server).header("Authorization", "Bearer t"))) {
                http.authenticate("alice");
                http.authenticate(
                        Running.connect(null, null),
                        new Origin("[2001:db8::1]:1883", "mqtt", false, null));
            }
            assertThat(server.questions)
                    .containsExactly(
                            "{\"action\":\"connect\",\"clientId\":\"c1\",\"userName\":\"alice\","
                                    + "\"address\":\"10.0.0.1\",\"listener\":\"mqtts\","
                                    + "\"hasCertificate\":true,\"certificateName\":\"dev-1\","
                                    + "\"password\":\"secret\"}",
                            "{\"action\":\"connect\",\"clientId\":\"c1\",\"userName\":null,"
                                    + "\"address\":\"2001:db8::1\",\"listener\":\"mqtt\","
                                    + "\"hasCertificate\":false,\"certificateName\":null,"
                                    + "\"password\":null}");
            assertThat(server.authorizations).containsOnly("Bearer t");
        }

        @Test
        void publish_and_subscribe_are_asked_about_where_it_is_configured() throws Exception {
            server.answers(TestServer.json(ALLOW));
            try (Running http = Running.start(Settings.of(server).asksAll())) {
                http.publish(
                        PublishPacket.to("a/b")
                                .qos(2)
                                .retain(true)
                                .payload(Bytes.ofText("p"))
                                .build());
                http.subscribe(new Subscription("$share/g/a/#", 1, false, false, 0));
            }
            String client =
                    "\"clientId\":\"c1\",\"userName\":\"alice\",\"address\":\"10.0.0.1\","
                            + "\"listener\":\"mqtts\",\"hasCertificate\":true,"
                            + "\"certificateName\":\"dev-1\",";
            assertThat(server.questions)
                    .containsExactly(
                            "{\"action\":\"publish\","
                                    + client
                                    + "\"topic\":\"a/b\",\"qos\":2,\"retain\":true}",
                            "{\"action\":\"subscribe\","
                                    + client
                                    + "\"topicFilter\":\"$share/g/a/#\",\"qos\":1}");
        }

        @Test
        void authorizers_are_not_registered_where_nothing_is_configured() throws Exception {
            try (Running http = Running.start(Settings.of(server))) {
                assertThat(http.context.publishAuthorizer).isNull();
                assertThat(http.context.subscribeAuthorizer).isNull();
            }
        }

        @Test
        void client_that_authenticates_by_a_method_is_passed_on_unasked() throws Exception {
            try (Running http = Running.start(Settings.of(server))) {
                assertThat(
                                http.authenticate(
                                        Running.connect("alice", SECRET, "SCRAM-SHA-256"),
                                        Running.ORIGIN))
                        .isEqualTo(AuthenticationResult.passedOn());
            }
            assertThat(server.questions).isEmpty();
        }

        @Test
        void password_that_is_no_text_is_refused_unasked() throws Exception {
            Bytes noText = Bytes.copyOf(new byte[] {(byte) 0xFF, 1});
            try (Running http = Running.start(Settings.of(server))) {
                assertThat(http.authenticate(Running.connect("alice", noText), Running.ORIGIN))
                        .isEqualTo(
                                refused(
                                        ReasonCode.BAD_USER_NAME_OR_PASSWORD,
                                        "the password is not UTF-8"));
            }
            assertThat(server.questions).isEmpty();
        }
    }

    @Nested
    class Answers {
        @Test
        void grant_has_everything_that_the_answer_says() throws Exception {
            server.answers(
                    TestServer.json(
                            """
                            {"result": "allow", "userName": "alice@example", "groups": ["fleet"],
                             "attributes": {"site": "north"}, "connectTime": 3600,
                             "receiveMaximum": 10, "publishRate": 20, "publishBytes": 3000000000,
                             "queueMessages": 5000000000, "queueBytes": 4096,
                             "queueFull": "discard-oldest",
                             "connectionsOfUser": 3, "connectionsOfAddress": 4,
                             "rules": [
                               {"deny": "publish", "topic": "a/#", "qos": 2, "retain": true,
                                "certificate": false},
                               {"allow": ["publish", "subscribe"], "topic": ["a/%c", "b"],
                                "qos": [0, 1], "user": "alice*", "group": "fleet", "client": "c*",
                                "address": "10.0.0.0/8", "listener": "mqtt*"},
                               {"allow": "subscribe", "topic": "#", "share": "none"},
                               {"allow": "all", "user": "admin"}]}
                            """));
            Grant grant;
            try (Running http = Running.start(Settings.of(server))) {
                grant = grantOf(http.authenticate("alice"));
            }
            assertThat(grant.userName()).contains("alice@example");
            assertThat(grant.groups()).containsExactly("fleet");
            assertThat(grant.attributes()).containsExactly(Map.entry("site", "north"));
            assertThat(grant.connectTime())
                    .isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60));
            assertThat(grant.receiveMaximum()).isEqualTo(10);
            assertThat(grant.publishRate()).isEqualTo(20);
            assertThat(grant.publishBytes()).isEqualTo(3_000_000_000L);
            assertThat(grant.queueMessages()).isEqualTo(5_000_000_000L);
            assertThat(grant.queueBytes()).isEqualTo(4_096);
            assertThat(grant.queueFull()).contains(Grant.QueueFull.DISCARD_OLDEST);
            assertThat(grant.connectionsOfUser()).isEqualTo(3);
            assertThat(grant.connectionsOfAddress()).isEqualTo(4);
            AccessRules rules = grant.rules().orElseThrow();
            assertThat(rules.groups()).containsExactly(Map.entry("fleet", List.of()));
            assertThat(rules.rules().stream().map(AccessRule::toString))
                    .containsExactly(
                            "{deny: publish, certificate: false, topic: \"a/#\", qos: 2,"
                                    + " retain: true}",
                            "{allow: [publish, subscribe], user: \"alice*\", group: fleet,"
                                    + " client: \"c*\", address: \"10.0.0.0/8\","
                                    + " listener: \"mqtt*\", topic: [\"a/%c\", b], qos: [0, 1]}",
                            "{allow: subscribe, topic: \"#\", share: none}",
                            "{allow: all, user: admin}");
        }

        @Test
        void short_answer_lets_the_user_in_whom_the_client_named() throws Exception {
            server.answers(TestServer.json(ALLOW));
            try (Running http = Running.start(Settings.of(server))) {
                Grant grant = grantOf(http.authenticate("alice"));
                assertThat(grant.userName()).contains("alice");
                assertThat(grant.rules()).isEmpty();
                assertThat(grant.connectTime()).isZero();
                Grant anonymous =
                        grantOf(http.authenticate(Running.connect(null, null), Running.ORIGIN));
                assertThat(anonymous.userName()).isEmpty();
            }
        }

        @Test
        void list_without_rules_allows_nothing() throws Exception {
            server.answers(TestServer.json("{\"result\": \"allow\", \"rules\": []}"));
            try (Running http = Running.start(Settings.of(server))) {
                assertThat(grantOf(http.authenticate("alice")).rules()).contains(AccessRules.of());
            }
        }

        @Test
        void client_is_refused_or_passed_on() throws Exception {
            try (Running http = Running.start(Settings.of(server))) {
                server.answers(TestServer.status(401));
                assertThat(http.authenticate("a"))
                        .isEqualTo(refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, ""));
                server.answers(TestServer.status(403));
                assertThat(http.authenticate("a"))
                        .isEqualTo(refused(ReasonCode.NOT_AUTHORIZED, ""));
                server.answers(TestServer.json("{\"result\": \"deny\", \"text\": \"locked\"}"));
                assertThat(http.authenticate("a"))
                        .isEqualTo(refused(ReasonCode.NOT_AUTHORIZED, "locked"));
                server.answers(TestServer.status(204));
                assertThat(http.authenticate("a")).isEqualTo(AuthenticationResult.passedOn());
                server.answers(TestServer.json("{\"result\": \"pass\"}"));
                assertThat(http.authenticate("a")).isEqualTo(AuthenticationResult.passedOn());
                assertThat(http.context.healthReports).isEmpty();
            }
        }

        @Test
        void publish_is_allowed_denied_or_left_open() throws Exception {
            PublishPacket publish = PublishPacket.to("a").build();
            try (Running http = Running.start(Settings.of(server).asksAll())) {
                server.answers(TestServer.json(ALLOW));
                assertThat(http.publish(publish)).isEqualTo(Authorization.allowed());
                server.answers(TestServer.status(401));
                assertThat(http.publish(publish)).isEqualTo(Authorization.denied());
                server.answers(TestServer.status(204));
                assertThat(http.publish(publish)).isEqualTo(Authorization.undecided());
                server.answers(TestServer.json("{\"result\": \"allow\", \"rules\": []}"));
                assertThatThrownBy(() -> http.publish(publish))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("rules is not known here");
            }
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    "null",
                    "[]",
                    "<html>",
                    "{\"result\": \"allow\"",
                    "{\"result\": \"allow\"} {}",
                    "{\"result\": \"allow\", \"result\": \"deny\"}",
                    "{}",
                    "{\"result\": true}",
                    "{\"result\": \"Allow\"}",
                    "{\"result\": \"allow\", \"rule\": []}",
                    "{\"result\": \"allow\", \"text\": \"x\"}",
                    "{\"result\": \"allow\", \"groups\": [1]}",
                    "{\"result\": \"allow\", \"attributes\": {\"a\": 1}}",
                    "{\"result\": \"allow\", \"connectTime\": -1}",
                    "{\"result\": \"allow\", \"connectTime\": 1.5}",
                    "{\"result\": \"allow\", \"connectTime\": 99999999999999999999}",
                    "{\"result\": \"allow\", \"receiveMaximum\": 65536}",
                    "{\"result\": \"allow\", \"queueMessages\": 1000000000001}",
                    "{\"result\": \"allow\", \"queueBytes\": 1023}",
                    "{\"result\": \"allow\", \"queueFull\": \"DISCARD_OLDEST\"}",
                    "{\"result\": \"allow\", \"connectionsOfUser\": 100000001}",
                    "{\"result\": \"allow\", \"connectionsOfAddress\": -1}",
                    "{\"result\": \"allow\", \"rules\": {}}",
                    "{\"result\": \"allow\", \"rules\": [{}]}",
                    "{\"result\": \"allow\", \"rules\": [{\"allow\": \"all\", \"deny\": \"all\"}]}",
                    "{\"result\": \"allow\", \"rules\": [{\"allow\": []}]}",
                    "{\"result\": \"allow\", \"rules\": [{\"allow\": \"write\"}]}",
                    "{\"result\": \"allow\", \"rules\": [{\"allow\": \"all\", \"topics\": \"a\"}]}",
                    "{\"result\": \"allow\", \"rules\": [{\"allow\": \"all\", \"topic\": []}]}",
                    "{\"result\": \"allow\", \"rules\": [{\"allow\": \"all\", \"qos\": []}]}",
                    "{\"result\": \"allow\", \"rules\": [{\"allow\": \"all\", \"qos\": 3}]}",
                    "{\"result\": \"allow\", \"rules\": [{\"allow\": \"connect\", \"qos\": 1}]}",
                    "{\"result\": [[[[[[[[[[[[]]]]]]]]]]]]}"
                })
        void answer_that_can_be_misunderstood_is_a_failure(String body) throws Exception {
            server.answers(TestServer.json(body));
            try (Running http = Running.start(Settings.of(server))) {
                assertThatThrownBy(() -> http.authenticate("alice"))
                        .isInstanceOf(IOException.class);
            }
            assertThat(server.questions).as("tried again").hasSize(2);
        }

        @ParameterizedTest
        @ValueSource(ints = {201, 302, 307, 400, 404, 429, 500, 503})
        void other_status_is_a_failure(int status) throws Exception {
            server.answers((exchange, question) -> {
                exchange.getResponseHeaders().set("Location", server.url() + "/else");
                exchange.sendResponseHeaders(status, -1);
            });
            try (Running http = Running.start(Settings.of(server).retries(0))) {
                assertThatThrownBy(() -> http.authenticate("alice"))
                        .isInstanceOf(IOException.class)
                        .hasMessage(server.url() + ": status " + status);
            }
            assertThat(server.questions).hasSize(1);
        }
    }

    @Nested
    class Failures {
        private final AtomicBoolean isGone = new AtomicBoolean();

        /** Writes until the other side has closed, or a gigabyte is through. */
        private void flood(HttpExchange exchange, AtomicLong written) throws IOException {
            exchange.sendResponseHeaders(200, 0);
            byte[] part = new byte[64 << 10];
            try (OutputStream body = exchange.getResponseBody()) {
                while (written.get() < 1L << 30) {
                    body.write(part);
                    written.addAndGet(part.length);
                }
            } finally {
                isGone.set(true);
            }
        }

        @Test
        void body_of_a_gigabyte_is_given_up() throws Exception {
            AtomicLong written = new AtomicLong();
            server.answers((exchange, question) -> flood(exchange, written));
            try (Running http = Running.start(Settings.of(server).retries(0))) {
                assertThatThrownBy(() -> http.authenticate("alice"))
                        .isInstanceOf(IOException.class)
                        .hasMessageEndingWith("the body has more than 64 KiB");
                await().untilTrue(isGone);
            }
            assertThat(written.get()).as("bytes that the server got rid of").isLessThan(64 << 20);
        }

        @Test
        void body_of_64_KiB_is_read() throws Exception {
            String start = "{\"result\": \"deny\", \"text\": \"";
            String end = "\"}";
            String text = "x".repeat((64 << 10) - start.length() - end.length());
            try (Running http = Running.start(Settings.of(server).retries(0))) {
                server.answers(TestServer.json(start + text + end));
                assertThat(http.authenticate("alice"))
                        .isEqualTo(refused(ReasonCode.NOT_AUTHORIZED, "x".repeat(200)));
                server.answers(TestServer.json(start + text + "x" + end));
                assertThatThrownBy(() -> http.authenticate("alice"))
                        .hasMessageEndingWith("the body has more than 64 KiB");
            }
        }

        @Test
        void server_that_is_slow_to_answer_is_given_up() throws Exception {
            server.answers((exchange, question) -> Thread.sleep(60_000));
            Settings settings = Settings.of(server).timeOut(Duration.ofMillis(300)).retries(0);
            try (Running http = Running.start(settings)) {
                long began = System.nanoTime();
                assertThatThrownBy(() -> http.authenticate("alice"))
                        .isInstanceOf(IOException.class)
                        .hasMessageEndingWith("no answer in 300 ms");
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .isLessThan(Duration.ofSeconds(5));
            }
        }

        @Test
        void body_that_comes_drop_by_drop_is_given_up() throws Exception {
            server.answers((exchange, question) -> {
                exchange.sendResponseHeaders(200, 0);
                try (OutputStream body = exchange.getResponseBody()) {
                    for (int i = 0; i < 10_000; i++) {
                        body.write(' ');
                        body.flush();
                        Thread.sleep(10);
                    }
                } finally {
                    isGone.set(true);
                }
            });
            Settings settings = Settings.of(server).timeOut(Duration.ofMillis(300)).retries(0);
            try (Running http = Running.start(settings)) {
                assertThatThrownBy(() -> http.authenticate("alice"))
                        .isInstanceOf(IOException.class)
                        .hasMessageEndingWith("no answer in 300 ms");
                await().untilTrue(isGone);
            }
        }

        @Test
        void body_that_is_shorter_than_announced_is_a_failure() throws Exception {
            server.answers((exchange, question) -> {
                exchange.sendResponseHeaders(200, 1_000);
                exchange.getResponseBody().write(ALLOW.getBytes(UTF_8));
                exchange.getResponseBody().flush();
                throw new IOException("closed");
            });
            try (Running http = Running.start(Settings.of(server).retries(0))) {
                assertThatThrownBy(() -> http.authenticate("alice"))
                        .isInstanceOf(IOException.class);
            }
        }

        @Test
        void server_that_speaks_no_http_is_a_failure() throws Exception {
            try (ServerSocket socket = new ServerSocket(0)) {
                Thread liar =
                        new Thread(() -> {
                            try (Socket client = socket.accept()) {
                                client.getOutputStream()
                                        .write("220 smtp ready\r\n".getBytes(UTF_8));
                                client.getInputStream().read();
                            } catch (IOException e) {
                                // The test is over.
                            }
                        });
                liar.start();
                URI url = URI.create("http://localhost:" + socket.getLocalPort());
                try (Running http = Running.start(Settings.of(url).retries(0))) {
                    assertThatThrownBy(() -> http.authenticate("alice"))
                            .isInstanceOf(IOException.class);
                }
            }
        }

        @Test
        void request_that_failed_is_tried_at_another_url() throws Exception {
            server.answers(TestServer.json(ALLOW));
            try (TestServer broken = TestServer.start().answers(TestServer.status(500));
                    Running http = Running.start(Settings.of(broken.url(), server.url()))) {
                for (int i = 0; i < 4; i++) grantOf(http.authenticate("alice"));
                assertThat(server.questions).hasSize(4);
                assertThat(broken.questions).isNotEmpty();
            }
        }

        @Test
        void url_that_fails_is_left_out_and_comes_back() throws Exception {
            server.answers(TestServer.json(ALLOW));
            TestServer second = TestServer.start();
            int port = second.port();
            second.close();
            try (Running http = Running.start(Settings.of(second.url(), server.url()))) {
                for (int i = 0; i < 20; i++) grantOf(http.authenticate("alice"));
                assertThat(http.context.healthReports)
                        .singleElement()
                        .asString()
                        .startsWith(
                                "degraded: 1 of 2 URLs fail: " + second.url() + ": no connection");

                try (TestServer again = TestServer.start(port).answers(TestServer.json(ALLOW))) {
                    http.authenticate("alice");
                    http.authenticate("alice");
                    assertThat(again.questions).as("asked before it is due").isEmpty();
                    http.pass(Duration.ofSeconds(1));
                    http.authenticate("alice");
                    http.authenticate("alice");
                    assertThat(again.questions).isNotEmpty();
                    assertThat(http.context.healthReports).hasSize(2).last().isEqualTo("healthy");
                }
            }
        }

        @Test
        void failure_names_neither_password_nor_query() throws Exception {
            URI url = URI.create(server.url() + "?token=abc");
            server.answers(TestServer.status(500));
            try (Running http =
                    Running.start(Settings.of(url).header("Authorization", "Bearer t"))) {
                assertThatThrownBy(() -> http.authenticate("alice"))
                        .hasMessage(server.url() + ": status 500");
                assertThat(http.context.configuration(HttpSettings.class).toString())
                        .doesNotContain("Bearer");
            }
        }

        @Test
        void nothing_is_left_when_it_has_stopped() throws Exception {
            server.answers((exchange, question) -> Thread.sleep(60_000));
            Running http = Running.start(Settings.of(server).timeOut(Duration.ofSeconds(60)));
            CompletableFuture<AuthenticationResult> asked =
                    http.begin(Running.connect("alice", SECRET), Running.ORIGIN);
            await().until(() -> !server.questions.isEmpty());
            http.close();
            await().until(asked::isDone);
            assertThat(asked).isCompletedExceptionally();
            await().until(() ->
                    Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(each -> each.getName().startsWith("HttpClient-")));
        }
    }

    @Nested
    class Remembering {
        private int asked() {
            return server.questions.size();
        }

        private TestServer.Behaviour remembered(int status, String cacheControl, String body) {
            return (exchange, question) -> {
                exchange.getResponseHeaders().set("Cache-Control", cacheControl);
                if (body.isEmpty()) {
                    exchange.sendResponseHeaders(status, -1);
                } else {
                    TestServer.send(exchange, body);
                }
            };
        }

        @Test
        void answer_holds_as_long_as_its_max_age_says() throws Exception {
            server.answers(remembered(200, "private, max-age=60", ALLOW));
            try (Running http = Running.start(Settings.of(server))) {
                http.authenticate("alice");
                http.pass(Duration.ofSeconds(59));
                grantOf(http.authenticate("alice"));
                assertThat(asked()).isEqualTo(1);
                http.pass(Duration.ofSeconds(1));
                http.authenticate("alice");
                assertThat(asked()).isEqualTo(2);
            }
        }

        @Test
        void refusals_are_remembered_too() throws Exception {
            server.answers(remembered(401, "max-age=60", ""));
            try (Running http = Running.start(Settings.of(server))) {
                AuthenticationResult first = http.authenticate("alice");
                assertThat(http.authenticate("alice"))
                        .isEqualTo(first)
                        .isEqualTo(refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, ""));
            }
            assertThat(asked()).isEqualTo(1);
        }

        @Test
        void port_does_not_count_and_everything_else_does() throws Exception {
            server.answers(remembered(200, "max-age=60", ALLOW));
            try (Running http = Running.start(Settings.of(server))) {
                http.authenticate("alice");
                http.authenticate(
                        Running.connect("alice", SECRET),
                        new Origin("10.0.0.1:1", "mqtts", true, "dev-1"));
                assertThat(asked()).isEqualTo(1);

                http.authenticate(Running.connect("alice", Bytes.ofText("Secret")), Running.ORIGIN);
                assertThat(asked()).isEqualTo(2);
                http.authenticate(Running.connect("alice", null), Running.ORIGIN);
                assertThat(asked()).isEqualTo(3);
                http.authenticate("bob");
                assertThat(asked()).isEqualTo(4);
                for (Origin each :
                        List.of(
                                new Origin("10.0.0.2:50412", "mqtts", true, "dev-1"),
                                new Origin("10.0.0.1:50412", "mqtt", true, "dev-1"),
                                new Origin("10.0.0.1:50412", "mqtts", true, "dev-2"),
                                new Origin("10.0.0.1:50412", "mqtts", false, null))) {
                    http.authenticate(Running.connect("alice", SECRET), each);
                }
                assertThat(asked()).isEqualTo(8);
            }
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "max-age=60, no-store",
                    "no-cache, max-age=60",
                    "max-age=0",
                    "max-age=-5",
                    "max-age=x",
                    "public"
                })
        void answer_that_is_not_to_be_remembered_is_not(String cacheControl) throws Exception {
            server.answers(remembered(200, cacheControl, ALLOW));
            try (Running http = Running.start(Settings.of(server))) {
                http.authenticate("alice");
                http.authenticate("alice");
            }
            assertThat(asked()).isEqualTo(2);
        }

        @Test
        void failure_is_not_remembered() throws Exception {
            server.answers(remembered(500, "max-age=60", ""));
            try (Running http = Running.start(Settings.of(server).retries(0))) {
                assertThatThrownBy(() -> http.authenticate("alice"))
                        .isInstanceOf(IOException.class);
                server.answers(TestServer.json(ALLOW));
                grantOf(http.authenticate("alice"));
            }
        }

        @Test
        void number_of_answers_is_bounded() throws Exception {
            server.answers(remembered(200, "max-age=60", ALLOW));
            try (Running http = Running.start(Settings.of(server).cache(2))) {
                http.authenticate("a");
                http.authenticate("b");
                http.authenticate("a");
                http.authenticate("c"); // b goes: it was used longest ago.
                assertThat(asked()).isEqualTo(3);
                http.authenticate("a");
                assertThat(asked()).isEqualTo(3);
                http.authenticate("b");
                assertThat(asked()).isEqualTo(4);
            }
        }

        @Test
        void connect_time_counts_from_the_servers_answer() throws Exception {
            String body = "{\"result\": \"allow\", \"connectTime\": 100}";
            server.answers(remembered(200, "max-age=1000", body));
            try (Running http = Running.start(Settings.of(server))) {
                http.authenticate("alice");
                http.pass(Duration.ofSeconds(70));
                assertThat(grantOf(http.authenticate("alice")).connectTime())
                        .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
                assertThat(asked()).isEqualTo(1);
                http.pass(Duration.ofSeconds(30));
                assertThat(grantOf(http.authenticate("alice")).connectTime())
                        .isBetween(Duration.ofSeconds(90), Duration.ofSeconds(100));
                assertThat(asked()).isEqualTo(2);
            }
        }

        @Test
        void broker_is_told_how_long_an_authorization_still_holds() throws Exception {
            server.answers(remembered(200, "max-age=60", ALLOW));
            PublishPacket publish = PublishPacket.to("a").build();
            try (Running http = Running.start(Settings.of(server).asksAll())) {
                http.publish(publish);
                http.pass(Duration.ofSeconds(40));
                Authorization second = http.publish(publish);
                assertThat(((Authorization.Allowed) second).validFor())
                        .isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20));
                http.publish(publish.change().payload(Bytes.ofText("other")).build());
                assertThat(asked()).isEqualTo(1);
                http.publish(publish.change().qos(0).build());
                http.publish(publish.change().retain(true).build());
                assertThat(asked()).isEqualTo(3);
            }
        }
    }

    @Nested
    class ManyAtOnce {
        @Test
        void questions_beyond_the_connections_wait_for_their_turn() throws Exception {
            AtomicInteger running = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            server.answers((exchange, question) -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                Thread.sleep(5);
                running.decrementAndGet();
                String user = question.replaceAll(".*\"userName\":\"(.*?)\".*", "$1");
                TestServer.send(
                        exchange, "{\"result\": \"allow\", \"userName\": \"" + user + "!\"}");
            });
            Settings settings = Settings.of(server).connections(4).timeOut(Duration.ofSeconds(20));
            try (Running http = Running.start(settings)) {
                List<CompletableFuture<AuthenticationResult>> answers = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    answers.add(http.begin(Running.connect("user-" + i, SECRET), Running.ORIGIN));
                }
                for (int i = 0; i < 200; i++) {
                    assertThat(grantOf(Running.await(answers.get(i))).userName())
                            .contains("user-" + i + "!");
                }
            }
            assertThat(most.get()).isEqualTo(4);
            assertThat(server.questions).hasSize(200);
        }

        @Test
        void question_that_waits_too_long_for_its_turn_fails_unasked() throws Exception {
            server.answers((exchange, question) -> Thread.sleep(60_000));
            Settings settings =
                    Settings.of(server).connections(1).timeOut(Duration.ofMillis(300)).retries(1);
            try (Running http = Running.start(settings)) {
                CompletableFuture<AuthenticationResult> first =
                        http.begin(Running.connect("a", SECRET), Running.ORIGIN);
                CompletableFuture<AuthenticationResult> second =
                        http.begin(Running.connect("b", SECRET), Running.ORIGIN);
                assertThatThrownBy(() -> Running.await(first)).isInstanceOf(IOException.class);
                assertThatThrownBy(() -> Running.await(second))
                        .isInstanceOf(IOException.class)
                        .hasMessage("all 1 connections were in use for 300 ms");
            }
            assertThat(server.questions).hasSize(2).allMatch(each -> each.contains("\"a\""));
        }
    }

    @Nested
    class Tls {
        @TempDir Path folder;

        private final TestCertificates.Identity ca = TestCertificates.authority("ca");

        private Path caFile() {
            return ca.writeCertificate(folder.resolve("ca.pem"));
        }

        private TestServer tlsServer(String host, boolean needsClientCertificate) throws Exception {
            TestCertificates.Identity identity = TestCertificates.server(host, ca);
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry(
                    "server",
                    identity.keys().getPrivate(),
                    new char[0],
                    new java.security.cert.Certificate[] {identity.certificate()});
            KeyManagerFactory keys =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, new char[0]);
            KeyStore authorities = KeyStore.getInstance("PKCS12");
            authorities.load(null, null);
            authorities.setCertificateEntry("ca", ca.certificate());
            TrustManagerFactory trusted =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(authorities);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
            return TestServer.startTls(context, needsClientCertificate)
                    .answers(TestServer.json(ALLOW));
        }

        private AuthenticationResult ask(
                TestServer tls, @Nullable Path authorities, @Nullable Path certificate, Path key)
                throws Exception {
            Settings settings = Settings.of(tls).ca(authorities).retries(0);
            if (certificate != null) settings.identity(certificate, key);
            try (Running http = Running.start(settings.timeOut(Duration.ofSeconds(5)))) {
                return http.authenticate("alice");
            }
        }

        @Test
        void server_with_a_certificate_of_the_own_ca_is_trusted() throws Exception {
            try (TestServer tls = tlsServer("localhost", false)) {
                grantOf(ask(tls, caFile(), null, folder));
            }
        }

        @Test
        void server_with_a_wrong_certificate_is_not_asked() throws Exception {
            Path others =
                    TestCertificates.authority("other")
                            .writeCertificate(folder.resolve("other.pem"));
            try (TestServer tls = tlsServer("localhost", false);
                    TestServer elsewhere = tlsServer("example.org", false)) {
                assertThatThrownBy(() -> ask(tls, others, null, folder))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("no TLS");
                assertThatThrownBy(() -> ask(tls, null, null, folder))
                        .as("by the authorities of Java")
                        .hasMessageContaining("no TLS");
                assertThatThrownBy(() -> ask(elsewhere, caFile(), null, folder))
                        .as("for another host")
                        .hasMessageContaining("no TLS");
                assertThat(tls.questions).isEmpty();
                assertThat(elsewhere.questions).isEmpty();
            }
        }

        @Test
        void own_certificate_is_shown_to_a_server_that_wants_one() throws Exception {
            TestCertificates.Identity own = TestCertificates.server("broker", ca);
            Path certificate = own.writeCertificate(folder.resolve("own.pem"));
            Path key = own.writeKey(folder.resolve("own.key"));
            try (TestServer tls = tlsServer("localhost", true)) {
                assertThatThrownBy(() -> ask(tls, caFile(), null, folder))
                        .isInstanceOf(IOException.class);
                assertThat(tls.questions).isEmpty();
                grantOf(ask(tls, caFile(), certificate, key));
            }
        }

        @Test
        void mistakes_in_files_are_named() throws Exception {
            TestCertificates.Identity own = TestCertificates.server("broker", ca);
            Path certificate = own.writeCertificate(folder.resolve("own.pem"));
            Path old =
                    TestCertificates.write(
                            folder.resolve("old.key"), "EC PRIVATE KEY", new byte[] {1});
            Path broken =
                    TestCertificates.write(
                            folder.resolve("broken.pem"), "CERTIFICATE", new byte[] {1, 2, 3});
            Path wrong =
                    TestCertificates.write(
                            folder.resolve("wrong.key"), "PRIVATE KEY", new byte[] {1});
            Path missing = folder.resolve("missing.pem");
            try (TestServer tls = tlsServer("localhost", false)) {
                assertMistake(tls, missing, null, folder, "ca = " + missing + ": there is no");
                assertMistake(tls, folder, null, folder, "ca = " + folder + ": can't be read");
                assertMistake(tls, broken, null, folder, "ca = " + broken + ": has a broken");
                assertMistake(tls, old, null, folder, "ca = " + old + ": has no certificate");
                assertMistake(tls, caFile(), certificate, old, "openssl pkcs8 -topk8");
                assertMistake(tls, caFile(), certificate, wrong, "does not fit");
            }
        }

        private void assertMistake(
                TestServer tls,
                Path authorities,
                @Nullable Path certificate,
                Path key,
                String text) {
            assertThatThrownBy(() -> ask(tls, authorities, certificate, key))
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining(text);
        }
    }

    @Nested
    class Mistakes {
        private void assertMistake(Settings settings, String text) {
            assertThatThrownBy(() -> Running.start(settings).close())
                    .isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining(text)
                    .hasMessageNotContaining("hidden");
        }

        @Test
        void settings_that_can_not_work_are_named_without_secrets() {
            Path file = Path.of("x.pem");
            URI https = URI.create("https://localhost/x");
            assertMistake(Settings.of(URI.create("ftp://a/b")), "urls = ftp://a/b: allowed are");
            assertMistake(Settings.of(URI.create("/mqtt")), "urls = /mqtt");
            assertMistake(Settings.of(URI.create("http:///mqtt")), "urls = http:///mqtt");
            assertMistake(Settings.of(URI.create("http://u:hidden@a/b")), "one with a user");
            assertMistake(Settings.of(server).header("Host", "hidden"), "headers: Host: ");
            assertMistake(Settings.of(server).header("X", "hidden\n"), "headers: X: ");
            assertMistake(Settings.of(https).identity(file, null), "one needs the other");
            assertMistake(Settings.of(https).identity(null, file), "one needs the other");
            assertMistake(Settings.of(server).ca(file), "are for URLs with https");
        }
    }
}

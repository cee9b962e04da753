package io.godwit.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import io.godwit.server.security.users.NewHashes;
import io.godwit.server.tls.TestCertificates;
import io.godwit.server.tls.TestCertificates.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Marked secrets go every way that they can go through a broker that logs everything; none is in
 * what it logs or answers.
 */
class SecretsIT {
    private static final String PASSWORD = "mark-password-1f3a";
    private static final String WRONG = "mark-wrong-77b2";
    private static final String TOKEN = "mark-token-c0ffee";
    private static final String UNKNOWN = "mark-unknown-9d1e";
    private static final String ADMIN = "mark-admin-token-4b7d";
    private static final String BAD_HASH = "mark-badline-aa01";
    private static final String PAYLOAD = "mark-payload-51c9";
    private static final String WILL = "mark-will-0e44";
    private static final String RETAINED = "mark-retained-6a6a";

    @TempDir Path folder;

    private final List<String> secrets =
            new ArrayList<>(
                    List.of(
                            PASSWORD, WRONG, TOKEN, UNKNOWN, ADMIN, BAD_HASH, PAYLOAD, WILL,
                            RETAINED));
    private Path users = Path.of("");

    private BrokerProcess broker() throws IOException {
        NewHashes hashes = new NewHashes(new SecureRandom());
        String ann = hashes.ofPassword(PASSWORD.getBytes(UTF_8)).text();
        String device = hashes.ofToken(TOKEN).text();
        String scram = hashes.ofScram(PASSWORD.getBytes(UTF_8)).text();
        for (String each : List.of(ann, device, scram)) {
            secrets.add(each.substring(each.lastIndexOf('$') + 1)); // What a thief would attack.
        }
        users =
                Files.writeString(
                        folder.resolve("users"),
                        "ann:%s\ndevice:%s\nsam:%s\n".formatted(ann, device, scram));
        Identity authority = TestCertificates.authority("ca");
        Identity server = TestCertificates.server(authority);
        Path certificate =
                TestCertificates.writeCertificates(
                        folder.resolve("cert.pem"), server.certificate());
        Path key = TestCertificates.writeKey(folder.resolve("key.pem"), server.key());
        byte[] bytes = server.key().getEncoded();
        String text = Base64.getEncoder().encodeToString(bytes);
        secrets.add(text.substring(text.length() - 24));
        return new BrokerProcess.Setup()
                .environment(Map.of("GODWIT_ADMIN_TOKEN", ADMIN))
                .set(
                        "log.level=trace",
                        "security.users=" + users,
                        "listeners.secure.type=tls",
                        "listeners.secure.bind=127.0.0.1:0",
                        "listeners.secure.tls.certificate=" + certificate,
                        "listeners.secure.tls.key=" + key)
                .start();
    }

    private static Mqtt5BlockingClient client(
            BrokerProcess broker, String id, String user, String password) {
        return MqttClient.builder()
                .useMqttVersion5()
                .identifier(id)
                .serverHost("127.0.0.1")
                .serverPort(broker.port("mqtt"))
                .simpleAuth()
                .username(user)
                .password(password.getBytes(UTF_8))
                .applySimpleAuth()
                .buildBlocking();
    }

    private static void use(BrokerProcess broker, String id, String user, String password) {
        Mqtt5BlockingClient client = client(broker, id, user, password);
        assertThat(
                        client.connectWith()
                                .cleanStart(true)
                                .sessionExpiryInterval(100)
                                .willPublish()
                                .topic("will")
                                .payload(WILL.getBytes(UTF_8))
                                .applyWillPublish()
                                .send()
                                .getReasonCode())
                .isEqualTo(Mqtt5ConnAckReasonCode.SUCCESS);
        client.subscribeWith().topicFilter("#").qos(MqttQos.AT_LEAST_ONCE).send();
        client.publishWith()
                .topic("t")
                .qos(MqttQos.EXACTLY_ONCE)
                .payload(PAYLOAD.getBytes(UTF_8))
                .send();
        client.publishWith()
                .topic("r")
                .qos(MqttQos.AT_LEAST_ONCE)
                .retain(true)
                .payload(RETAINED.getBytes(UTF_8))
                .send();
        client.disconnect();
    }

    private static String get(BrokerProcess broker, String request, String token)
            throws IOException {
        return RawHttp.send(
                broker.port("admin"),
                request + " HTTP/1.1",
                "Host: localhost",
                "Authorization: Bearer " + token,
                "Connection: close");
    }

    @Test
    void no_secret_is_in_what_a_broker_logs_or_answers() throws Exception {
        List<String> seen = new ArrayList<>();
        try (BrokerProcess broker = broker()) {
            use(broker, "one", "ann", PASSWORD);
            use(broker, "two", "device", TOKEN);
            use(broker, "three", "sam", PASSWORD);
            for (String user : List.of("ann", "device", "sam")) {
                assertThat(catchThrowable(() -> client(broker, "w", user, WRONG).connect()))
                        .isNotNull();
            }
            assertThat(catchThrowable(() -> client(broker, "u", "nobody", UNKNOWN).connect()))
                    .isNotNull();
            Files.writeString(users, "ann:$argon2id$" + BAD_HASH + "\n");
            seen.add(get(broker, "POST /reload", ADMIN));
            assertThat(seen.getFirst()).contains("409", "users");
            seen.add(get(broker, "GET /clients", WRONG));
            for (String page :
                    List.of(
                            "/clients",
                            "/clients/one",
                            "/metrics",
                            "/memory",
                            "/cluster",
                            "/",
                            "/health/ready")) {
                seen.add(get(broker, "GET " + page, ADMIN));
            }
            broker.terminate();
            broker.exitCode();
            seen.addAll(broker.output());
        }
        assertThat(seen).as("it logs each packet").anyMatch(line -> line.contains("CONNECT"));
        for (String secret : secrets) {
            assertThat(seen).as(secret).noneMatch(line -> line.contains(secret));
        }
    }
}

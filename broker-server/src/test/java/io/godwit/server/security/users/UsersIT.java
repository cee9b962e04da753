package io.godwit.server.security.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.lifecycle.MqttClientDisconnectedListener;
import com.hivemq.client.mqtt.mqtt3.exceptions.Mqtt3ConnAckException;
import com.hivemq.client.mqtt.mqtt3.message.connect.connack.Mqtt3ConnAckReturnCode;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import io.godwit.server.BrokerFixture;
import io.godwit.server.StartFailed;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsersIT {
    private final NewHashes hashes = new NewHashes(new SecureRandom());
    private @TempDir Path folder;
    private Path file;
    private BrokerFixture broker;

    @BeforeEach
    void start() throws Exception {
        file = folder.resolve("users");
        mosquittoPasswd("-c", "mia", "of mosquitto");
        UsersFileEdit edit = UsersFileEdit.open(file, false);
        edit.set("alice", hashes.ofPassword(bytes("wonderland")));
        edit.set("sam", hashes.ofScram(bytes("pencil")));
        edit.set("device", hashes.ofToken("abcdefghijklmnopqrstuvwxyz234567"));
        edit.write();
        broker = BrokerFixture.start("security.users=" + file, "security.reload=1s");
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private void mosquittoPasswd(String option, String name, String password) throws Exception {
        Process made =
                new ProcessBuilder(
                                "mosquitto_passwd", option, "-b", file.toString(), name, password)
                        .redirectErrorStream(true)
                        .start();
        String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(made.waitFor()).as(said).isZero();
    }

    @Test
    void each_kind_of_hash_lets_its_user_in_and_nobody_else() {
        connect("alice", "wonderland");
        connect("alice", "wonderland"); // remembered
        connect("mia", "of mosquitto");
        connect("sam", "pencil");
        connect("device", "abcdefghijklmnopqrstuvwxyz234567");
        for (String name : new String[] {"alice", "mia", "sam", "device", "nobody"}) {
            assertThatThrownBy(() -> connect(name, "wrong"))
                    .isInstanceOfSatisfying(
                            Mqtt5ConnAckException.class,
                            e ->
                                    assertThat(e.getMqttMessage().getReasonCode())
                                            .isEqualTo(
                                                    Mqtt5ConnAckReasonCode
                                                            .BAD_USER_NAME_OR_PASSWORD));
        }
        assertThatThrownBy(() -> client().connect()).isInstanceOf(Mqtt5ConnAckException.class);
    }

    @Test
    void client_of_3_1_1_gets_return_code_4_for_a_wrong_password() {
        assertThatThrownBy(() ->
                        MqttClient.builder()
                                .useMqttVersion3()
                                .serverHost("127.0.0.1")
                                .serverPort(broker.port())
                                .simpleAuth()
                                .username("alice")
                                .password(bytes("wrong"))
                                .applySimpleAuth()
                                .buildBlocking()
                                .connect())
                .isInstanceOfSatisfying(
                        Mqtt3ConnAckException.class,
                        e ->
                                assertThat(e.getMqttMessage().getReturnCode())
                                        .isEqualTo(
                                                Mqtt3ConnAckReturnCode.BAD_USER_NAME_OR_PASSWORD));
    }

    @Test
    void scram_lets_its_user_in_and_again_while_connected() {
        Mqtt5BlockingClient client = client();
        client.connect(scram("sam", "pencil"));
        client.reauth();
        client.publishWith().topic("a").send();
        client.disconnect();
        assertThatThrownBy(() -> client().connect(scram("sam", "pen")))
                .isInstanceOf(Mqtt5ConnAckException.class);
        assertThatThrownBy(() -> client().connect(scram("alice", "wonderland")))
                .isInstanceOf(Mqtt5ConnAckException.class);
    }

    @Test
    void changed_file_counts_after_a_while_and_a_broken_one_does_not() throws Exception {
        Files.writeString(file, "alice:" + hashes.ofPassword(bytes("new")).text() + "\n");
        await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> connects("new"));
        assertThat(connects("wonderland")).isFalse();
        Files.writeString(file, "alice:new\n");
        Thread.sleep(2_000);
        assertThat(connects("new")).isTrue();
    }

    @Test
    void client_whose_user_is_removed_is_disconnected_and_one_with_a_new_password_is_not()
            throws Exception {
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Mqtt5BlockingClient removed = client(context -> ended.complete(context.getCause()));
        removed.connect(password("alice", "wonderland"));
        Mqtt5BlockingClient byScram = client();
        byScram.connect(scram("sam", "pencil"));
        Mqtt5BlockingClient changed = client();
        changed.connect(password("mia", "of mosquitto"));
        UsersFileEdit edit = UsersFileEdit.open(file, false);
        edit.set("mia", hashes.ofPassword(bytes("new")));
        edit.delete("alice");
        edit.delete("sam");
        edit.write();
        assertThat(ended.get(20, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        Mqtt5DisconnectException.class,
                        e ->
                                assertThat(e.getMqttMessage().getReasonCode())
                                        .isEqualTo(Mqtt5DisconnectReasonCode.NOT_AUTHORIZED));
        await().until(() -> !byScram.getState().isConnected());
        changed.publishWith().topic("a").qos(MqttQos.AT_LEAST_ONCE).send();
        changed.disconnect();
    }

    @Test
    void broker_with_a_broken_file_does_not_start_and_names_the_line() throws Exception {
        Files.writeString(file, "alice:wonderland\n");
        assertThatThrownBy(() -> BrokerFixture.tryStart("security.users=" + file))
                .isInstanceOf(StartFailed.class)
                .hasMessageStartingWith("security.users: " + file + ", line 1: no hash that")
                .message()
                .doesNotContain("wonderland");
    }

    private boolean connects(String password) {
        try {
            connect("alice", password);
            return true;
        } catch (Mqtt5ConnAckException e) {
            return false;
        }
    }

    private void connect(String name, String password) {
        Mqtt5BlockingClient client = client();
        client.connect(password(name, password));
        client.disconnect();
    }

    private static Mqtt5Connect password(String name, String password) {
        return Mqtt5Connect.builder()
                .simpleAuth()
                .username(name)
                .password(bytes(password))
                .applySimpleAuth()
                .build();
    }

    private static Mqtt5Connect scram(String name, String password) {
        return Mqtt5Connect.builder().enhancedAuth(new ScramMechanism(name, password)).build();
    }

    private Mqtt5BlockingClient client() {
        return client(context -> {});
    }

    private Mqtt5BlockingClient client(MqttClientDisconnectedListener onEnd) {
        return MqttClient.builder()
                .useMqttVersion5()
                .identifier(UUID.randomUUID().toString())
                .serverHost("127.0.0.1")
                .serverPort(broker.port())
                .addDisconnectedListener(onEnd)
                .buildBlocking();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

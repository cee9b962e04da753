package io.godwit.server.security.users;

import com.hivemq.client.mqtt.datatypes.MqttUtf8String;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientConfig;
import com.hivemq.client.mqtt.mqtt5.auth.Mqtt5EnhancedAuthMechanism;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5Auth;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5AuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5EnhancedAuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** SCRAM-SHA-256 at the side of a client, which checks the server's signature. */
final class ScramMechanism implements Mqtt5EnhancedAuthMechanism {
    private static final AtomicInteger NONCES = new AtomicInteger();

    private final String name;
    private final String password;
    private String bare = "";
    private String verifier = "";

    ScramMechanism(String name, String password) {
        this.name = name;
        this.password = password;
    }

    @Override
    public MqttUtf8String getMethod() {
        return MqttUtf8String.of("SCRAM-SHA-256");
    }

    @Override
    public int getTimeout() {
        return 10;
    }

    private byte[] first() {
        bare = "n=" + name + ",r=nonce" + NONCES.incrementAndGet();
        return bytes("n,," + bare);
    }

    private byte[] last(String challenge) {
        String[] parts = challenge.split(",", -1);
        byte[] salt = Base64.getDecoder().decode(parts[1].substring(2));
        int iterations = Integer.parseInt(parts[2].substring(2));
        byte[] salted = Hmac.SHA256.pbkdf2(bytes(password), salt, iterations);
        String withoutProof = "c=biws," + parts[0];
        byte[] message = bytes(bare + "," + challenge + "," + withoutProof);
        byte[] proof = Hmac.SHA256.of(salted, ScramText.CLIENT_KEY);
        byte[] signature = Hmac.SHA256.of(Hmac.sha256(proof), message);
        for (int i = 0; i < proof.length; i++) {
            proof[i] ^= signature[i];
        }
        byte[] serverKey = Hmac.SHA256.of(salted, ScramText.SERVER_KEY);
        verifier = "v=" + Base64.getEncoder().encodeToString(Hmac.SHA256.of(serverKey, message));
        return bytes(withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof));
    }

    @Override
    public CompletableFuture<Void> onAuth(
            Mqtt5ClientConfig config, Mqtt5Connect connect, Mqtt5EnhancedAuthBuilder builder) {
        builder.data(first());
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> onReAuth(Mqtt5ClientConfig config, Mqtt5AuthBuilder builder) {
        builder.data(first());
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Boolean> onContinue(
            Mqtt5ClientConfig config, Mqtt5Auth auth, Mqtt5AuthBuilder builder) {
        builder.data(last(text(auth.getData().orElseThrow())));
        return CompletableFuture.completedFuture(true);
    }

    @Override
    public CompletableFuture<Boolean> onAuthSuccess(Mqtt5ClientConfig config, Mqtt5ConnAck ack) {
        String data = text(ack.getEnhancedAuth().orElseThrow().getData().orElseThrow());
        return CompletableFuture.completedFuture(data.equals(verifier));
    }

    @Override
    public CompletableFuture<Boolean> onReAuthSuccess(Mqtt5ClientConfig config, Mqtt5Auth auth) {
        return CompletableFuture.completedFuture(
                text(auth.getData().orElseThrow()).equals(verifier));
    }

    @Override
    public void onAuthRejected(Mqtt5ClientConfig config, Mqtt5ConnAck ack) {}

    @Override
    public void onReAuthRejected(Mqtt5ClientConfig config, Mqtt5Disconnect disconnect) {}

    @Override
    public void onAuthError(Mqtt5ClientConfig config, Throwable cause) {}

    @Override
    public void onReAuthError(Mqtt5ClientConfig config, Throwable cause) {}

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ByteBuffer data) {
        return StandardCharsets.UTF_8.decode(data.duplicate()).toString();
    }
}

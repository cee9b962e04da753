package io.godwit.extensions.http;

import io.godwit.extension.auth.AuthenticationRequest;
import io.godwit.extension.auth.AuthenticationResult;
import io.godwit.extension.auth.Authorization;
import io.godwit.extension.client.Client;
import io.godwit.extension.client.Origin;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.packet.ConnectPacket;
import io.godwit.extension.packet.MqttVersion;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.packet.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The extension, started with settings, and asked as a broker asks it. */
final class Running implements AutoCloseable {
    static final Origin ORIGIN = new Origin("10.0.0.1:50412", "mqtts", true, "dev-1");
    static final Client CLIENT =
            new Client("c1", MqttVersion.V5, "alice", List.of(), Map.of(), ORIGIN);

    private final HttpExtension extension;
    final FakeContext context;

    /** Added to the time that the extension sees. */
    volatile long passedNanos;

    private Running(Settings settings) {
        this.context = new FakeContext(settings.build());
        this.extension = new HttpExtension(() -> System.nanoTime() + passedNanos);
    }

    static Running start(Settings settings) throws Exception {
        Running running = new Running(settings);
        try {
            running.extension.start(running.context);
        } catch (Exception e) {
            running.context.close();
            throw e;
        }
        return running;
    }

    void pass(Duration time) {
        passedNanos += time.toNanos();
    }

    static ConnectPacket connect(@Nullable String userName, @Nullable Bytes password) {
        return connect(userName, password, null);
    }

    static ConnectPacket connect(
            @Nullable String userName, @Nullable Bytes password, @Nullable String method) {
        return new ConnectPacket(
                MqttVersion.V5,
                "c1",
                true,
                60,
                0,
                65_535,
                userName,
                password,
                null,
                method,
                null,
                List.of());
    }

    CompletableFuture<AuthenticationResult> begin(ConnectPacket connect, Origin origin)
            throws Exception {
        return Objects.requireNonNull(context.authenticator)
                .authenticate(new AuthenticationRequest(connect, origin))
                .toCompletableFuture();
    }

    AuthenticationResult authenticate(ConnectPacket connect, Origin origin) throws Exception {
        return await(begin(connect, origin));
    }

    /** Asks about a user with the password {@code secret}. */
    AuthenticationResult authenticate(String userName) throws Exception {
        return authenticate(connect(userName, Bytes.ofText("secret")), ORIGIN);
    }

    Authorization publish(PublishPacket publish) throws Exception {
        return await(
                Objects.requireNonNull(context.publishAuthorizer)
                        .authorize(CLIENT, publish)
                        .toCompletableFuture());
    }

    Authorization subscribe(Subscription subscription) throws Exception {
        return await(
                Objects.requireNonNull(context.subscribeAuthorizer)
                        .authorize(CLIENT, subscription)
                        .toCompletableFuture());
    }

    /** Waits for an answer; throws what it has failed with. */
    static <T> T await(CompletableFuture<T> answer) throws Exception {
        try {
            return answer.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw (Exception) Objects.requireNonNull(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("no answer in 10 s", e);
        }
    }

    @Override
    public void close() {
        extension.stop();
        context.close();
    }
}

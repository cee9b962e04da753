package io.godwit.testkit;

import io.godwit.extension.Extension;
import io.godwit.extension.ExtensionContext;
import io.godwit.extension.OnFailure;
import io.godwit.extension.Setting;
import io.godwit.extension.auth.AuthenticationResult;
import io.godwit.extension.event.ClientListener;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.packet.ReasonCode;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An extension as an author writes it: lets everybody in who has the password, marks payloads, and
 * never answers about the topic {@code silent}.
 */
public final class Door implements Extension {
    /** Instances that have started and not stopped. */
    static final AtomicInteger RUNNING = new AtomicInteger();

    /** Folders of all that were to start. */
    static final Set<Path> FOLDERS = ConcurrentHashMap.newKeySet();

    record Config(
            @Setting(description = "lets in") String password,
            @Setting(description = "stands before payloads", value = "seen") String mark) {}

    @Override
    public void start(ExtensionContext context) throws Exception {
        FOLDERS.add(context.info().folder());
        Config config = context.configuration(Config.class);
        context.registrations()
                .authenticator(request ->
                        (request.connect().passwordText().orElse("").equals(config.password)
                                        ? AuthenticationResult.granted("somebody")
                                        : AuthenticationResult.refused(
                                                ReasonCode.BAD_USER_NAME_OR_PASSWORD, "wrong"))
                                .now());
        context.registrations()
                .publishInterceptor(
                        "data/#",
                        (client, publish) -> {
                            if (publish.topic().endsWith("silent")) {
                                return new CompletableFuture<Interception<PublishPacket>>();
                            }
                            String text = config.mark + " " + publish.payload().text();
                            return Interception.changed(publish.change().text(text).build()).now();
                        },
                        OnFailure.REFUSE);
        context.registrations().clientListener(new ClientListener() {});
        RUNNING.incrementAndGet();
    }

    @Override
    public void stop() {
        RUNNING.decrementAndGet();
    }
}

package io.godwit.extensions.http;

import io.godwit.extension.Extension;
import io.godwit.extension.ExtensionContext;
import io.godwit.extension.OnFailure;
import io.godwit.extension.Registrations;
import io.godwit.extension.auth.AuthenticationRequest;
import io.godwit.extension.auth.AuthenticationResult;
import io.godwit.extension.auth.Authorization;
import io.godwit.extension.auth.Grant;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.packet.ConnectPacket;
import io.godwit.extension.packet.ReasonCode;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Asks servers by HTTP who clients are, and, where it is configured, what they may do. */
public final class HttpExtension implements Extension {
    private static final Duration SHORTEST = Duration.ofMillis(1);

    private final LongSupplier nanoTime;
    private @Nullable AuthClient authClient;

    public HttpExtension() {
        this(System::nanoTime);
    }

    HttpExtension(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    @Override
    public void start(ExtensionContext context) throws Exception {
        HttpSettings settings = context.configuration(HttpSettings.class);
        settings.check();
        AuthClient started =
                new AuthClient(
                        settings,
                        PemFiles.tls(settings),
                        context.executor(),
                        context.health(),
                        nanoTime);
        authClient = started;
        Registrations registrations = context.registrations();
        registrations.authenticator(request -> authenticate(started, request));
        if (settings.publish()) {
            registrations.publishAuthorizer(
                    (client, publish) -> authorize(started, Question.publish(client, publish)),
                    OnFailure.REFUSE);
        }
        if (settings.subscribe()) {
            registrations.subscribeAuthorizer(
                    (client, subscription) ->
                            authorize(started, Question.subscribe(client, subscription)),
                    OnFailure.REFUSE);
        }
    }

    @Override
    public void stop() {
        if (authClient != null) authClient.close();
    }

    private CompletionStage<AuthenticationResult> authenticate(
            AuthClient from, AuthenticationRequest request) {
        ConnectPacket connect = request.connect();
        // It proves by its method who it is, not to us.
        if (connect.authenticationMethod() != null) return AuthenticationResult.passedOn().now();
        Bytes password = connect.password();
        if (password != null && !isText(password)) {
            return AuthenticationResult.refused(
                            ReasonCode.BAD_USER_NAME_OR_PASSWORD, "the password is not UTF-8")
                    .now();
        }
        return from.ask(Question.connect(request)).thenApply(this::result);
    }

    private static boolean isText(Bytes bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(bytes.asBuffer());
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    private AuthenticationResult result(CachedVerdict cached) {
        Verdict verdict = cached.verdict();
        if (verdict instanceof Verdict.Allowed allowed) {
            Duration age = cached.age(nanoTime.getAsLong());
            return AuthenticationResult.granted(aged(allowed.grant(), age));
        }
        if (verdict instanceof Verdict.Refused refused) {
            return AuthenticationResult.refused(refused.reason(), refused.text());
        }
        return AuthenticationResult.passedOn();
    }

    /** Takes from the connect time what has gone by since the server has said it. */
    private static Grant aged(Grant grant, Duration age) {
        if (grant.connectTime().isZero()) return grant;
        Duration left = grant.connectTime().minus(age);
        Grant.Builder copy =
                Grant.to(grant.userName().orElse(null))
                        .groups(grant.groups())
                        .attributes(grant.attributes())
                        .connectTime(left.compareTo(SHORTEST) < 0 ? SHORTEST : left)
                        .receiveMaximum(grant.receiveMaximum())
                        .publishRate(grant.publishRate())
                        .publishBytes(grant.publishBytes())
                        .queueMessages(grant.queueMessages())
                        .queueBytes(grant.queueBytes())
                        .connectionsOfUser(grant.connectionsOfUser())
                        .connectionsOfAddress(grant.connectionsOfAddress());
        grant.rules().ifPresent(copy::rules);
        grant.queueFull().ifPresent(copy::queueFull);
        return copy.build();
    }

    private CompletionStage<Authorization> authorize(AuthClient from, Question question) {
        return from.ask(question)
                .thenApply(cached -> {
                    Duration remaining = cached.remaining(nanoTime.getAsLong());
                    Verdict verdict = cached.verdict();
                    if (verdict instanceof Verdict.Allowed)
                        return new Authorization.Allowed(remaining);
                    if (verdict instanceof Verdict.Refused refused) {
                        return new Authorization.Denied(refused.reason(), remaining);
                    }
                    return new Authorization.Undecided(remaining);
                });
    }
}

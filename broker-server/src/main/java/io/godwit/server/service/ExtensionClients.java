package io.godwit.server.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.core.codec.LegalReasons;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PacketType;
import io.godwit.extension.packet.ReasonCode;
import io.godwit.extension.service.ClientInfo;
import io.godwit.extension.service.ClientService;
import io.godwit.extension.service.Page;
import io.godwit.extension.service.ServiceFailedException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Serves one extension that asks about clients. */
public final class ExtensionClients implements ClientService {
    private final ServiceCalls calls;
    private final Sessions sessions;

    public ExtensionClients(ServiceCalls calls, Sessions sessions) {
        this.calls = calls;
        this.sessions = sessions;
    }

    /**
     * @throws IllegalArgumentException it is no client id
     */
    static ClientId clientId(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        if (bytes.length == 0 || bytes.length > 65_535) {
            throw new IllegalArgumentException("a client id has 1 to 65535 bytes");
        }
        return new ClientId(bytes);
    }

    @Override
    public CompletionStage<Optional<ClientInfo>> find(String clientId) {
        return calls.call(() ->
                sessions.ofClient(new SessionQuestion.Find(clientId(clientId)))
                        .thenApply(found -> found.map(this::info)));
    }

    private ClientInfo info(Sessions.Answered answered) {
        return ClientInfoCodec.read(answered.body(), answered.server(), sessions::name);
    }

    @Override
    public CompletionStage<Page<ClientInfo>> page(Optional<String> from) {
        return calls.call(() ->
                sessions.page(
                        PagePlace.of(from),
                        SessionQuestion.ListSessions::new,
                        (body, server) -> ClientInfoCodec.read(body, server, sessions::name)));
    }

    @Override
    public CompletionStage<Boolean> disconnect(
            String clientId, ReasonCode reason, String text, boolean publishesWill) {
        io.godwit.core.packet.ReasonCode code =
                LegalReasons.ofRefusal(
                        PacketType.DISCONNECT,
                        Objects.requireNonNull(io.godwit.core.packet.ReasonCode.of(reason.code())));
        return calls.call(() -> {
            if (text.getBytes(UTF_8).length > 65_535 || text.indexOf(0) >= 0) {
                return CompletableFuture.failedFuture(
                        new ServiceFailedException(
                                ServiceFailedException.Cause.REFUSED,
                                "the text is no string of MQTT"));
            }
            return isDone(
                    new SessionQuestion.Disconnect(
                            clientId(clientId), code.code(), text, publishesWill));
        });
    }

    @Override
    public CompletionStage<Boolean> endSession(String clientId) {
        return calls.call(() -> isDone(new SessionQuestion.End(clientId(clientId))));
    }

    private CompletableFuture<Boolean> isDone(SessionQuestion.OfClient question) {
        return sessions.ofClient(question)
                .thenApply(found -> found.map(each -> each.body().u8() == 1).orElse(false));
    }
}

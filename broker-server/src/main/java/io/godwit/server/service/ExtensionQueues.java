package io.godwit.server.service;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.session.SessionInfo;
import io.godwit.extension.service.Page;
import io.godwit.extension.service.QueueInfo;
import io.godwit.extension.service.QueueService;
import io.godwit.extension.service.WaitingMessage;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Serves one extension that asks about queues.
 *
 * <pre>
 * queue   messages | bytes | on disk | age of the oldest, ms | in flight
 *         | discarded: full | expired | too large, all varint
 * </pre>
 */
public final class ExtensionQueues implements QueueService {
    private static final int PAYLOAD_BYTES_MAX = 16 << 10;

    private final ServiceCalls calls;
    private final Sessions sessions;

    public ExtensionQueues(ServiceCalls calls, Sessions sessions) {
        this.calls = calls;
        this.sessions = sessions;
    }

    @Override
    public CompletionStage<Optional<QueueInfo>> of(String clientId) {
        return calls.call(() ->
                sessions.ofClient(new SessionQuestion.Queue(ExtensionClients.clientId(clientId)))
                        .thenApply(found -> found.map(each -> read(each.body()))));
    }

    @Override
    public CompletionStage<Page<WaitingMessage>> messages(
            String clientId, int payloadBytes, Optional<String> from) {
        return calls.call(() -> {
            if (payloadBytes < 0 || payloadBytes > PAYLOAD_BYTES_MAX) {
                throw new IllegalArgumentException(
                        payloadBytes + " bytes of payloads; allowed are 0 to " + PAYLOAD_BYTES_MAX);
            }
            SessionQuestion.Messages question =
                    new SessionQuestion.Messages(
                            ExtensionClients.clientId(clientId),
                            payloadBytes,
                            from.map(WaitingCodec::place).orElse(null));
            return sessions.ofClient(question)
                    .thenApply(found ->
                            WaitingCodec.read(
                                    found.orElseThrow(() ->
                                                    new IllegalArgumentException(
                                                            "there is no session with the client id "
                                                                    + clientId))
                                            .body()));
        });
    }

    static byte[] written(SessionInfo info) {
        return new ByteWriter(32)
                .varint(info.queued())
                .varint(info.queuedBytes())
                .varint(info.queuedOnDisk())
                .varint(info.oldestAgeMs())
                .varint(info.inFlight())
                .varint(info.drops().queueFull())
                .varint(info.drops().expired())
                .varint(info.drops().tooLarge())
                .toBytes();
    }

    private static QueueInfo read(ByteReader from) {
        return new QueueInfo(
                from.varint(),
                from.varint(),
                from.varint(),
                Duration.ofMillis(from.varint()),
                from.smallInt(),
                from.varint(),
                from.varint(),
                from.varint());
    }
}

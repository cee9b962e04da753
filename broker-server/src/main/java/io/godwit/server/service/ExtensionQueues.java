package io.godwit.server.service;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.SessionInfo;
import io.godwit.extension.service.Page;
import io.godwit.extension.service.QueueInfo;
import io.godwit.extension.service.QueueService;
import io.godwit.extension.service.RemovedMessages;
import io.godwit.extension.service.WaitingMessage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
    private static final int IDS_MAX = 100;

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
                    .thenApply(found -> WaitingCodec.read(body(found, clientId)));
        });
    }

    private static ByteReader body(Optional<Sessions.Answered> found, String clientId) {
        return found.orElseThrow(() ->
                        new IllegalArgumentException(
                                "there is no session with the client id " + clientId))
                .body();
    }

    @Override
    public CompletionStage<RemovedMessages> remove(String clientId, List<String> ids) {
        return calls.call(() -> {
            if (ids.isEmpty() || ids.size() > IDS_MAX) {
                throw new IllegalArgumentException(
                        ids.size() + " messages; allowed are 1 to " + IDS_MAX);
            }
            SessionQuestion.Remove question =
                    new SessionQuestion.Remove(
                            ExtensionClients.clientId(clientId),
                            ids.stream().map(WaitingCodec::place).toList());
            return sessions.ofClient(question)
                    .thenApply(found -> {
                        ByteReader from = body(found, clientId);
                        return new RemovedMessages(from.varint(), from.smallInt());
                    });
        });
    }

    @Override
    public CompletionStage<RemovedMessages> purge(String clientId) {
        return calls.call(() -> purge(clientId, ExtensionClients.clientId(clientId), 0, 0));
    }

    /** Asks until nothing is left: one answer tells of some. */
    private CompletableFuture<RemovedMessages> purge(
            String shownId, ClientId clientId, long upToClock, long before) {
        return sessions.ofClient(new SessionQuestion.Purge(clientId, upToClock))
                .thenCompose(found -> {
                    ByteReader from = body(found, shownId);
                    long removed = before + from.varint();
                    int inFlight = from.smallInt();
                    long next = from.long8();
                    return from.u8() == 1
                            ? CompletableFuture.completedFuture(
                                    new RemovedMessages(removed, inFlight))
                            : purge(shownId, clientId, next, removed);
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

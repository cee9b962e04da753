package io.godwit.server.service;

import io.godwit.core.node.ClientDirectory;
import io.godwit.core.node.KickResult;
import io.godwit.core.node.QueueDirectory;
import io.godwit.core.node.SubscriptionDirectory;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.session.SessionInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers questions about the sessions of this node. Any thread.
 *
 * <pre>
 * about a client   0: there is no session | 1 what was asked for | 2 server id 3: it is there
 *                  | 3: there is none here, and another node leads the slot
 * of a list        1: the end, or 0 | client id behind which the next page begins sized | items
 * of its filters   1: the end, or 0 | subscriptions
 * </pre>
 */
public final class SessionAnswers {
    static final int UNKNOWN = 0;
    static final int FOUND = 1;
    static final int ELSEWHERE = 2;
    static final int NOT_LEADER = 3;

    /** Items of a page. */
    static final int ITEMS_MAX = 100;

    /** Bytes after which a page is full. */
    static final int PAGE_BYTES = 64 << 10;

    /** Filters of a session that are read at once. */
    private static final int FILTERS_READ = 1_000;

    /** Sessions that are looked at for one page of subscribers. */
    private static final int SESSIONS_LOOKED_AT = 200;

    /** Messages that one question removes: a purge takes as many questions as it needs. */
    private static final int PURGED_MAX = 10_000;

    /** A shard that has stopped never answers. */
    private static final long TIME_MS = 5_000;

    private static final byte[] NO = {0};
    private static final byte[] YES = {1};

    private final ClientDirectory directory;
    private final SubscriptionDirectory subscriptions;
    private final QueueDirectory queues;
    private final ServiceNodes nodes;

    public SessionAnswers(ClientDirectory directory, ServiceNodes nodes) {
        this.directory = directory;
        this.subscriptions = new SubscriptionDirectory(directory);
        this.queues = new QueueDirectory(directory);
        this.nodes = nodes;
    }

    /**
     * Answers a question, by the thread of a shard.
     *
     * @throws IndexOutOfBoundsException it can't be read
     */
    public CompletableFuture<byte[]> answer(byte[] question) {
        SessionQuestion read = SessionQuestion.read(question);
        CompletableFuture<byte[]> answer =
                switch (read) {
                    case SessionQuestion.OfClient of ->
                            ofClient(of).thenCompose(found -> envelope(of.clientId(), found));
                    case SessionQuestion.ListSessions of -> list(of.after());
                    case SessionQuestion.Subscribers of -> subscribers(of.topic(), of.after());
                };
        return answer.orTimeout(TIME_MS, TimeUnit.MILLISECONDS);
    }

    private CompletableFuture<byte[]> envelope(ClientId clientId, Optional<byte[]> found) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        if (found.isPresent()) {
            ByteWriter to = new ByteWriter(found.get().length + 1);
            answer.complete(to.u8(FOUND).raw(found.get()).toBytes());
            return answer;
        }
        if (nodes.leader(clientId) != nodes.self()) {
            answer.complete(new byte[] {NOT_LEADER});
            return answer;
        }
        nodes.findEdge(
                clientId,
                edge ->
                        answer.complete(
                                edge == ServiceNodes.NONE || edge == nodes.self()
                                        ? new byte[] {UNKNOWN}
                                        : new ByteWriter(4).u8(ELSEWHERE).server3(edge).toBytes()));
        return answer;
    }

    /** Answers with what was asked for; empty: there is no session. */
    private CompletableFuture<Optional<byte[]>> ofClient(SessionQuestion.OfClient question) {
        return switch (question) {
            case SessionQuestion.Find of ->
                    directory
                            .find(of.clientId(), 0)
                            .thenApply(found -> found.map(SessionAnswers::written));
            case SessionQuestion.Disconnect of ->
                    directory
                            .disconnect(
                                    of.clientId(),
                                    Objects.requireNonNullElse(
                                            ReasonCode.of(of.reason()),
                                            ReasonCode.UNSPECIFIED_ERROR),
                                    of.text(),
                                    of.publishesWill())
                            .thenApply(SessionAnswers::isDone);
            case SessionQuestion.End of ->
                    directory.kick(of.clientId(), true).thenApply(SessionAnswers::isDone);
            case SessionQuestion.Subscriptions of ->
                    subscriptions
                            .of(of.clientId(), of.after(), FILTERS_READ)
                            .thenApply(found -> found.map(SessionAnswers::filters));
            case SessionQuestion.Subscribe of ->
                    subscriptions.subscribe(of.clientId(), of.subscriptions());
            case SessionQuestion.Unsubscribe of ->
                    subscriptions.unsubscribe(of.clientId(), of.filters());
            case SessionQuestion.Queue of ->
                    directory
                            .find(of.clientId(), 0)
                            .thenApply(found -> found.map(ExtensionQueues::written));
            case SessionQuestion.Messages of ->
                    queues.read(of.clientId(), of.after(), ITEMS_MAX, PAGE_BYTES)
                            .thenApply(found ->
                                    found.map(page ->
                                            WaitingCodec.written(
                                                    page, of.payloadBytes(), PAGE_BYTES)));
            case SessionQuestion.Remove of ->
                    queues.remove(of.clientId(), of.places())
                            .thenApply(found -> found.map(SessionAnswers::written));
            case SessionQuestion.Purge of ->
                    queues.purge(of.clientId(), of.upToClock(), PURGED_MAX)
                            .thenApply(found -> found.map(SessionAnswers::written));
        };
    }

    /**
     * <pre>
     * removed   how many varint | how many are in flight varint
     *           | clock of the last message id of a purge 8 | 1: nothing is left of it
     * </pre>
     */
    private static byte[] written(QueueDirectory.Removed removed) {
        return new ByteWriter(24)
                .varint(removed.removed())
                .varint(removed.inFlight())
                .long8(removed.upToClock())
                .u8(removed.isEnd() ? 1 : 0)
                .toBytes();
    }

    private static byte[] written(SessionInfo info) {
        ByteWriter to = new ByteWriter(200);
        ClientInfoCodec.write(info, to);
        return to.toBytes();
    }

    private static Optional<byte[]> isDone(KickResult result) {
        return switch (result) {
            case UNKNOWN -> Optional.empty();
            case OFFLINE -> Optional.of(NO);
            case DISCONNECTED, ENDED -> Optional.of(YES);
        };
    }

    private CompletableFuture<byte[]> list(@Nullable ClientId after) {
        return directory
                .idsAfter(after, ITEMS_MAX)
                .thenCompose(page -> {
                    List<CompletableFuture<Optional<SessionInfo>>> found = new ArrayList<>();
                    page.ids().forEach(each -> found.add(directory.find(each, 0)));
                    return CompletableFuture.allOf(found.toArray(CompletableFuture[]::new))
                            .thenApply(done -> page(page, found));
                });
    }

    private static byte[] filters(List<Packet.Subscription> found) {
        ByteWriter items = new ByteWriter(1_000);
        int count = 0;
        while (count < found.size() && items.length() < PAGE_BYTES) {
            SubscriptionCodec.write(found.get(count++), items);
        }
        boolean isEnd = count == found.size() && count < FILTERS_READ;
        return new ByteWriter(items.length() + 1).u8(isEnd ? 1 : 0).raw(items.toBytes()).toBytes();
    }

    private CompletableFuture<byte[]> subscribers(Topic topic, @Nullable ClientId after) {
        return subscriptions
                .matching(topic, after, SESSIONS_LOOKED_AT)
                .thenApply(SessionAnswers::page);
    }

    /** Stops where the page is full, but between sessions. */
    private static byte[] page(SubscriptionDirectory.Matches matches) {
        ByteWriter items = new ByteWriter(1_000);
        List<SubscriptionDirectory.Match> found = matches.found();
        ClientId last = matches.last();
        boolean isEnd = matches.isEnd();
        for (int i = 0; i < found.size(); i++) {
            ClientId clientId = found.get(i).clientId();
            boolean begins = i > 0 && !clientId.equals(found.get(i - 1).clientId());
            if (begins && (i >= ITEMS_MAX || items.length() >= PAGE_BYTES)) {
                last = found.get(i - 1).clientId();
                isEnd = false;
                break;
            }
            items.sized(clientId.bytes());
            SubscriptionCodec.write(found.get(i).subscription(), items);
        }
        return page(isEnd, last, items);
    }

    private static byte[] page(boolean isEnd, @Nullable ClientId last, ByteWriter items) {
        byte[] place = last == null ? new byte[0] : last.bytes();
        return new ByteWriter(items.length() + place.length + 8)
                .u8(isEnd ? 1 : 0)
                .sized(place)
                .raw(items.toBytes())
                .toBytes();
    }

    private static byte[] page(
            ClientDirectory.ClientIds ids, List<CompletableFuture<Optional<SessionInfo>>> found) {
        ByteWriter items = new ByteWriter(1_000);
        int count = 0;
        while (count < found.size() && (count == 0 || items.length() < PAGE_BYTES)) {
            found.get(count++).join().ifPresent(info -> ClientInfoCodec.write(info, items));
        }
        boolean isEnd = ids.isEnd() && count == found.size();
        return page(isEnd, count == 0 ? null : ids.ids().get(count - 1), items);
    }
}

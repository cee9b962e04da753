package io.godwit.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.godwit.core.auth.PeerTls;
import io.godwit.core.node.ClientDirectory;
import io.godwit.core.node.KickResult;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.ClientOrder;
import io.godwit.core.session.SessionInfo;
import io.godwit.extension.service.ServiceFailedException;
import io.godwit.server.service.Sessions;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clients that are, or were, connected, as JSON. Few questions at a time, so that nobody can
 * flood the shards.
 */
final class ClientsPage {
    private static final Logger log = LoggerFactory.getLogger(ClientsPage.class);
    private static final int QUESTIONS_MAX = 4;
    private static final long TIMEOUT_MS = 5_000;
    private static final int SUBSCRIPTIONS_SHOWN = 1_000;

    private final ClientDirectory directory;
    private final Semaphore questions = new Semaphore(QUESTIONS_MAX);

    /** Sorts and writes: neither on a shard's thread nor on the one that answers health checks. */
    private final Executor elsewhere = task -> Thread.ofVirtual().name("admin-clients").start(task);

    private final ClusterPage cluster;
    private final Sessions sessions;

    /**
     * @param sessions of all nodes: what is not here may be at another one
     */
    ClientsPage(ClientDirectory directory, ClusterPage cluster, Sessions sessions) {
        this.directory = directory;
        this.cluster = cluster;
        this.sessions = sessions;
    }

    private CompletableFuture<HttpAnswer> ask(Supplier<CompletableFuture<HttpAnswer>> question) {
        if (!questions.tryAcquire()) {
            return CompletableFuture.completedFuture(
                    HttpAnswer.error(
                            HttpResponseStatus.SERVICE_UNAVAILABLE,
                            "too many requests about clients at the same time; try again"));
        }
        return question.get()
                .orTimeout(TIMEOUT_MS, TimeUnit.MILLISECONDS)
                .exceptionally(ClientsPage::failed)
                .whenComplete((answer, failure) -> questions.release());
    }

    private static HttpAnswer failed(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof TimeoutException) {
            return HttpAnswer.error(
                    HttpResponseStatus.SERVICE_UNAVAILABLE, "the shards did not answer in time");
        }
        if (cause instanceof ServiceFailedException) {
            return HttpAnswer.error(
                    HttpResponseStatus.SERVICE_UNAVAILABLE, String.valueOf(cause.getMessage()));
        }
        throw failure instanceof CompletionException completion
                ? completion
                : new CompletionException(failure);
    }

    CompletableFuture<HttpAnswer> one(ClientId id) {
        return ask(() ->
                directory
                        .find(id, SUBSCRIPTIONS_SHOWN)
                        .thenComposeAsync(
                                found ->
                                        found.map(this::oneAnswer)
                                                .map(CompletableFuture::completedFuture)
                                                .orElseGet(() -> elsewhere(id)),
                                elsewhere));
    }

    /** Says which other node has a session, if one has. */
    private CompletableFuture<HttpAnswer> elsewhere(ClientId id) {
        return sessions.nodeOf(id)
                .thenApplyAsync(
                        node ->
                                node.map(name ->
                                                HttpAnswer.error(
                                                        HttpResponseStatus.NOT_FOUND,
                                                        "the session of the client '"
                                                                + id
                                                                + "' is at node "
                                                                + name
                                                                + ", whose admin port shows it"))
                                        .orElseGet(() -> unknown(id)),
                        elsewhere);
    }

    private static HttpAnswer unknown(ClientId id) {
        return HttpAnswer.error(
                HttpResponseStatus.NOT_FOUND,
                "there is no session with the client id '" + id + "'");
    }

    /**
     * Disconnects a client, at whichever node it is; its Will is published, at once or after its
     * delay.
     */
    CompletableFuture<HttpAnswer> kick(ClientId id, boolean endsSession) {
        return ask(() ->
                directory
                        .kick(id, endsSession)
                        .thenComposeAsync(
                                result ->
                                        result == KickResult.UNKNOWN
                                                ? kickElsewhere(id, endsSession)
                                                : CompletableFuture.completedFuture(
                                                        kicked(id, result)),
                                elsewhere));
    }

    private CompletableFuture<HttpAnswer> kickElsewhere(ClientId id, boolean endsSession) {
        return sessions.kick(id, endsSession)
                .thenApplyAsync(
                        isDone -> {
                            if (isDone.isEmpty()) {
                                return unknown(id);
                            }
                            return kicked(
                                    id,
                                    !isDone.get()
                                            ? KickResult.OFFLINE
                                            : endsSession
                                                    ? KickResult.ENDED
                                                    : KickResult.DISCONNECTED);
                        },
                        elsewhere);
    }

    private HttpAnswer kicked(ClientId id, KickResult result) {
        return switch (result) {
            case UNKNOWN -> unknown(id);
            case OFFLINE ->
                    HttpAnswer.error(
                            HttpResponseStatus.CONFLICT,
                            "the client '"
                                    + id
                                    + "' is not connected; its session stays unless session=true"
                                    + " (godwit kick --session) ends it");
            case DISCONNECTED -> kicked(id, "disconnected", false);
            case ENDED -> kicked(id, "disconnected, and its session has ended", true);
        };
    }

    private static HttpAnswer kicked(ClientId id, String outcome, boolean isSessionEnded) {
        log.info("Client '{}' was {} by an administrator", id, outcome);
        return HttpAnswer.json(
                JsonText.write(json -> {
                    json.writeStringField("clientId", id.toString());
                    json.writeBooleanField("sessionEnded", isSessionEnded);
                })
                        + "\n");
    }

    private HttpAnswer oneAnswer(SessionInfo info) {
        return HttpAnswer.json(
                JsonText.write(json -> {
                    writeCommon(json, info);
                    if (!info.tls().equals(PeerTls.NONE)) {
                        writeTls(json, info.tls());
                    }
                    json.writeNumberField("expirySeconds", info.expirySeconds());
                    json.writeNumberField("inboundQos2", info.inboundQos2());
                    json.writeObjectFieldStart("discards");
                    json.writeNumberField("queueFull", info.drops().queueFull());
                    json.writeNumberField("expired", info.drops().expired());
                    json.writeNumberField("tooLarge", info.drops().tooLarge());
                    json.writeEndObject();
                    json.writeArrayFieldStart("filters");
                    for (SessionInfo.Filter filter : info.subscriptions()) {
                        json.writeStartObject();
                        json.writeStringField("filter", filter.filter());
                        json.writeNumberField("qos", filter.qos());
                        json.writeEndObject();
                    }
                    json.writeEndArray();
                })
                        + "\n");
    }

    CompletableFuture<HttpAnswer> page(int page, int size) {
        return ask(() -> directory.ids(elsewhere).thenCompose(ids -> details(ids, page, size)));
    }

    /** The clients that come first by a column, in that order. */
    CompletableFuture<HttpAnswer> first(ClientOrder order, boolean isDescending, int limit) {
        return ask(() ->
                directory
                        .first(order, isDescending, limit, elsewhere)
                        .thenCompose(ids ->
                                details(
                                        ids,
                                        json -> {
                                            json.writeStringField("sort", order.column());
                                            json.writeStringField(
                                                    "order", isDescending ? "desc" : "asc");
                                            json.writeNumberField("limit", limit);
                                        })));
    }

    private CompletableFuture<HttpAnswer> details(List<ClientId> ids, int page, int size) {
        ids.sort((a, b) -> Arrays.compareUnsigned(a.bytes(), b.bytes()));
        int from = (int) Math.min((long) page * size, ids.size());
        int to = Math.min(from + size, ids.size());
        return details(
                ids.subList(from, to),
                json -> {
                    json.writeNumberField("page", page);
                    json.writeNumberField("size", size);
                    json.writeNumberField("total", ids.size());
                });
    }

    private CompletableFuture<HttpAnswer> details(List<ClientId> ids, JsonText.Body head) {
        List<CompletableFuture<Optional<SessionInfo>>> found = new ArrayList<>(ids.size());
        for (ClientId id : ids) {
            found.add(directory.find(id, 0));
        }
        return CompletableFuture.allOf(found.toArray(CompletableFuture[]::new))
                .thenApplyAsync(done -> listAnswer(found, head), elsewhere);
    }

    private HttpAnswer listAnswer(
            List<CompletableFuture<Optional<SessionInfo>>> found, JsonText.Body head) {
        return HttpAnswer.json(
                JsonText.write(json -> {
                    head.write(json);
                    json.writeArrayFieldStart("clients");
                    for (CompletableFuture<Optional<SessionInfo>> each : found) {
                        Optional<SessionInfo> info = each.join();
                        if (info.isPresent()) { // else it left meanwhile
                            json.writeStartObject();
                            writeCommon(json, info.get());
                            json.writeEndObject();
                        }
                    }
                    json.writeEndArray();
                })
                        + "\n");
    }

    private static void writeTls(JsonGenerator json, PeerTls tls) throws IOException {
        json.writeObjectFieldStart("tls");
        if (tls.version() != null) {
            json.writeStringField("version", tls.version());
        }
        if (tls.serverName() != null) {
            json.writeStringField("serverName", tls.serverName());
        }
        json.writeBooleanField("certificate", tls.hasCertificate());
        if (tls.certificateName() != null) {
            json.writeStringField("certificateName", tls.certificateName());
        }
        json.writeEndObject();
    }

    private void writeCommon(JsonGenerator json, SessionInfo info) throws IOException {
        json.writeStringField("clientId", info.clientId());
        json.writeBooleanField("connected", info.connected());
        if (info.user() != null) {
            json.writeStringField("user", info.user());
        }
        json.writeStringField("protocol", info.version().tag());
        json.writeStringField("address", info.remoteAddress());
        json.writeStringField("listener", info.listener());
        if (info.edge() >= 0) {
            json.writeStringField("edge", cluster.memberName(info.edge()));
        }
        json.writeStringField("since", Instant.ofEpochMilli(info.sinceMs()).toString());
        json.writeNumberField("subscriptions", info.subscriptionCount());
        json.writeNumberField("queued", info.queued());
        json.writeNumberField("queuedBytes", info.queuedBytes());
        json.writeNumberField("inFlight", info.inFlight());
        json.writeNumberField("queuedOnDisk", info.queuedOnDisk());
        json.writeNumberField("oldestAgeSeconds", info.oldestAgeMs() / 1000.0);
    }
}

package io.godwit.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.godwit.core.node.ClientDirectory;
import io.godwit.core.packet.ClientId;
import io.godwit.core.session.SessionInfo;
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

/**
 * The clients that are, or were, connected, as JSON. Few questions at a time, so that nobody can
 * flood the shards.
 */
final class ClientsPage {
    private static final int QUESTIONS_MAX = 4;
    private static final long TIMEOUT_MS = 5_000;
    private static final int SUBSCRIPTIONS_SHOWN = 1_000;

    private final ClientDirectory directory;
    private final Semaphore questions = new Semaphore(QUESTIONS_MAX);

    /** Sorts and writes: neither on a shard's thread nor on the one that answers health checks. */
    private final Executor elsewhere = task -> Thread.ofVirtual().name("admin-clients").start(task);

    ClientsPage(ClientDirectory directory) {
        this.directory = directory;
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
        throw failure instanceof CompletionException completion
                ? completion
                : new CompletionException(failure);
    }

    CompletableFuture<HttpAnswer> one(ClientId id) {
        return ask(() ->
                directory
                        .find(id, SUBSCRIPTIONS_SHOWN)
                        .thenApplyAsync(
                                found ->
                                        found.map(ClientsPage::oneAnswer)
                                                .orElseGet(ClientsPage::unknown),
                                elsewhere));
    }

    private static HttpAnswer unknown() {
        return HttpAnswer.error(
                HttpResponseStatus.NOT_FOUND, "there is no session with this client id");
    }

    private static HttpAnswer oneAnswer(SessionInfo info) {
        return HttpAnswer.json(
                JsonText.write(json -> {
                    writeCommon(json, info);
                    json.writeNumberField("expirySeconds", info.expirySeconds());
                    json.writeNumberField("inboundQos2", info.inboundQos2());
                    json.writeNumberField("queuedOnDisk", info.queuedOnDisk());
                    json.writeNumberField("oldestAgeSeconds", info.oldestAgeMs() / 1000.0);
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

    private CompletableFuture<HttpAnswer> details(List<ClientId> ids, int page, int size) {
        ids.sort((a, b) -> Arrays.compareUnsigned(a.bytes(), b.bytes()));
        int from = (int) Math.min((long) page * size, ids.size());
        int to = Math.min(from + size, ids.size());
        List<CompletableFuture<Optional<SessionInfo>>> found = new ArrayList<>(to - from);
        for (ClientId id : ids.subList(from, to)) {
            found.add(directory.find(id, 0));
        }
        return CompletableFuture.allOf(found.toArray(CompletableFuture[]::new))
                .thenApplyAsync(done -> pageAnswer(found, page, size, ids.size()), elsewhere);
    }

    private static HttpAnswer pageAnswer(
            List<CompletableFuture<Optional<SessionInfo>>> found, int page, int size, int total) {
        return HttpAnswer.json(
                JsonText.write(json -> {
                    json.writeNumberField("page", page);
                    json.writeNumberField("size", size);
                    json.writeNumberField("total", total);
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

    private static void writeCommon(JsonGenerator json, SessionInfo info) throws IOException {
        json.writeStringField("clientId", info.clientId());
        json.writeBooleanField("connected", info.connected());
        json.writeStringField("protocol", info.version().tag());
        json.writeStringField("address", info.remoteAddress());
        json.writeStringField("listener", info.listener());
        json.writeStringField("since", Instant.ofEpochMilli(info.sinceMs()).toString());
        json.writeNumberField("subscriptions", info.subscriptionCount());
        json.writeNumberField("queued", info.queued());
        json.writeNumberField("queuedBytes", info.queuedBytes());
        json.writeNumberField("inFlight", info.inFlight());
    }
}

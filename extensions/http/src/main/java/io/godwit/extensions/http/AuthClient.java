package io.godwit.extensions.http;

import io.godwit.extension.HealthReport;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Asks servers, and remembers what they have answered. No thread waits meanwhile. */
final class AuthClient implements AutoCloseable {
    private final HttpSettings settings;
    private final ScheduledExecutorService executor;
    private final LongSupplier nanoTime;
    private final HttpClient client;
    private final AuthServers servers;
    private final ConcurrencyLimit requests;
    private final AnswerCache cache;

    /**
     * @param tls null: as Java has it
     * @param executor runs what is to be done with answers, and the time limits
     */
    AuthClient(
            HttpSettings settings,
            @Nullable SSLContext tls,
            ScheduledExecutorService executor,
            HealthReport health,
            LongSupplier nanoTime) {
        this.settings = settings;
        this.executor = executor;
        this.nanoTime = nanoTime;
        this.servers = new AuthServers(settings.urls(), health, nanoTime);
        this.requests = new ConcurrencyLimit(settings.connections(), executor);
        this.cache = new AnswerCache(settings.cache());
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(settings.timeOut())
                        .executor(executor);
        if (tls != null) builder.sslContext(tls);
        this.client = builder.build();
    }

    /** Begins an answer; it fails when no server gives one. */
    CompletionStage<CachedVerdict> ask(Question question) {
        ByteBuffer key = cache.keyOf(question);
        long began = nanoTime.getAsLong();
        CachedVerdict cached = cache.get(key, began);
        if (cached != null) return CompletableFuture.completedFuture(cached);
        return requests.run(() -> {
            if (nanoTime.getAsLong() - began > settings.timeOut().toNanos()) {
                return CompletableFuture.failedFuture(
                        new IOException(
                                "all "
                                        + settings.connections()
                                        + " connections were in use for "
                                        + shown(settings.timeOut())));
            }
            return attempt(question, key, settings.retries(), null);
        });
    }

    private CompletableFuture<CachedVerdict> attempt(
            Question question, ByteBuffer key, int retries, AuthServers.@Nullable Server failed) {
        AuthServers.Server server = servers.next(failed);
        return send(server, question, key)
                .handle((answer, failure) -> {
                    if (failure == null) {
                        servers.onAnswer(server);
                        return CompletableFuture.completedFuture(answer);
                    }
                    String reason = reasonOf(failure);
                    servers.onFailure(server, reason);
                    return retries > 0
                            ? attempt(question, key, retries - 1, server)
                            : CompletableFuture.<CachedVerdict>failedFuture(
                                    new IOException(server + ": " + reason));
                })
                .thenCompose(Function.identity());
    }

    private CompletableFuture<CachedVerdict> send(
            AuthServers.Server server, Question question, ByteBuffer key) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(server.url())
                        .timeout(settings.timeOut())
                        .setHeader("Content-Type", "application/json")
                        .setHeader("Accept", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(question.body()));
        settings.headers().forEach(request::setHeader);
        CompletableFuture<HttpResponse<byte[]>> response =
                client.sendAsync(request.build(), unused -> new BoundedBody());
        // The request's own time limit ends with the headers of the response.
        ScheduledFuture<?> timer =
                executor.schedule(
                        () -> response.cancel(true),
                        settings.timeOut().toNanos(),
                        TimeUnit.NANOSECONDS);
        return response.whenComplete((unused, failure) -> timer.cancel(false))
                .thenApply(received -> {
                    try {
                        return take(received, question, key);
                    } catch (BadReplyException e) {
                        throw new CompletionException(e);
                    }
                });
    }

    private CachedVerdict take(HttpResponse<byte[]> response, Question question, ByteBuffer key)
            throws BadReplyException {
        byte[] body = response.body();
        Verdict verdict = VerdictReader.read(question, response.statusCode(), body);
        long seconds = VerdictReader.maxAgeSeconds(response.headers().allValues("Cache-Control"));
        long nanos = TimeUnit.SECONDS.toNanos(seconds);
        if (verdict instanceof Verdict.Allowed allowed && !allowed.grant().connectTime().isZero()) {
            nanos = Math.min(nanos, allowed.grant().connectTime().toNanos());
        }
        CachedVerdict cached = new CachedVerdict(verdict, nanoTime.getAsLong(), nanos);
        cache.put(key, cached, body.length);
        return cached;
    }

    private String reasonOf(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof CancellationException || cause instanceof HttpTimeoutException) {
            return "no answer in " + shown(settings.timeOut());
        }
        if (cause instanceof BadReplyException) return String.valueOf(cause.getMessage());
        String text = cause.getMessage() == null ? "" : ": " + cause.getMessage();
        if (cause instanceof ConnectException) return "no connection" + text;
        if (cause instanceof SSLException) return "no TLS" + text;
        return cause.getClass().getSimpleName() + text;
    }

    private static String shown(Duration time) {
        return time.toMillis() + " ms";
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}

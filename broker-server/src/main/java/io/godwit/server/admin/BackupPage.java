package io.godwit.server.admin;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the store be copied: one copy at a time, asked for from this machine, and by a program that
 * can set a header, which no page in somebody's browser can without being asked first.
 */
public final class BackupPage {
    static final String PATH = "/store/backup";
    static final String HEADER = "Godwit-Command";
    private static final String COMMAND = "backup";
    private static final Logger log = LoggerFactory.getLogger(BackupPage.class);

    private final @Nullable Copy copy;
    private final Semaphore underWay = new Semaphore(1);

    BackupPage(@Nullable Copy copy) {
        this.copy = copy;
    }

    /** Copies the store. */
    public interface Copy {
        /**
         * @param to does not exist yet
         * @return bytes of the copy
         */
        long copy(Path to) throws Exception;
    }

    CompletableFuture<HttpAnswer> answer(
            String uri, @Nullable InetSocketAddress from, @Nullable String command) {
        if (from == null || !from.getAddress().isLoopbackAddress()) {
            return no(
                    HttpResponseStatus.FORBIDDEN, "a backup is asked for on the broker's machine");
        }
        if (!COMMAND.equals(command)) {
            return no(
                    HttpResponseStatus.FORBIDDEN,
                    "the header " + HEADER + ": " + COMMAND + " is missing");
        }
        Copy there = copy;
        if (there == null) {
            return no(HttpResponseStatus.CONFLICT, "durability.store is memory: nothing is kept");
        }
        Path to = path(uri);
        if (to == null) {
            return no(
                    HttpResponseStatus.BAD_REQUEST,
                    "to must be an absolute path of a folder that does not exist, in one that does");
        }
        if (!underWay.tryAcquire()) {
            return no(HttpResponseStatus.CONFLICT, "a backup is under way");
        }
        CompletableFuture<HttpAnswer> answer = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("store-backup").start(() -> copy(there, to, answer));
        return answer;
    }

    private void copy(Copy there, Path to, CompletableFuture<HttpAnswer> answer) {
        try {
            long bytes = there.copy(to);
            log.info("The store was copied to {}: {} bytes", to, bytes);
            answer.complete(
                    HttpAnswer.json(
                            JsonText.write(json -> {
                                json.writeStringField("folder", to.toString());
                                json.writeNumberField("bytes", bytes);
                            })
                                    + "\n"));
        } catch (Exception e) {
            log.warn("The store can't be copied to {}", to, e);
            answer.complete(
                    HttpAnswer.error(
                            HttpResponseStatus.INTERNAL_SERVER_ERROR,
                            "the store can't be copied to " + to + ": " + e.getMessage()));
        } finally {
            underWay.release();
        }
    }

    private static @Nullable Path path(String uri) {
        try {
            List<String> values = new QueryStringDecoder(uri).parameters().get("to");
            Path path = values == null || values.size() != 1 ? null : Path.of(values.getFirst());
            if (path == null || !path.isAbsolute() || Files.exists(path)) {
                return null;
            }
            Path parent = path.getParent();
            return parent != null && Files.isDirectory(parent) ? path : null;
        } catch (IllegalArgumentException e) {
            return null; // InvalidPathException too
        }
    }

    private static CompletableFuture<HttpAnswer> no(HttpResponseStatus status, String text) {
        return CompletableFuture.completedFuture(HttpAnswer.error(status, text));
    }
}

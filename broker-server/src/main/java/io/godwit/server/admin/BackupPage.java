package io.godwit.server.admin;

import io.godwit.server.Causes;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets the store be copied into a new folder, one copy at a time. */
public final class BackupPage {
    static final String PATH = "/store/backup";
    static final String COMMAND = "backup";
    private static final Logger log = LoggerFactory.getLogger(BackupPage.class);

    private final @Nullable Copy copy;
    private final BackupFolder folder;
    private final Semaphore underWay = new Semaphore(1);

    /**
     * @param copy null when nothing is kept
     */
    public BackupPage(@Nullable Copy copy, BackupFolder folder) {
        this.copy = copy;
        this.folder = folder;
    }

    /** Copies the store. */
    public interface Copy {
        /**
         * @param to does not exist yet
         * @return bytes of the copy
         */
        long copy(Path to) throws Exception;
    }

    CompletableFuture<HttpAnswer> answer(String uri) {
        Copy there = copy;
        if (there == null) {
            return no(
                    HttpResponseStatus.CONFLICT,
                    "durability.store is memory: there is nothing to back up");
        }
        String to = to(uri);
        if (to == null) {
            return no(
                    HttpResponseStatus.BAD_REQUEST,
                    "to= must be given exactly once, with the name of the backup's folder");
        }
        if (!underWay.tryAcquire()) {
            return no(HttpResponseStatus.CONFLICT, "a backup is already in progress");
        }
        CompletableFuture<HttpAnswer> answer = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .name("store-backup")
                .start(() -> {
                    HttpAnswer made;
                    try {
                        made = copy(there, to);
                    } finally {
                        underWay.release();
                    }
                    answer.complete(made);
                });
        return answer;
    }

    private HttpAnswer copy(Copy there, String to) {
        try {
            Path target = folder.resolve(to);
            long bytes = there.copy(target);
            log.info("The store was copied to {}: {} bytes", target, bytes);
            return HttpAnswer.json(
                    JsonText.write(json -> {
                        json.writeStringField("folder", target.toString());
                        json.writeNumberField("bytes", bytes);
                    })
                            + "\n");
        } catch (BackupFolder.Refused refused) {
            return refused.answer();
        } catch (Exception e) {
            log.warn("The store can't be copied to {}", to, e);
            return HttpAnswer.error(
                    HttpResponseStatus.INTERNAL_SERVER_ERROR,
                    "the store can't be copied to " + to + ": " + Causes.withFile(e));
        }
    }

    private static @Nullable String to(String uri) {
        try {
            List<String> values = new QueryStringDecoder(uri).parameters().get("to");
            return values == null || values.size() != 1 ? null : values.getFirst();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static CompletableFuture<HttpAnswer> no(HttpResponseStatus status, String text) {
        return CompletableFuture.completedFuture(HttpAnswer.error(status, text));
    }
}

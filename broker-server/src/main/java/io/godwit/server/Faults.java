package io.godwit.server;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a broker cannot go on after: the first of it is logged, and ends the process. */
final class Faults {
    private static final Logger log = LoggerFactory.getLogger(Server.class);

    private final Path data;
    private final Health health;
    private final AtomicBoolean storeFailed = new AtomicBoolean();
    private final AtomicReference<Throwable> first = new AtomicReference<>();
    private volatile Runnable end = () -> {};
    private volatile BiConsumer<String, OutOfMemoryError> endAtOnce = (where, cause) -> {};

    /**
     * @param data folder that the operator has to look after
     * @param health told that the broker stops
     */
    Faults(Path data, Health health) {
        this.data = data;
        this.health = health;
    }

    /**
     * Says how the process ends; now when there was a fault.
     *
     * @param atOnce what ends it as a crash does, when there is no memory for anything else; takes
     *     where that was seen, for a line of text
     */
    void endWith(Runnable ending, BiConsumer<String, OutOfMemoryError> atOnce) {
        end = ending;
        endAtOnce = atOnce;
        Throwable early = first.get(); // It came too early to be heard.
        if (early instanceof OutOfMemoryError none) {
            atOnce.accept("at start", none);
        } else if (early != null) {
            end.run();
        }
    }

    /** The first fault; null as long as all is well. */
    @Nullable Throwable first() {
        return first.get();
    }

    /** There was no memory where state may be half changed now. */
    private void onHeapUsedUp(String where, OutOfMemoryError cause) {
        first.compareAndSet(null, cause);
        endAtOnce.accept(where, cause);
    }

    /** A shard broke an invariant. */
    void onShard(int shard, Throwable cause) {
        if (cause instanceof OutOfMemoryError none) {
            onHeapUsedUp("in shard " + shard, none);
        } else if (first.compareAndSet(null, cause)) {
            log.error("Internal error in shard {}: the broker stops", shard, cause);
            end.run();
        }
    }

    /** Code of an extension has met a fault of the whole process. */
    void onExtension(String id, VirtualMachineError cause) {
        if (cause instanceof OutOfMemoryError none) {
            // Not to the log: its last lines are lost when the process is halted.
            onHeapUsedUp("in extension " + id, none);
        } else if (first.compareAndSet(null, cause)) {
            log.error("The extension {} has met a fault of the whole process", id, cause);
            end.run();
        }
    }

    /**
     * Ends the process as a crash does: nothing is published or told that the next start will do by
     * itself.
     */
    void onStore(Throwable cause) {
        if (cause instanceof OutOfMemoryError none) {
            onHeapUsedUp("in the store", none);
            return;
        }
        health.stopping();
        if (!storeFailed.compareAndSet(false, true)) {
            return;
        }
        log.error(
                "The store has failed: {}. The broker acknowledges nothing more and exits with"
                        + " code 1. Everything acknowledged so far is stored. Check the disk of {}"
                        + " (full, read-only, broken?), then start the broker again",
                cause.getMessage(),
                data,
                cause);
        first.compareAndSet(null, cause);
        end.run();
    }

    /** Another process has this node's server id, or this is an old copy of its folder. */
    void onIntruder(String line) {
        log.error("{}. The broker exits with code 1", line);
        if (first.compareAndSet(null, new IllegalStateException(line))) {
            end.run();
        }
    }
}

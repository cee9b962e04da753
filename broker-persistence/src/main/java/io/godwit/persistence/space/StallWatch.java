package io.godwit.persistence.space;

import io.godwit.persistence.disk.DiskFailure;
import java.nio.file.Path;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices a disk that neither does what it is asked to nor fails: a controller that hangs, a
 * network that is gone. {@link #tick} is called by a thread that never touches the disk; whether it
 * is stalled can be read by any.
 *
 * <pre>
 * commits have waited for
 * stallMs    stalled: a line in the log, and no clients are sent here
 * 0          no more
 * hungMs     the disk is given up, once
 * </pre>
 */
public final class StallWatch {
    /** How often {@link #tick} should be called. */
    public static final long TICK_MS = 250;

    private static final Logger LOG = LoggerFactory.getLogger(StallWatch.class);

    private final Path folder;
    private final long stallMs;
    private final long hungMs;
    private final Consumer<DiskFailure> onHung;
    private volatile boolean isStalled;
    private boolean isGivenUp;
    private long longestMs;

    /**
     * @param folder of the store
     * @param stallMs 0 = never
     * @param hungMs 0 = never
     */
    public StallWatch(Path folder, long stallMs, long hungMs, Consumer<DiskFailure> onHung) {
        this.folder = folder;
        this.stallMs = stallMs;
        this.hungMs = hungMs;
        this.onHung = onHung;
    }

    /**
     * Looks once.
     *
     * @param waitedMs for how long commits have waited; 0 when they do not
     */
    public void tick(long waitedMs) {
        if (!isStalled && stallMs > 0 && waitedMs >= stallMs) {
            isStalled = true;
            longestMs = 0;
            LOG.error(
                    "The disk under {} has not answered for {} ms: nothing is acknowledged until"
                            + " it does. Check the kernel's log, and what else uses the disk",
                    folder,
                    waitedMs);
        } else if (isStalled && waitedMs < stallMs) {
            isStalled = false;
            LOG.info("The disk under {} answers again, after {} ms", folder, longestMs);
        }
        longestMs = Math.max(longestMs, waitedMs);
        if (!isGivenUp && hungMs > 0 && waitedMs >= hungMs) {
            isGivenUp = true;
            onHung.accept(
                    new DiskFailure(
                            "the disk under "
                                    + folder
                                    + " has not answered for "
                                    + waitedMs
                                    + " ms (durability.stall-exit)",
                            new TimeoutException("hung")));
        }
    }

    public boolean isStalled() {
        return isStalled;
    }
}

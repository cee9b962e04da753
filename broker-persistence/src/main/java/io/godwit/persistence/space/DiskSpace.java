package io.godwit.persistence.space;

import io.godwit.core.failure.FileCauses;
import io.godwit.core.store.StoreListener;
import io.godwit.persistence.settings.StoreSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the room on the store's disk. {@link #tick} is called every {@link #tickMs}, by one
 * thread that may wait for the disk; the values can be read by any.
 *
 * <pre>
 * usable bytes           alarm              ballast
 * below free             on: publishers wait
 * above free x 1.2       off after ten looks
 * below free / 4                            given up
 * above free x 1.2 + its own length         made again
 * </pre>
 *
 * <p>A compaction takes room before it gives some back, so the free space swings while the store
 * tidies up: the alarm ends when ten looks, a second apart, have found enough.
 *
 * <p>The alarm leaves {@code diskFreeBytes} and the ballast for what is stored nevertheless: what
 * was under way when it rose, the window's rows, the removals of subscribers that drain,
 * compactions that fit, and a bounded part for new sessions, subscriptions and wills.
 */
public final class DiskSpace {
    private static final long TICK_MS = 1_000;

    /**
     * Near the alarm: what comes before it is seen is stored, and a disk may take GiBs a second.
     */
    private static final long NEAR_TICK_MS = 100;

    /** Near is below so many times the mark of the alarm. */
    private static final int NEAR = 3;

    private static final Logger LOG = LoggerFactory.getLogger(DiskSpace.class);
    private static final int HARD_PART = 4;

    /** Looks, one after the other, that find enough room before the alarm ends. */
    static final int QUIET_LOOKS = 10;

    private final Path folder;
    private final Volume volume;
    private final StoreListener listener;
    private final long freeBytes;
    private final Ballast ballast;
    private volatile long usableBytes;
    private volatile boolean isAlarm;
    private int quietLooks;
    private volatile long ballastsGivenUp;
    private boolean isUnreadable;
    private boolean isUnmade;

    /**
     * @param folder of the store: the ballast lies in it
     * @param random fills the ballast, so that it takes room where the file system compresses
     */
    public DiskSpace(
            Path folder,
            Volume volume,
            StoreSettings settings,
            RandomGenerator random,
            StoreListener listener) {
        this.folder = folder;
        this.volume = volume;
        this.listener = listener;
        this.freeBytes = settings.diskFreeBytes();
        this.ballast = new Ballast(folder.resolve(Ballast.FILE), settings.ballastBytes(), random);
    }

    /** Looks once. Waits for the disk, for as long as the ballast takes to be written. */
    public void tick() {
        long usable;
        try {
            usable = volume.usableBytes();
            isUnreadable = false;
        } catch (IOException e) {
            if (!isUnreadable) {
                LOG.warn(
                        "Can't find out how much of the disk under {} is free: {}",
                        folder,
                        FileCauses.of(e));
            }
            isUnreadable = true;
            return; // the alarm stays as it is: no news is no reason to let publishers in
        }
        usableBytes = usable;
        alarm(usable);
        try {
            holdBallast(usable);
            isUnmade = false;
        } catch (IOException e) {
            if (!isUnmade) {
                LOG.warn(
                        "Can't create or delete the ballast file in {}: {}",
                        folder,
                        FileCauses.of(e));
            }
            isUnmade = true;
        }
    }

    private void alarm(long usable) {
        if (!isAlarm && usable < freeBytes) {
            isAlarm = true;
            quietLooks = 0;
            LOG.error(
                    "The disk under {} is nearly full: {} MiB free, durability.disk-free is {}."
                            + " Publishers wait until there is more; subscribers are still served",
                    folder,
                    usable >> 20,
                    freeBytes >> 20);
            listener.onDiskAlarm(true);
            return;
        }
        quietLooks = usable > quietBytes() ? quietLooks + 1 : 0;
        if (isAlarm && quietLooks >= QUIET_LOOKS) {
            isAlarm = false;
            LOG.info("The disk under {} has enough space again: {} MiB free", folder, usable >> 20);
            listener.onDiskAlarm(false);
        }
    }

    private void holdBallast(long usable) throws IOException {
        boolean isThere = ballast.isThere();
        if (isThere && usable < freeBytes / HARD_PART) {
            ballast.giveUp();
            ballastsGivenUp = ballastsGivenUp + 1; // one writer
            LOG.warn("Deleted the ballast file in {}: {} MiB", folder, ballast.bytes() >> 20);
        } else if (!isThere) {
            ballast.giveUp(); // one that was cut short, or left by other settings
            if (ballast.bytes() > 0 && usable > quietBytes() + ballast.bytes()) {
                ballast.make();
            }
        }
    }

    private long quietBytes() {
        return freeBytes + freeBytes / 5;
    }

    /** Milliseconds after which {@link #tick} should be called again. */
    public long tickMs() {
        return !isAlarm && usableBytes < NEAR * freeBytes ? NEAR_TICK_MS : TICK_MS;
    }

    /** Free bytes, as of the last look. */
    public long usableBytes() {
        return usableBytes;
    }

    public boolean isAlarm() {
        return isAlarm;
    }

    /** Times that the disk came so close to its end. */
    public long ballastsGivenUp() {
        return ballastsGivenUp;
    }
}

package io.godwit.core.shard;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Notices that the process did not run for a while: it was stopped, or its machine was. Other nodes
 * may have gone on without it meanwhile, so that what it knows of them is out of date until it has
 * caught up.
 *
 * <p>What counts is when that shard ran last by which other nodes hear that this one is there. It
 * is looked at whenever a shard is entered: also in the middle of a turn, which may have begun
 * before the pause, and always after the bytes were read that the shard is entered for. So what
 * came after the pause is not taken for what came before.
 */
public final class PauseWatch {
    /** Of a node that is alone: nobody goes on without it. */
    public static final PauseWatch OFF = new PauseWatch(0, Long.MAX_VALUE);

    /** Hears of pauses on the thread of the shard that has noticed, in the middle of its work. */
    public interface Listener {
        /**
         * @param pause which one, for {@link PauseWatch#caughtUp}
         * @param lengthMs how long the node did not run
         */
        void onPause(long pause, long lengthMs);
    }

    private final int heard;
    private final long limitMs;

    /** When the shard ran last that others hear of; a pause is named by that. */
    private final AtomicLong ranMs = new AtomicLong(Long.MIN_VALUE);

    private final AtomicLong noticed = new AtomicLong(Long.MIN_VALUE);
    private volatile long caughtUp = Long.MIN_VALUE;
    private volatile @Nullable Listener listener;

    /**
     * @param heard index of the shard by which other nodes hear that this one is there
     * @param limitMs less is no pause
     */
    public PauseWatch(int heard, long limitMs) {
        this.heard = heard;
        this.limitMs = limitMs;
    }

    /** From now on pauses are noticed; on the shard that others hear of, once. */
    public void begin(long nowMs, Listener told) {
        ranMs.set(nowMs);
        listener = told;
    }

    boolean isOn() {
        return listener != null;
    }

    /** A shard runs. */
    void ran(int shard, long nowMs) {
        Listener told = listener;
        if (told == null) {
            return;
        }
        long before = ranMs.getAcquire();
        if (nowMs - before > limitMs) {
            notice(told, before, nowMs - before);
        }
        if (shard == heard && nowMs > before) {
            // Behind what was noticed: whoever sees that the node runs again sees that, too.
            ranMs.setRelease(nowMs);
        }
    }

    private void notice(Listener told, long pause, long lengthMs) {
        long last = noticed.get();
        // When another shard comes first it is the same pause, or a later one.
        if (pause > last && noticed.compareAndSet(last, pause)) {
            told.onPause(pause, lengthMs);
        }
    }

    /** The latest that was noticed; any thread. */
    public long lastPause() {
        return noticed.get();
    }

    /** Whether the node has not caught up with the others since a pause; any thread. */
    public boolean isBehind() {
        return noticed.get() > caughtUp;
    }

    /** The node knows what the others have done without it up to the end of a pause. */
    public void caughtUp(long pause) {
        caughtUp = Math.max(caughtUp, pause);
    }
}

package io.godwit.core.index;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.CameBefore;
import io.godwit.core.message.KnownBefore;
import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Shard;
import io.godwit.core.time.Timer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Holds what had come before the subscriptions of one shard's sessions. The store has it, for the
 * next start; here it stands for whoever subscribes to the same filter once more, since that is
 * kept in the place of the first, and after a start for what comes again. Mostly nothing of it may
 * come again some milliseconds later, and it is forgotten; while a link is cut it may last.
 *
 * <p>Bounded, but for what is there after a start, which is needed: the oldest is forgotten, and
 * then delivered to who has subscribed once more. Owned by the shard.
 */
public final class YoungerSubscriptions {
    /** Whether something may be forgotten is looked at so often. */
    private static final long LOOK_MS = 2_000;

    /** So many after a start at a time. */
    private static final int LOOK_MAX = 1_000;

    private static final int BYTES_MAX = 4 << 20;
    private static final int ENTRY_BYTES = 40;

    private final Shard shard;
    private final ShardLoad load;
    private final CameBefore.Streams streams;

    /** Of this start, in the order of its subscriptions. */
    private final Deque<KnownBefore> made = new ArrayDeque<>(0);

    /** Of earlier starts, in no order. */
    private final Deque<KnownBefore> recovered = new ArrayDeque<>(0);

    private long madeBytes;
    private boolean isArmed;

    public YoungerSubscriptions(Shard shard, ShardLoad load, CameBefore.Streams streams) {
        this.shard = shard;
        this.load = load;
        this.streams = streams;
    }

    /**
     * Returns what has come by now.
     *
     * @return null when that is nothing
     */
    @Nullable KnownBefore now() {
        if (!shard.rules().holds(Rule.CAME_BEFORE)) {
            return null;
        }
        CameBefore.Builder before = new CameBefore.Builder();
        streams.addCame(before, shard.nowMs());
        return known(before.build());
    }

    private @Nullable KnownBefore known(@Nullable CameBefore came) {
        if (came == null) {
            return null;
        }
        KnownBefore last = made.peekLast();
        if (last != null && came.equals(last.came())) {
            return last;
        }
        KnownBefore known = new KnownBefore(came);
        made.add(known);
        count(came, 1);
        while (madeBytes > BYTES_MAX) {
            forgetOldest();
        }
        arm();
        return known;
    }

    /**
     * What stood with a subscription in the store; called at start.
     *
     * @param before null for nothing
     */
    public @Nullable KnownBefore recovered(@Nullable CameBefore before) {
        if (before == null) {
            return null;
        }
        KnownBefore last = recovered.peekLast();
        if (last != null && before.equals(last.came())) {
            return last;
        }
        KnownBefore known = new KnownBefore(before);
        recovered.add(known);
        load.sessionBytes(bytes(before));
        if (recovered.size() == 1) {
            shard.execute(this::arm);
        }
        return known;
    }

    private static int bytes(CameBefore of) {
        return ENTRY_BYTES + of.bytes();
    }

    private void count(CameBefore of, int sign) {
        int bytes = sign * bytes(of);
        madeBytes += bytes;
        load.sessionBytes(bytes);
    }

    private void forgetOldest() {
        KnownBefore oldest = made.remove();
        CameBefore came = oldest.came();
        oldest.forget();
        if (came != null) {
            count(came, -1);
        }
    }

    private void arm() {
        if (!isArmed) {
            isArmed = true;
            shard.timers().arm(Timer.of(this::look), shard.nowMs() + LOOK_MS);
        }
    }

    private void look(long nowMs) {
        isArmed = false;
        KnownBefore oldest;
        while ((oldest = made.peek()) != null && !mayComeAgain(oldest, nowMs)) {
            forgetOldest();
        }
        for (int left = Math.min(recovered.size(), LOOK_MAX); left > 0; left--) {
            lookAt(recovered.remove(), nowMs);
        }
        if (!made.isEmpty() || !recovered.isEmpty()) {
            arm();
        }
    }

    private boolean mayComeAgain(KnownBefore known, long nowMs) {
        CameBefore came = known.came();
        return came != null && streams.mayComeAgain(came, nowMs);
    }

    private void lookAt(KnownBefore known, long nowMs) {
        CameBefore came = known.came();
        if (mayComeAgain(known, nowMs)) {
            recovered.add(known);
        } else if (came != null) {
            known.forget();
            load.sessionBytes(-bytes(came));
        }
    }
}

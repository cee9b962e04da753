package io.godwit.cluster.stream;

import io.godwit.core.routing.RouteTarget;
import io.godwit.core.shard.Shard;
import io.godwit.core.time.Timer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Which records of a stream went to a target that held more than its part. The node that they come
 * from hears of it, so that their publishers wait there, and again when the target has drained: as
 * it is on one node, nobody else waits for it.
 */
final class FullTargets {
    /** Whether they have drained is looked at so often. */
    private static final long LOOK_MS = 20;

    private final Shard shard;
    private final Predicate<RouteTarget> isFull;
    private final Runnable whenToTell;
    private final Map<RouteTarget, List<Long>> full = new LinkedHashMap<>(0);
    private final List<Long> untold = new ArrayList<>(0);
    private final List<Long> eased = new ArrayList<>(0);
    private boolean looking;

    /**
     * @param isFull whether whoever publishes to the target has to wait
     * @param whenToTell asks for {@link #takeFull} and {@link #takeEased}
     */
    FullTargets(Shard shard, Predicate<RouteTarget> isFull, Runnable whenToTell) {
        this.shard = shard;
        this.isFull = isFull;
        this.whenToTell = whenToTell;
    }

    /** A record is taken in; it went to this target, which was full. */
    void add(RouteTarget target, long position) {
        if (isFull.test(target)) {
            full.computeIfAbsent(target, any -> new ArrayList<>(1)).add(position);
            untold.add(position);
            lookLater();
        }
    }

    /** A new link: the other node has forgotten what it was told. */
    void clear() {
        full.clear();
        untold.clear();
        eased.clear();
    }

    /** Positions to be told as full. */
    long[] takeFull() {
        return take(untold);
    }

    /** Positions that were told as full and are so no longer. */
    long[] takeEased() {
        return take(eased);
    }

    private static long[] take(List<Long> positions) {
        if (positions.isEmpty()) {
            return Answers.NONE;
        }
        long[] taken = positions.stream().mapToLong(Long::longValue).toArray();
        positions.clear();
        return taken;
    }

    private void lookLater() {
        if (!looking) {
            looking = true;
            shard.timers().arm(Timer.of(nowMs -> look()), shard.nowMs() + LOOK_MS);
        }
    }

    private void look() {
        looking = false;
        full.entrySet()
                .removeIf(each -> {
                    boolean hasEased = !isFull.test(each.getKey());
                    if (hasEased) {
                        eased.addAll(each.getValue());
                    }
                    return hasEased;
                });
        if (!eased.isEmpty()) {
            whenToTell.run();
        }
        if (!full.isEmpty()) {
            lookLater();
        }
    }
}

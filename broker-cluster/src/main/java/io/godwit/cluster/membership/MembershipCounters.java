package io.godwit.cluster.membership;

import java.util.concurrent.atomic.AtomicLongArray;

/** How often nodes were refused, here and by others. Any thread reads. */
public final class MembershipCounters {
    private final AtomicLongArray refused = new AtomicLongArray(Refusal.values().length);
    private final AtomicLongArray refusedByOthers = new AtomicLongArray(Refusal.values().length);

    void refused(Refusal why) {
        refused.incrementAndGet(why.ordinal());
    }

    void refusedByOther(Refusal why) {
        refusedByOthers.incrementAndGet(why.ordinal());
    }

    /** Hellos of others that this node has refused. */
    public long get(Refusal why) {
        return refused.get(why.ordinal());
    }

    /** Refusals that this node was told. */
    public long byOthers(Refusal why) {
        return refusedByOthers.get(why.ordinal());
    }
}

package io.godwit.core.session;

import io.godwit.core.shard.Turns;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Holds the wills that a shard has published and that not every target has taken in. */
public final class OwedWills {
    /**
     * No CONNECT may bring another will while a shard owes so many: what holds them up is broken.
     */
    private static final int MAX = 100_000;

    /** How many are published again in one slice. */
    private static final int AT_ONCE = 20;

    private final Set<OwedWill> all = new LinkedHashSet<>();
    private @Nullable Runnable whenNone;

    /** Adds a will that was published. */
    void add(OwedWill published) {
        all.add(published);
    }

    /** Removes a will that every target has taken in. */
    void remove(OwedWill taken) {
        all.remove(taken);
        Runnable task = whenNone;
        if (all.isEmpty() && task != null) {
            whenNone = null;
            task.run();
        }
    }

    boolean isFull() {
        return all.size() >= MAX;
    }

    /** Runs the task once no will is owed, which may be at once. */
    public void whenNone(Runnable task) {
        if (all.isEmpty()) {
            task.run();
        } else {
            whenNone = task;
        }
    }

    /**
     * Returns a task that publishes once more, in slices, those that are owed now and that nothing
     * stands for by then: what they wait for here may be at another node now. Targets that have one
     * recognise it.
     */
    public Runnable again(Turns turns) {
        Iterator<OwedWill> each = List.copyOf(all).iterator();
        return () ->
                turns.slice(() -> {
                    for (int i = 0; i < AT_ONCE && each.hasNext(); i++) {
                        each.next().publishAgain();
                    }
                    return !each.hasNext();
                });
    }
}

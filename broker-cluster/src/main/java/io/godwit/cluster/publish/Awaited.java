package io.godwit.cluster.publish;

import java.util.ArrayList;
import java.util.List;

/** What happens once, and what is to be done then. */
final class Awaited {
    private final List<Runnable> tasks = new ArrayList<>(0);
    private boolean happened;

    boolean hasHappened() {
        return happened;
    }

    /** Runs a task once it has happened. */
    void then(Runnable task) {
        if (happened) {
            task.run();
        } else {
            tasks.add(task);
        }
    }

    /** Now. */
    void happens() {
        happened = true;
        List<Runnable> all = List.copyOf(tasks);
        tasks.clear();
        all.forEach(Runnable::run);
    }
}

package io.godwit.cluster.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Tasks that wait until everything up to a position of an {@link OutStream} is answered. */
final class AwaitedAnswers {
    /** Wait for the node to be away, too. */
    private final TreeMap<Long, List<Runnable>> orAway = new TreeMap<>();

    private final TreeMap<Long, List<Runnable>> atLast = new TreeMap<>();

    void orAway(long position, Runnable task) {
        orAway.computeIfAbsent(position, any -> new ArrayList<>(1)).add(task);
    }

    void atLast(long position, Runnable task) {
        atLast.computeIfAbsent(position, any -> new ArrayList<>(1)).add(task);
    }

    /** All before this position is answered. */
    void answered(long first) {
        while (!orAway.isEmpty() && orAway.firstKey() < first) {
            orAway.pollFirstEntry().getValue().forEach(Runnable::run);
        }
        while (!atLast.isEmpty() && atLast.firstKey() < first) {
            atLast.pollFirstEntry().getValue().forEach(Runnable::run);
        }
    }

    void away() {
        for (Map.Entry<Long, List<Runnable>> each = orAway.pollFirstEntry();
                each != null;
                each = orAway.pollFirstEntry()) {
            each.getValue().forEach(Runnable::run);
        }
    }

    /** Takes out those that wait for an answer to this position or for the node to be away. */
    List<Runnable> remove(long position) {
        List<Runnable> tasks = orAway.remove(position);
        return tasks == null ? List.of() : tasks;
    }
}

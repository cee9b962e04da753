package io.godwit.cluster.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Tasks that wait until some or all up to a position of an {@link OutStream} is answered. */
final class AwaitedAnswers {
    /** Wait for the node to be away, too. */
    private final TreeMap<Long, List<Runnable>> orAway = new TreeMap<>();

    /** The same, for the answer to this position alone. */
    private final TreeMap<Long, List<Runnable>> aloneOrAway = new TreeMap<>();

    private final TreeMap<Long, List<Runnable>> atLast = new TreeMap<>();

    private static void add(TreeMap<Long, List<Runnable>> to, long position, Runnable task) {
        to.computeIfAbsent(position, any -> new ArrayList<>(1)).add(task);
    }

    void orAway(long position, Runnable task) {
        add(orAway, position, task);
    }

    void aloneOrAway(long position, Runnable task) {
        add(aloneOrAway, position, task);
    }

    void atLast(long position, Runnable task) {
        add(atLast, position, task);
    }

    /** All before this position is answered. */
    void answered(long first) {
        answered(aloneOrAway, first);
        answered(orAway, first);
        answered(atLast, first);
    }

    private static void answered(TreeMap<Long, List<Runnable>> of, long first) {
        while (!of.isEmpty() && of.firstKey() < first) {
            of.pollFirstEntry().getValue().forEach(Runnable::run);
        }
    }

    /** This position is answered. */
    void answeredAlone(long position) {
        if (!aloneOrAway.isEmpty()) {
            take(aloneOrAway, position).forEach(Runnable::run);
        }
    }

    void away() {
        away(aloneOrAway);
        away(orAway);
    }

    private static void away(TreeMap<Long, List<Runnable>> of) {
        for (Map.Entry<Long, List<Runnable>> each = of.pollFirstEntry();
                each != null;
                each = of.pollFirstEntry()) {
            each.getValue().forEach(Runnable::run);
        }
    }

    /** Takes out those that wait for an answer to this position or for the node to be away. */
    List<Runnable> remove(long position) {
        List<Runnable> tasks = new ArrayList<>(take(aloneOrAway, position));
        tasks.addAll(take(orAway, position));
        return tasks;
    }

    private static List<Runnable> take(TreeMap<Long, List<Runnable>> from, long position) {
        List<Runnable> tasks = from.remove(position);
        return tasks == null ? List.of() : tasks;
    }
}

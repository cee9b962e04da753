package io.godwit.cluster.simulation;

import io.godwit.core.simulation.Scheduler;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;

/** What happened, counted, and the last of it in words. */
final class Story {
    private static final int LINES = 400;

    private final Scheduler scheduler;
    private final ArrayDeque<String> lines = new ArrayDeque<>();
    private final EnumMap<Happening, Long> counts = new EnumMap<>(Happening.class);

    Story(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    void count(Happening what) {
        counts.merge(what, 1L, Long::sum);
    }

    void tell(Happening what, String text) {
        count(what);
        tell(what + " " + text);
    }

    void tell(String text) {
        lines.add(scheduler.monotonicMs() + " " + text);
        if (lines.size() > LINES) {
            lines.remove();
        }
    }

    Map<Happening, Long> counts() {
        return counts;
    }

    String text() {
        return String.join("\n", lines);
    }
}

package io.godwit.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * How long clients were not served: from the end of a connection that they did not end themselves,
 * or from their first try, until CONNACK. A client that has ended its connection, and is served at
 * once when it comes back, had no outage.
 */
final class Outages {
    /** A first try that takes so long is an outage, although it succeeds. */
    static final long LONG_MS = 1_000;

    private static final String NO_FAULT = "no fault";

    private final Map<String, List<Long>> byFault = new TreeMap<>();
    private String fault = NO_FAULT;

    /** A fault begins: what is going on. */
    void begin(String what) {
        fault = what;
    }

    /** All nodes are there again. */
    void end() {
        fault = NO_FAULT;
    }

    /** Returns the fault that is going on. */
    String fault() {
        return fault;
    }

    /**
     * A client is served again.
     *
     * @param since the fault that was going on when the outage began
     */
    void ended(String since, long ms) {
        String cause = since.equals(NO_FAULT) ? fault : since;
        byFault.computeIfAbsent(cause, any -> new ArrayList<>()).add(ms);
    }

    /** Returns how long the longest one took, in milliseconds; 0 when there was none. */
    long longestMs() {
        return byFault.values().stream()
                .flatMap(List::stream)
                .mapToLong(each -> each)
                .max()
                .orElse(0);
    }

    /** Returns a line for all, and one for those of each fault; empty when there were none. */
    @Override
    public String toString() {
        List<Long> all = byFault.values().stream().flatMap(List::stream).toList();
        if (all.isEmpty()) {
            return "";
        }
        List<String> lines = new ArrayList<>();
        lines.add("Outages of clients: " + line(all));
        byFault.forEach((cause, each) -> lines.add("    %-12s %s".formatted(cause, line(each))));
        return String.join("\n", lines);
    }

    private static String line(List<Long> of) {
        List<Long> sorted = of.stream().sorted().toList();
        return String.format(
                Locale.ROOT,
                "%,d, 50 %% within %,d ms, 99 %% within %,d ms, the longest %,d ms",
                sorted.size(),
                percentile(sorted, 50),
                percentile(sorted, 99),
                sorted.getLast());
    }

    private static long percentile(List<Long> sorted, int percent) {
        int rank = (sorted.size() * percent + 99) / 100;
        return sorted.get(Math.max(rank, 1) - 1);
    }
}

package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The scenarios about durable sessions, by name. */
final class Durable {
    private static final String ALL = "all-durable";
    private static final Map<String, Run> RUNS = new LinkedHashMap<>();

    /** One scenario: runs it and prints its table. */
    private interface Run {
        void run(String name, Options options, Path folder) throws IOException;
    }

    static {
        DurablePairs.NAMES.forEach(name -> RUNS.put(name, DurablePairs::run));
        Backlog.NAMES.forEach(name -> RUNS.put(name, Backlog::run));
        RUNS.put(Reconnect.NAME, Reconnect::run);
        Reopen.NAMES.forEach(name -> RUNS.put(name, Reopen::run));
        RUNS.put(FanoutOffline.NAME, FanoutOffline::run);
        RUNS.put(OfflineSessions.NAME, OfflineSessions::run);
        RUNS.put(DrainedHalf.NAME, DrainedHalf::run);
    }

    private Durable() {}

    static boolean knows(String scenario) {
        return scenario.equals(ALL) || RUNS.containsKey(scenario);
    }

    static String names() {
        return String.join(", ", RUNS.keySet());
    }

    static void run(Options options, Path folder) throws IOException {
        for (Map.Entry<String, Run> each : RUNS.entrySet()) {
            if (options.scenario().equals(ALL) || options.scenario().equals(each.getKey())) {
                each.getValue().run(each.getKey(), options, folder);
            }
        }
    }
}

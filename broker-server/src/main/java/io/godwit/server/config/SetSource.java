package io.godwit.server.config;

import java.util.ArrayList;
import java.util.List;

/** Reads {@code --set key=value}. */
final class SetSource {
    private SetSource() {}

    static List<Assignment> read(List<String> sets, List<ConfigProblem> problems) {
        List<Assignment> found = new ArrayList<>();
        for (String set : sets) {
            int equals = set.indexOf('=');
            if (equals > 0) {
                String key = set.substring(0, equals).strip();
                found.add(new Assignment(key, set.substring(equals + 1).strip(), "--set"));
            } else {
                problems.add(new ConfigProblem("--set", set, null, "must look like key=value"));
            }
        }
        return found;
    }
}

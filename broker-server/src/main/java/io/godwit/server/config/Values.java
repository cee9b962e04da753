package io.godwit.server.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;

/** The assignments that count, by key; mistakes are collected and the default stands in. */
final class Values {
    private final Map<String, Assignment> byKey = new HashMap<>();
    private final List<ConfigProblem> problems;

    Values(List<ConfigProblem> problems) {
        this.problems = problems;
    }

    /** A later one replaces an earlier one. An unknown key is a mistake. */
    void put(Assignment assignment) {
        if (KnownKeys.find(assignment.key()).isPresent()) {
            byKey.put(assignment.key(), assignment);
        } else {
            problem(assignment, KnownKeys.unknown(assignment.key()));
        }
    }

    <T> T get(Key<T> key) {
        return get("", key);
    }

    /**
     * @param prefix {@code listeners.<name>.}
     */
    <T> T get(String prefix, Key<T> key) {
        Assignment assignment = byKey.get(prefix + key.name());
        if (assignment == null) return key.fallback();
        Optional<T> value = key.type().parse(assignment.text());
        if (value.isEmpty()) problem(assignment, "allowed: " + key.type().allowed());
        return value.orElse(key.fallback());
    }

    int getInt(Key<Long> key) {
        return Math.toIntExact(get(key));
    }

    int getInt(String prefix, Key<Long> key) {
        return Math.toIntExact(get(prefix, key));
    }

    /** Somebody wrote it, rightly or wrongly. */
    boolean isSet(String fullName) {
        return byKey.containsKey(fullName);
    }

    /** Nobody wrote it, or somebody wrote nothing. */
    boolean isEmpty(String fullName) {
        Assignment assignment = byKey.get(fullName);
        return assignment == null || assignment.text().isEmpty();
    }

    /**
     * The server names that a listener has certificates of their own for, sorted.
     *
     * @param prefix {@code listeners.<name>.}
     */
    SortedSet<String> serverNames(String prefix) {
        return KnownKeys.serverNames(byKey.keySet(), prefix);
    }

    /** A mistake that shows only together with other keys. */
    void refuse(String fullName, String text) {
        Assignment assignment = byKey.get(fullName);
        if (assignment != null) {
            problem(assignment, text);
        } else {
            problems.add(new ConfigProblem("configuration", fullName, null, text));
        }
    }

    private void problem(Assignment wrong, String text) {
        String shown = KnownKeys.shown(wrong.key(), wrong.text());
        problems.add(new ConfigProblem(wrong.where(), wrong.key(), shown, text));
    }
}

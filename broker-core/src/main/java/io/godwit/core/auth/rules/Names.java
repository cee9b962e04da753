package io.godwit.core.auth.rules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Names of one condition: those that stand there whole, and patterns. */
final class Names {
    private final Set<String> plain = new HashSet<>();
    private final List<NamePattern> patterns = new ArrayList<>();

    private Names() {}

    /** Reads names in which only {@code *} means something. */
    static Names of(List<String> texts) {
        Names names = new Names();
        for (String each : texts) {
            if (NamePattern.isPlain(each)) {
                names.plain.add(each);
            } else {
                names.patterns.add(NamePattern.of(each));
            }
        }
        return names;
    }

    /**
     * Reads client ids.
     *
     * @throws IllegalArgumentException says what is allowed
     */
    static Names ofClientIds(List<String> texts) {
        Names names = new Names();
        for (String each : texts) {
            if (NamePattern.isPlain(each) && each.indexOf('%') < 0) {
                names.plain.add(each);
            } else {
                names.patterns.add(NamePattern.ofClientId(each));
            }
        }
        return names;
    }

    boolean isEmpty() {
        return plain.isEmpty() && patterns.isEmpty();
    }

    /** Returns the names that stand there whole. */
    Set<String> plain() {
        return plain;
    }

    /** Number of patterns, which are tried one by one. */
    int patterns() {
        return patterns.size();
    }

    /** Whether a pattern depends on the user name. */
    boolean hasUserName() {
        return patterns.stream().anyMatch(NamePattern::hasUserName);
    }

    boolean matches(String name, @Nullable String userName) {
        if (plain.contains(name)) {
            return true;
        }
        for (NamePattern each : patterns) {
            if (each.matches(name, userName)) {
                return true;
            }
        }
        return false;
    }
}

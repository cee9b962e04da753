package io.godwit.core.auth.rules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Names of one condition: those that stand there whole, and patterns. */
final class Names {
    private static final Names NONE = new Names(Set.of(), List.of());

    private final Set<String> plain;
    private final List<NamePattern> patterns;

    private Names(Set<String> plain, List<NamePattern> patterns) {
        this.plain = Set.copyOf(plain);
        this.patterns = List.copyOf(patterns);
    }

    /** Reads names in which only {@code *} means something. */
    static Names of(List<String> texts) {
        return of(texts, NamePattern::isPlain, NamePattern::of);
    }

    /**
     * Reads client ids.
     *
     * @throws IllegalArgumentException says what is allowed
     */
    static Names ofClientIds(List<String> texts) {
        return of(
                texts,
                each -> NamePattern.isPlain(each) && each.indexOf('%') < 0,
                NamePattern::ofClientId);
    }

    private static Names of(
            List<String> texts, Predicate<String> isPlain, Function<String, NamePattern> pattern) {
        if (texts.isEmpty()) {
            return NONE;
        }
        Set<String> plain = new HashSet<>();
        List<NamePattern> patterns = new ArrayList<>();
        for (String each : texts) {
            if (isPlain.test(each)) {
                plain.add(each);
            } else {
                patterns.add(pattern.apply(each));
            }
        }
        return new Names(plain, patterns);
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

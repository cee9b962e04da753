package io.godwit.extension.access;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An ordered list of rules: the first one that is about what a client wants to do decides, and what
 * no rule is about is denied. Connecting is denied in that way only if some rule is about
 * connecting.
 *
 * @param rules in order
 * @param groups user names of each group that the rules name; {@code *} stands for any number of
 *     characters. A client is in a group, too, when its authenticator says so
 */
public record AccessRules(List<AccessRule> rules, Map<String, List<String>> groups) {
    public AccessRules {
        rules = List.copyOf(rules);
        Map<String, List<String>> copy = new LinkedHashMap<>();
        groups.forEach((name, users) -> copy.put(name, List.copyOf(users)));
        groups = Collections.unmodifiableMap(copy);
    }

    /** Makes a list without groups of its own. */
    public static AccessRules of(AccessRule... rules) {
        return new AccessRules(List.of(rules), Map.of());
    }
}

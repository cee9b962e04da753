package io.godwit.core.auth.rules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The groups that a list of rules names, by user. */
final class Groups {
    private final Set<String> known;
    private final Map<String, List<String>> ofUsers = new HashMap<>();
    private final Map<String, Names> patterns = new HashMap<>();

    Groups(Map<String, List<String>> users) {
        known = Set.copyOf(users.keySet());
        users.forEach(this::add);
    }

    private void add(String group, List<String> users) {
        Names names = Names.of(users);
        for (String each : names.plain()) {
            ofUsers.computeIfAbsent(each, user -> new ArrayList<>(1)).add(group);
        }
        if (names.patterns() > 0) {
            patterns.put(group, names);
        }
    }

    boolean isKnown(String group) {
        return known.contains(group);
    }

    /** Number of patterns, which are tried one by one. */
    int tried() {
        return patterns.values().stream().mapToInt(Names::patterns).sum();
    }

    /**
     * Returns the groups that a user is in.
     *
     * @param userName null: it is in those alone that the authenticator has put it in
     * @param byAuthenticator groups that the authenticator has put it in
     */
    Set<String> of(@Nullable String userName, List<String> byAuthenticator) {
        Set<String> groups = new HashSet<>(byAuthenticator);
        if (userName != null) {
            groups.addAll(ofUsers.getOrDefault(userName, List.of()));
            patterns.forEach((group, names) -> {
                if (names.matches(userName, null)) {
                    groups.add(group);
                }
            });
        }
        return groups;
    }
}

package io.godwit.server.security.users;

import io.godwit.server.security.users.PasswordHash.OfScram;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The users of one state of the file. Does not change. */
final class UserTable {
    static final UserTable EMPTY = new UserTable(Map.of());

    private final Map<String, User> users;
    private final List<PasswordHash> hashes = new ArrayList<>();
    private final List<OfScram> scram = new ArrayList<>();

    UserTable(Map<String, User> users) {
        this.users = users;
        for (User each : users.values()) {
            hashes.add(each.hash());
            if (each.hash() instanceof OfScram keys) {
                scram.add(keys);
            }
        }
    }

    int size() {
        return users.size();
    }

    @Nullable User find(String name) {
        return users.get(name);
    }

    /**
     * Returns somebody's hash, to be compared in place of that of a user who is unknown: so an
     * answer takes as long as another one does. The same name gets the same hash.
     *
     * @param nameHash a hash of the name that no stranger can compute
     * @return null: there are no users
     */
    @Nullable PasswordHash standIn(long nameHash) {
        return hashes.isEmpty() ? null : hashes.get(place(nameHash, hashes.size()));
    }

    /** Returns somebody's SCRAM keys, for their form; null: nobody has any. */
    @Nullable OfScram scramStandIn(long nameHash) {
        return scram.isEmpty() ? null : scram.get(place(nameHash, scram.size()));
    }

    private static int place(long hash, int size) {
        return (int) Long.remainderUnsigned(hash, size);
    }

    /** Returns this table with the users of the one before whose lines are the same. */
    UserTable after(UserTable before) {
        Map<String, User> merged = new HashMap<>(users);
        merged.replaceAll((name, user) -> {
            User old = before.find(name);
            return old != null && old.remembersAny() && old.hash().isSame(user.hash()) ? old : user;
        });
        return new UserTable(merged);
    }

    /** Returns the names of users that the next table does not have. */
    Set<String> missingIn(UserTable next) {
        Set<String> missing = new HashSet<>(users.keySet());
        missing.removeAll(next.users.keySet());
        return missing;
    }

    /** Says in a few words how the next table differs from this one. */
    String changesTo(UserTable next) {
        int removed = 0;
        int changed = 0;
        for (Map.Entry<String, User> each : users.entrySet()) {
            User other = next.find(each.getKey());
            if (other == null) {
                removed++;
            } else if (!other.hash().isSame(each.getValue().hash())) {
                changed++;
            }
        }
        int added = next.size() - (size() - removed);
        return next.size()
                + " users: "
                + added
                + " added, "
                + changed
                + " changed, "
                + removed
                + " removed";
    }
}

package io.godwit.core.takeover;

import org.jspecify.annotations.Nullable;

/**
 * The user whose connection claims a client id, where sessions belong to users.
 *
 * @param name null: anonymous
 */
public record ClaimingUser(@Nullable String name) {
    /** Whether a session of this user, or of none, may be continued or ended. */
    boolean mayTake(@Nullable String owner) {
        return owner == null || owner.equals(name);
    }
}

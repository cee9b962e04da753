package io.godwit.core.takeover;

import org.jspecify.annotations.Nullable;

/**
 * The user whose connection claims a client id, where sessions belong to users.
 *
 * @param name null: anonymous
 */
public record ClaimingUser(@Nullable String name) {
    /** Tells a client why it does not get its client id. */
    public static final String REFUSAL =
            "the client id has a session of another user (security.session-owner)";

    private static final ClaimingUser ANONYMOUS = new ClaimingUser(null);

    /** Bytes of a name beside its characters, rounded up. */
    private static final long NAME_BYTES = 64;

    /** Returns the user of that name; null: anonymous. */
    public static ClaimingUser of(@Nullable String name) {
        return name == null ? ANONYMOUS : new ClaimingUser(name);
    }

    /** Bytes that it takes in memory. */
    public long accountedBytes() {
        return accountedBytes(name);
    }

    /** Bytes that the name of a user takes in memory; null: none. */
    public static long accountedBytes(@Nullable String name) {
        return name == null ? 0 : NAME_BYTES + 2L * name.length();
    }

    /** Whether a session of this user, or of none, may be continued or ended. */
    public boolean mayTake(@Nullable String owner) {
        return owner == null || owner.equals(name);
    }
}

package io.godwit.server.config;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings that say who may connect ({@code security.*}).
 *
 * @param authenticators names, in the order in which they are asked
 * @param auto what is as extensions say
 * @param authenticateMs that one of them may take
 * @param owner AUTO is no value of it
 * @param users null: there is no file of users
 * @param reloadMs how often files are looked at; 0: never
 * @param rules the file that says what clients may do; null: there is none
 * @param filesBytesMax heap that users, rules and revocation lists may take together
 * @param authorizers names of those that are asked what clients may do, in order; null: all
 *     extensions, and then the rules
 */
public record SecurityConfig(
        Anonymous anonymous,
        List<String> authenticators,
        Auto auto,
        long authenticateMs,
        Owner owner,
        @Nullable UsersConfig users,
        long reloadMs,
        @Nullable Path rules,
        long filesBytesMax,
        @Nullable List<String> authorizers) {
    /** Stands for the authenticators of all extensions, and then that of the file of users. */
    public static final String AUTO = "auto";

    /** The authenticator of the file of users. */
    public static final String USERS = "users";

    /** The client's rules, among those that say what it may do. */
    public static final String RULES = "rules";

    public SecurityConfig {
        authenticators = List.copyOf(authenticators);
        authorizers = authorizers == null ? null : List.copyOf(authorizers);
    }

    /**
     * Says from where a client may connect without being known; AUTO is replaced by one of the
     * others.
     */
    public enum Anonymous {
        AUTO,
        LOOPBACK,
        NOBODY,
        EVERYONE
    }

    /** Says whose a session is; AUTO is replaced by one of the others. */
    public enum Owner {
        AUTO,
        USER,
        ANYONE
    }

    /**
     * Says what depends on whether extensions authenticate clients: the other components are what
     * holds while none does.
     *
     * @param authenticators whether all extensions are asked, before the others
     * @param anonymous whether nobody may be anonymous then
     * @param owner whether sessions are their users' then
     */
    public record Auto(boolean authenticators, boolean anonymous, boolean owner) {}
}

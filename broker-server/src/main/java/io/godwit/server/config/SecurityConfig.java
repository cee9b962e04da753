package io.godwit.server.config;

import java.util.List;

/**
 * The settings that say who may connect ({@code security.*}).
 *
 * @param authenticators names, in the order in which they are asked
 * @param authenticateMs that one of them may take
 * @param owner AUTO is no value of it
 */
public record SecurityConfig(
        Anonymous anonymous, List<String> authenticators, long authenticateMs, Owner owner) {
    public SecurityConfig {
        authenticators = List.copyOf(authenticators);
    }

    /** From where a client may connect without being known; AUTO is what may be written. */
    public enum Anonymous {
        AUTO,
        LOOPBACK,
        NOBODY,
        EVERYONE
    }

    /** Whose a session is; AUTO is what may be written. */
    public enum Owner {
        AUTO,
        USER,
        ANYONE
    }
}

package io.godwit.server.config;

import org.jspecify.annotations.Nullable;

/**
 * The settings that say who may connect ({@code security.*}).
 *
 * @param users null: there is no file of users
 * @param reloadMs how often files are looked at; 0: never
 */
public record SecurityConfig(Anonymous anonymous, @Nullable UsersConfig users, long reloadMs) {

    /**
     * From where a client may connect without being known; credentials are then accepted unread.
     */
    public enum Anonymous {
        LOOPBACK,
        NOBODY,
        EVERYONE
    }
}

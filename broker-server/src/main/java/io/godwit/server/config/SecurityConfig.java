package io.godwit.server.config;

/** The settings that say who may connect ({@code security.*}). */
public record SecurityConfig(Anonymous anonymous) {

    /**
     * From where a client may connect without being known; credentials are then accepted unread.
     */
    public enum Anonymous {
        LOOPBACK,
        NOBODY,
        EVERYONE
    }
}

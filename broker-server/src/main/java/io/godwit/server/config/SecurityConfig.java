package io.godwit.server.config;

/** Who may connect ({@code security.*}). */
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

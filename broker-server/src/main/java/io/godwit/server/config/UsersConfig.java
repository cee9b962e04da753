package io.godwit.server.config;

import java.nio.file.Path;

/**
 * The users of a file ({@code security.users}).
 *
 * @param file absolute
 * @param hashers threads that hash passwords
 * @param hashBytesMax memory that each of them may take
 * @param cacheMs how long a password that was right is remembered; 0: not at all
 */
public record UsersConfig(Path file, int hashers, long hashBytesMax, long cacheMs) {
    /** Returns what all threads may take together. */
    long hashBytes() {
        return hashers * hashBytesMax;
    }
}

package io.godwit.server.security.users;

import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * A line of the file, and the password that was right last. A line that changes makes another user,
 * which remembers nothing. Any thread.
 */
final class User {
    private final String name;
    private final PasswordHash hash;
    private volatile @Nullable Remembered remembered;

    private record Remembered(byte[] mac, long untilMs) {}

    User(String name, PasswordHash hash) {
        this.name = name;
        this.hash = hash;
    }

    /** Returns the name, which all connections of the user share. */
    String name() {
        return name;
    }

    PasswordHash hash() {
        return hash;
    }

    /**
     * @param mac HMAC of a password that is right
     */
    void remember(byte[] mac, long untilMs) {
        remembered = new Remembered(mac, untilMs);
    }

    /** Whether a password with this HMAC was right, and it is not too long ago. */
    boolean isRemembered(byte[] mac, long nowMs) {
        Remembered known = remembered;
        return known != null && nowMs < known.untilMs && MessageDigest.isEqual(known.mac, mac);
    }

    boolean remembersAny() {
        return remembered != null;
    }
}

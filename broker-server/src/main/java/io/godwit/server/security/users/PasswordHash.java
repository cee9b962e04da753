package io.godwit.server.security.users;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;

/**
 * Stands in the file of users instead of a password. Its text is no secret that opens anything by
 * itself, but {@code toString} leaves it out all the same (a record shows no content of its
 * arrays): who has it can guess at leisure. Compare two by {@link #isSame}; {@code equals} does not
 * look into arrays.
 */
public sealed interface PasswordHash {
    /** Returns it as it stands in the file. */
    String text();

    /** Whether the other one is of the same kind and has the same content. */
    default boolean isSame(PasswordHash other) {
        return text().equals(other.text());
    }

    /** Names its kind for people. */
    String kind();

    /**
     * Compares a password; in a time that does not depend on how much of it is right.
     *
     * @param argon2 of the calling thread
     */
    boolean matches(byte[] password, Argon2id argon2);

    /** Whether a comparison takes microseconds: then no hasher is needed. */
    default boolean isQuick() {
        return false;
    }

    /** Returns the bytes of memory that a comparison takes; 0: few. */
    default long memoryBytes() {
        return 0;
    }

    /** Argon2id in the form of the Password Hashing Competition, also as Mosquitto writes it. */
    record OfArgon2(Argon2id.Cost cost, byte[] salt, byte[] hash) implements PasswordHash {
        static final String PREFIX = "$argon2id$";

        @Override
        public String text() {
            return PREFIX
                    + "v=19$m="
                    + cost.memoryKiB()
                    + ",t="
                    + cost.passes()
                    + ",p="
                    + cost.lanes()
                    + "$"
                    + HashText.unpadded(salt)
                    + "$"
                    + HashText.unpadded(hash);
        }

        @Override
        public String kind() {
            return "argon2id";
        }

        @Override
        public boolean matches(byte[] password, Argon2id argon2) {
            return MessageDigest.isEqual(hash, argon2.hash(cost, password, salt, hash.length));
        }

        @Override
        public long memoryBytes() {
            return Argon2id.bytes(cost);
        }
    }

    /** PBKDF2 with SHA-512, as Mosquitto 2.0 writes it. */
    record OfPbkdf2(int iterations, byte[] salt, byte[] hash) implements PasswordHash {
        static final String PREFIX = "$7$";

        @Override
        public String text() {
            Base64.Encoder padded = Base64.getEncoder();
            return PREFIX
                    + iterations
                    + "$"
                    + padded.encodeToString(salt)
                    + "$"
                    + padded.encodeToString(hash);
        }

        @Override
        public String kind() {
            return "pbkdf2-sha512";
        }

        @Override
        public boolean matches(byte[] password, Argon2id argon2) {
            return MessageDigest.isEqual(hash, Hmac.SHA512.pbkdf2(password, salt, iterations));
        }
    }

    /** A salted SHA-256, for a secret that is too long to guess. */
    record OfToken(byte[] salt, byte[] hash) implements PasswordHash {
        static final String PREFIX = "$token$";

        @Override
        public String text() {
            return PREFIX + HashText.unpadded(salt) + "$" + HashText.unpadded(hash);
        }

        @Override
        public String kind() {
            return "token";
        }

        @Override
        public boolean matches(byte[] password, Argon2id argon2) {
            return matches(password);
        }

        boolean matches(byte[] token) {
            return MessageDigest.isEqual(hash, Hmac.sha256(salt, token));
        }

        @Override
        public boolean isQuick() {
            return true;
        }
    }

    /** The keys of SCRAM-SHA-256 (RFC 5802, RFC 7677); a password as such fits, too. */
    record OfScram(int iterations, byte[] salt, byte[] storedKey, byte[] serverKey)
            implements PasswordHash {
        static final String PREFIX = "$scram-sha-256$";

        static OfScram of(byte[] password, byte[] salt, int iterations) {
            byte[] prepared = ScramText.prepare(password);
            byte[] salted = Hmac.SHA256.pbkdf2(prepared, salt, iterations);
            byte[] clientKey = Hmac.SHA256.of(salted, ScramText.CLIENT_KEY);
            byte[] serverKey = Hmac.SHA256.of(salted, ScramText.SERVER_KEY);
            byte[] storedKey = Hmac.sha256(clientKey);
            Arrays.fill(prepared, (byte) 0);
            Arrays.fill(salted, (byte) 0);
            Arrays.fill(clientKey, (byte) 0);
            return new OfScram(iterations, salt, storedKey, serverKey);
        }

        @Override
        public String text() {
            return PREFIX
                    + iterations
                    + "$"
                    + HashText.unpadded(salt)
                    + "$"
                    + HashText.unpadded(storedKey)
                    + "$"
                    + HashText.unpadded(serverKey);
        }

        @Override
        public String kind() {
            return "scram-sha-256";
        }

        @Override
        public boolean matches(byte[] password, Argon2id argon2) {
            return MessageDigest.isEqual(storedKey, of(password, salt, iterations).storedKey);
        }
    }
}

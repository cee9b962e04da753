package io.godwit.server.security.users;

import io.godwit.server.security.users.PasswordHash.OfArgon2;
import io.godwit.server.security.users.PasswordHash.OfScram;
import io.godwit.server.security.users.PasswordHash.OfToken;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;

/** Makes lines for the file of users. */
public final class NewHashes {
    /** 19 MiB, two passes, one lane. */
    static final Argon2id.Cost ARGON2 = new Argon2id.Cost(19 * 1024, 2, 1);

    static final int SCRAM_ITERATIONS = 15_000;
    static final int SALT_BYTES = 16;

    private static final int HASH_BYTES = 32;
    private static final int SECRET_BYTES = 20;
    private static final int BITS_PER_LETTER = 5;
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz234567";

    private final RandomGenerator random;
    private final Argon2id argon2 = new Argon2id();

    /**
     * @param random a secure one
     */
    public NewHashes(RandomGenerator random) {
        this.random = random;
    }

    /** Returns the bytes of memory that checking one of our passwords takes. */
    public static long memoryBytes() {
        return Argon2id.bytes(ARGON2);
    }

    public PasswordHash ofPassword(byte[] password) {
        byte[] salt = salt();
        return new OfArgon2(ARGON2, salt, argon2.hash(ARGON2, password, salt, HASH_BYTES));
    }

    public PasswordHash ofScram(byte[] password) {
        return OfScram.of(password, salt(), SCRAM_ITERATIONS);
    }

    /**
     * @param secret one that {@link #secret} has made: any other could be guessed
     */
    public PasswordHash ofToken(String secret) {
        byte[] salt = salt();
        return new OfToken(salt, Hmac.sha256(salt, secret.getBytes(StandardCharsets.US_ASCII)));
    }

    /** Returns 160 random bits in letters and digits. */
    public String secret() {
        StringBuilder secret = new StringBuilder();
        for (int i = 0; i < SECRET_BYTES * Byte.SIZE / BITS_PER_LETTER; i++) {
            secret.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return secret.toString();
    }

    private byte[] salt() {
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        return salt;
    }
}

package io.godwit.server.security.users;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HMAC, PBKDF2 over it, and SHA-256, of bytes. */
enum Hmac {
    SHA256("HmacSHA256"),
    SHA512("HmacSHA512");

    private static final byte[] FIRST_BLOCK = {0, 0, 0, 1};

    /** As a key equal to none at all, which the JDK refuses. */
    private static final byte[] EMPTY_KEY = {0};

    private final String algorithm;

    Hmac(String algorithm) {
        this.algorithm = algorithm;
    }

    /** Returns the HMAC of all parts together. */
    byte[] of(byte[] key, byte[]... parts) {
        Mac mac = mac(key);
        for (byte[] part : parts) {
            mac.update(part);
        }
        return mac.doFinal();
    }

    /**
     * Returns the first block of PBKDF2, which is all that Mosquitto and SCRAM take.
     *
     * @param password bytes of any kind, unlike what the JDK's own takes
     */
    byte[] pbkdf2(byte[] password, byte[] salt, int iterations) {
        Mac mac = mac(password);
        mac.update(salt);
        byte[] each = mac.doFinal(FIRST_BLOCK);
        byte[] sum = each.clone();
        try {
            for (int i = 1; i < iterations; i++) {
                mac.update(each);
                mac.doFinal(each, 0);
                for (int j = 0; j < sum.length; j++) {
                    sum[j] ^= each[j];
                }
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(algorithm, e);
        }
        Arrays.fill(each, (byte) 0);
        return sum;
    }

    private Mac mac(byte[] key) {
        try {
            Mac mac = Mac.getInstance(algorithm);
            mac.init(new SecretKeySpec(key.length == 0 ? EMPTY_KEY : key, algorithm));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no " + algorithm, e);
        }
    }

    static byte[] sha256(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }
}

package io.godwit.server.security.users;

import io.godwit.server.security.users.PasswordHash.OfArgon2;
import io.godwit.server.security.users.PasswordHash.OfPbkdf2;
import io.godwit.server.security.users.PasswordHash.OfScram;
import io.godwit.server.security.users.PasswordHash.OfToken;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Reads a {@link PasswordHash}. What it says of a mistake repeats nothing of the text. */
final class HashText {
    private static final Base64.Encoder UNPADDED = Base64.getEncoder().withoutPadding();

    private static final int MEMORY_KIB_MAX = 64 * 1024;
    private static final int PASSES_MAX = 10;
    private static final int LANES_MAX = 16;
    private static final int PBKDF2_MAX = 1_000_000;
    private static final int SCRAM_MIN = 4_096;
    private static final int SCRAM_MAX = 600_000;
    private static final int SALT_MIN = 8;
    private static final int SALT_MAX = 64;
    private static final int SHA256 = 32;
    private static final int SHA512 = 64;

    /** It is no hash that Godwit checks; the message says why, to follow a colon. */
    static final class Illegal extends Exception {
        private static final long serialVersionUID = 1L;

        Illegal(String message) {
            super(message, null, false, false);
        }
    }

    private HashText() {}

    static String unpadded(byte[] bytes) {
        return UNPADDED.encodeToString(bytes);
    }

    static PasswordHash parse(String text) throws Illegal {
        if (text.startsWith(OfArgon2.PREFIX)) {
            return argon2(parts(text, OfArgon2.PREFIX, 4));
        }
        if (text.startsWith(OfPbkdf2.PREFIX)) {
            List<String> parts = parts(text, OfPbkdf2.PREFIX, 3);
            return new OfPbkdf2(
                    number("iterations", parts.get(0), 1, PBKDF2_MAX),
                    salt(parts.get(1)),
                    bytes("hash", parts.get(2), SHA512, SHA512));
        }
        if (text.startsWith(OfToken.PREFIX)) {
            List<String> parts = parts(text, OfToken.PREFIX, 2);
            return new OfToken(salt(parts.get(0)), bytes("hash", parts.get(1), SHA256, SHA256));
        }
        if (text.startsWith(OfScram.PREFIX)) {
            List<String> parts = parts(text, OfScram.PREFIX, 4);
            return new OfScram(
                    number("iterations", parts.get(0), SCRAM_MIN, SCRAM_MAX),
                    salt(parts.get(1)),
                    bytes("StoredKey", parts.get(2), SHA256, SHA256),
                    bytes("ServerKey", parts.get(3), SHA256, SHA256));
        }
        if (text.startsWith("$6$")) {
            throw new Illegal(
                    "$6$, the hash of Mosquitto before 2.0, is not accepted: it can be guessed too"
                            + " quickly. Set the password again");
        }
        throw new Illegal(
                "no hash that Godwit knows; those begin with $argon2id$, $7$, $token$ or"
                        + " $scram-sha-256$ ('godwit passwd' writes them)");
    }

    private static OfArgon2 argon2(List<String> parts) throws Illegal {
        if (!parts.get(0).equals("v=19")) {
            throw new Illegal("the version of argon2id must be v=19");
        }
        List<String> costs = split(parts.get(1), ',');
        if (costs.size() != 3) {
            throw new Illegal("argon2id needs m=...,t=...,p=...");
        }
        int lanes = number("p", named("p=", costs.get(2)), 1, LANES_MAX);
        return new OfArgon2(
                new Argon2id.Cost(
                        number("m", named("m=", costs.get(0)), 8 * lanes, MEMORY_KIB_MAX),
                        number("t", named("t=", costs.get(1)), 1, PASSES_MAX),
                        lanes),
                salt(parts.get(2)),
                bytes("hash", parts.get(3), 16, SHA512));
    }

    private static String named(String name, String text) throws Illegal {
        if (!text.startsWith(name)) {
            throw new Illegal("argon2id needs m=...,t=...,p=...");
        }
        return text.substring(name.length());
    }

    private static List<String> parts(String text, String prefix, int count) throws Illegal {
        List<String> parts = split(text.substring(prefix.length()), '$');
        if (parts.size() != count) {
            throw new Illegal(
                    "behind " + prefix + " must stand " + count + " parts with $ between");
        }
        return parts;
    }

    private static List<String> split(String text, char at) {
        List<String> parts = new ArrayList<>();
        int from = 0;
        for (int end = text.indexOf(at); end >= 0; end = text.indexOf(at, from)) {
            parts.add(text.substring(from, end));
            from = end + 1;
        }
        parts.add(text.substring(from));
        return parts;
    }

    private static int number(String what, String text, int min, int max) throws Illegal {
        long value = -1;
        if (!text.isEmpty() && text.length() < 10) {
            value = 0;
            for (int i = 0; i < text.length() && value >= 0; i++) {
                int digit = text.charAt(i) - '0';
                value = digit >= 0 && digit <= 9 ? 10 * value + digit : -1;
            }
        }
        if (value < min || value > max) {
            throw new Illegal(what + " must be " + min + ".." + max);
        }
        return (int) value;
    }

    private static byte[] salt(String text) throws Illegal {
        return bytes("salt", text, SALT_MIN, SALT_MAX);
    }

    private static byte[] bytes(String what, String text, int min, int max) throws Illegal {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new Illegal("the " + what + " is no Base64");
        }
        if (bytes.length < min || bytes.length > max) {
            throw new Illegal(
                    "the "
                            + what
                            + " must have "
                            + (min == max ? "" : min + " to ")
                            + max
                            + " bytes, not "
                            + bytes.length);
        }
        return bytes;
    }
}

package io.godwit.server.security.users;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Reads what a client sends with SCRAM (RFC 5802, 7). */
final class ScramMessage {
    private static final int NONCE_MAX = 256;

    /** It is no such message. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * The client's first message.
     *
     * @param header with its last comma
     * @param bare what follows the header
     */
    record First(String header, String bare, String userName, String nonce) {
        @Override
        public String toString() {
            return "client-first";
        }
    }

    /**
     * The client's final message.
     *
     * @param withoutProof as it was sent, up to the proof
     */
    record Final(String binding, String nonce, String withoutProof, byte[] proof) {
        @Override
        public String toString() {
            return "client-final";
        }
    }

    private ScramMessage() {}

    static First first(byte @Nullable [] data) throws Malformed {
        String text = text(data);
        int flagEnd = text.indexOf(',');
        int headerEnd = text.indexOf(',', flagEnd + 1) + 1;
        if (flagEnd < 0 || headerEnd == 0) {
            throw new Malformed("no GS2 header");
        }
        String flag = text.substring(0, flagEnd);
        if (!flag.equals("n") && !flag.equals("y")) {
            throw new Malformed("channel binding is not offered");
        }
        if (headerEnd != flagEnd + 2) {
            throw new Malformed("no other identity may be asked for");
        }
        String bare = text.substring(headerEnd);
        String[] parts = bare.split(",", 3);
        if (parts.length < 2) {
            throw new Malformed("no user name or nonce");
        }
        String nonce = value("r=", parts[1]);
        if (nonce.isEmpty() || nonce.length() > NONCE_MAX || !isPrintable(nonce)) {
            throw new Malformed("no nonce of 1 to " + NONCE_MAX + " printable characters");
        }
        return new First(
                text.substring(0, headerEnd), bare, userName(value("n=", parts[0])), nonce);
    }

    static Final last(byte @Nullable [] data) throws Malformed {
        String text = text(data);
        int proof = text.lastIndexOf(",p=");
        if (proof < 0) {
            throw new Malformed("no proof");
        }
        String withoutProof = text.substring(0, proof);
        String[] parts = withoutProof.split(",", 3);
        if (parts.length < 2) {
            throw new Malformed("no binding or nonce");
        }
        try {
            return new Final(
                    value("c=", parts[0]),
                    value("r=", parts[1]),
                    withoutProof,
                    Base64.getDecoder().decode(text.substring(proof + 3)));
        } catch (IllegalArgumentException e) {
            throw new Malformed("the proof is no Base64");
        }
    }

    private static String value(String name, String part) throws Malformed {
        if (!part.startsWith(name)) { // among others m=, extensions that must be known
            throw new Malformed("no " + name);
        }
        return part.substring(name.length());
    }

    private static String userName(String written) throws Malformed {
        StringBuilder name = new StringBuilder(written.length());
        for (int i = 0; i < written.length(); i++) {
            char each = written.charAt(i);
            if (each != '=') {
                name.append(each);
            } else if (written.startsWith("=2C", i)) {
                name.append(',');
                i += 2;
            } else if (written.startsWith("=3D", i)) {
                name.append('=');
                i += 2;
            } else {
                throw new Malformed("= in the user name");
            }
        }
        if (name.isEmpty()) {
            throw new Malformed("no user name");
        }
        return name.toString();
    }

    private static boolean isPrintable(String nonce) {
        return nonce.chars().allMatch(each -> each > ' ' && each < 0x7F && each != ',');
    }

    private static String text(byte @Nullable [] data) throws Malformed {
        if (data == null) {
            throw new Malformed("no Authentication Data");
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString();
        } catch (CharacterCodingException e) {
            throw new Malformed("no UTF-8 text");
        }
    }
}

package io.godwit.server.tls;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/**
 * Writes as much of DER as wraps the two older forms of private keys into PKCS#8 (RFC 5958):
 *
 * <pre>
 * PrivateKeyInfo ::= SEQUENCE { version INTEGER 0, algorithm SEQUENCE { OID, parameters }, key OCTET STRING }
 * </pre>
 */
final class Der {
    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 0x04;
    private static final int OID = 0x06;
    private static final int PARAMETERS = 0xA0;
    private static final byte[] VERSION_0 = {0x02, 1, 0};
    private static final byte[] RSA_ENCRYPTION = {
        0x06, 9, 0x2A, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xF7, 0x0D, 1, 1, 1, 0x05, 0
    };
    private static final byte[] EC_PUBLIC_KEY = {
        0x06, 7, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 2, 1
    };

    private Der() {}

    /** PKCS#1 ({@code RSA PRIVATE KEY}) as PKCS#8. */
    static byte[] fromPkcs1(byte[] key) {
        return wrap(SEQUENCE, VERSION_0, wrap(SEQUENCE, RSA_ENCRYPTION), wrap(OCTET_STRING, key));
    }

    /**
     * SEC 1 ({@code EC PRIVATE KEY}, RFC 5915) as PKCS#8.
     *
     * @throws IllegalArgumentException when it doesn't name its curve
     */
    static byte[] fromSec1(byte[] key) {
        byte[] algorithm = wrap(SEQUENCE, EC_PUBLIC_KEY, curve(key));
        return wrap(SEQUENCE, VERSION_0, algorithm, wrap(OCTET_STRING, key));
    }

    /**
     * SEQUENCE { version, privateKey OCTET STRING, [0] parameters, ... }: the OID in [0], whole.
     */
    private static byte[] curve(byte[] key) {
        int at = contentAt(key, 0);
        at = end(key, at);
        at = end(key, at);
        if (at < key.length && (key[at] & 0xFF) == PARAMETERS) {
            int oid = contentAt(key, at);
            if (oid < key.length && key[oid] == OID) {
                return Arrays.copyOfRange(key, oid, Math.min(end(key, oid), key.length));
            }
        }
        throw new IllegalArgumentException("the key does not name its curve");
    }

    private static int contentAt(byte[] der, int at) {
        requireRoom(der, at + 1);
        int first = der[at + 1] & 0xFF;
        return at + 2 + (first < 0x80 ? 0 : first & 0x7F);
    }

    private static int end(byte[] der, int at) {
        int content = contentAt(der, at);
        int first = der[at + 1] & 0xFF;
        int length = first < 0x80 ? first : 0;
        for (int i = at + 2; i < content; i++) {
            requireRoom(der, i);
            length = length << 8 | der[i] & 0xFF;
        }
        if (length < 0 || length > der.length - content) {
            throw new IllegalArgumentException("the key is cut off");
        }
        return content + length;
    }

    private static void requireRoom(byte[] der, int at) {
        if (at >= der.length) {
            throw new IllegalArgumentException("the key is cut off");
        }
    }

    private static byte[] wrap(int tag, byte[]... contents) {
        int length = 0;
        for (byte[] content : contents) {
            length += content.length;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(length + 4);
        out.write(tag);
        if (length < 0x80) {
            out.write(length);
        } else if (length <= 0xFF) {
            out.write(0x81);
            out.write(length);
        } else {
            out.write(0x82);
            out.write(length >> 8);
            out.write(length);
        }
        for (byte[] content : contents) {
            out.writeBytes(content);
        }
        return out.toByteArray();
    }
}

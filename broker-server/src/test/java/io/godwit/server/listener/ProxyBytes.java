package io.godwit.server.listener;

import io.godwit.core.settings.Network;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Headers of the PROXY protocol by hand. */
final class ProxyBytes {
    static final int LOCAL = 0x20;
    static final int PROXY = 0x21;

    static final int TCP4 = 0x11;
    static final int TCP6 = 0x21;
    static final int UNIX = 0x31;

    static final int AUTHORITY = 0x02;
    static final int SSL = 0x20;
    static final int SSL_VERSION = 0x21;
    static final int SSL_CN = 0x22;

    /** Bits of the client field: TLS, a certificate in this connection, one in this session. */
    static final int TLS_USED = 1;

    static final int CERTIFICATE_OF_CONNECTION = 2;
    static final int CERTIFICATE_OF_SESSION = 4;

    private ProxyBytes() {}

    static byte[] line(String rest) {
        return ("PROXY " + rest + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** A header of version 2 whose length is right. */
    static byte[] binary(int command, int family, byte[]... body) {
        int length = 0;
        for (byte[] part : body) {
            length += part.length;
        }
        return binaryOfLength(length, command, family, body);
    }

    static byte[] binaryOfLength(int length, int command, int family, byte[]... body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("\r\n\r\n\0\r\nQUIT\n".getBytes(StandardCharsets.US_ASCII));
        out.write(command);
        out.write(family);
        out.write(length >> 8);
        out.write(length);
        out.writeBytes(join(body));
        return out.toByteArray();
    }

    /** Source and destination address, and their ports. */
    static byte[] addresses(String source, int port) {
        byte[] address = Objects.requireNonNull(Network.address(source));
        return ByteBuffer.allocate(2 * address.length + 4)
                .put(address)
                .put(new byte[address.length])
                .putShort((short) port)
                .putShort((short) 1883)
                .array();
    }

    static byte[] tlv(int type, byte[]... value) {
        return tlvOfLength(join(value).length, type, value);
    }

    static byte[] tlvOfLength(int length, int type, byte[]... value) {
        byte[] bytes = join(value);
        return ByteBuffer.allocate(3 + bytes.length)
                .put((byte) type)
                .putShort((short) length)
                .put(bytes)
                .array();
    }

    static byte[] tlv(int type, String value) {
        return tlv(type, value.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] ssl(int client, int verify, byte[]... inner) {
        byte[] fixed = ByteBuffer.allocate(5).put((byte) client).putInt(verify).array();
        return tlv(SSL, fixed, join(inner));
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}

package io.godwit.server.listener;

import io.godwit.core.settings.Network;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolException;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol.AddressFamily;
import io.netty.handler.codec.haproxy.HAProxySSLTLV;
import io.netty.handler.codec.haproxy.HAProxyTLV;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The header of the PROXY protocol, version 1 or 2, with which a connection begins: gathers its
 * bytes, however they are torn, and takes none beyond. What it means is read by Netty.
 */
final class ProxyHeader {
    /** Of a header with all its TLVs. */
    static final int BYTES_MAX = 4_096;

    /** Of version 1, with the end of the line. */
    private static final int LINE_BYTES_MAX = 107;

    /** Of version 2: signature, version and command, family, length. */
    private static final int FIXED_BYTES = 16;

    private static final byte[] LINE_BEGIN = "PROXY ".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] SIGNATURE = {
        '\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'
    };

    /** On the heap: it needs no release, whatever becomes of the connection. */
    private final ByteBuf bytes = Unpooled.buffer(64, BYTES_MAX);

    /** Whether not a byte has come yet. */
    boolean isEmpty() {
        return !bytes.isReadable();
    }

    /**
     * Takes bytes of the header, and none behind it.
     *
     * @return whether the header is complete
     * @throws HAProxyProtocolException when the bytes are no header, or one that is too long
     */
    boolean read(ByteBuf in) {
        int missing = missing();
        while (missing > 0 && in.isReadable()) {
            bytes.writeBytes(in, Math.min(missing, in.readableBytes()));
            missing = missing();
        }
        return missing == 0;
    }

    /** Returns how many bytes at least are missing. */
    private int missing() {
        if (isEmpty()) {
            return 1;
        }
        return bytes.getByte(0) == LINE_BEGIN[0] ? missingOfLine() : missingOfBinary();
    }

    private int missingOfLine() {
        int length = bytes.readableBytes();
        requireBegin(LINE_BEGIN);
        if (bytes.getByte(length - 1) == '\n' && bytes.getByte(length - 2) == '\r') {
            return 0;
        }
        if (length == LINE_BYTES_MAX) {
            throw new HAProxyProtocolException("no end of line within 107 bytes");
        }
        return 1;
    }

    private int missingOfBinary() {
        int length = bytes.readableBytes();
        requireBegin(SIGNATURE);
        if (length < FIXED_BYTES) {
            return FIXED_BYTES - length;
        }
        int whole = FIXED_BYTES + bytes.getUnsignedShort(FIXED_BYTES - 2);
        if (whole > BYTES_MAX) {
            throw new HAProxyProtocolException("more than 4 KiB");
        }
        return whole - length;
    }

    private void requireBegin(byte[] begin) {
        for (int i = Math.min(begin.length, bytes.readableBytes()) - 1; i >= 0; i--) {
            if (bytes.getByte(i) != begin[i]) {
                throw new HAProxyProtocolException("the first bytes are not one");
            }
        }
    }

    /**
     * Decodes the complete header.
     *
     * @param context is closed when the header is not valid
     * @throws HAProxyProtocolException when it is not valid
     */
    ProxiedPeer decode(ChannelHandlerContext context) throws Exception {
        HAProxyMessage message = new Decoder().decode(context, bytes);
        try {
            return peer(message);
        } finally {
            message.release();
        }
    }

    /** Netty's decoder, which does not stand in the pipeline. */
    private static final class Decoder extends HAProxyMessageDecoder {
        HAProxyMessage decode(ChannelHandlerContext context, ByteBuf header) throws Exception {
            List<Object> messages = new ArrayList<>(1);
            try {
                decode(context, header, messages);
            } catch (IndexOutOfBoundsException e) {
                throw new HAProxyProtocolException("a TLV is longer than what holds it", e);
            }
            if (messages.isEmpty()) {
                throw new HAProxyProtocolException("the line is too short");
            }
            return (HAProxyMessage) messages.getFirst();
        }
    }

    private static ProxiedPeer peer(HAProxyMessage message) {
        AddressFamily family = message.proxiedProtocol().addressFamily();
        String source = message.sourceAddress();
        boolean isAddress = family == AddressFamily.AF_IPv4 || family == AddressFamily.AF_IPv6;
        if (message.command() == HAProxyCommand.LOCAL || !isAddress || source == null) {
            return ProxiedPeer.QUIET;
        }
        InetSocketAddress address = address(source, message.sourcePort());
        String serverName = null;
        HAProxySSLTLV tls = null;
        List<HAProxyTLV> tlvs = message.tlvs();
        for (int i = 0; i < tlvs.size(); i++) {
            HAProxyTLV each = tlvs.get(i);
            if (each instanceof HAProxySSLTLV outer) {
                tls = tls == null ? outer : tls;
                i += outer.encapsulatedTLVs().size(); // Netty lists them once more behind it.
            } else if (each.type() == HAProxyTLV.Type.PP2_TYPE_AUTHORITY && serverName == null) {
                serverName = text(each);
            }
        }
        if (tls == null || !tls.isPP2ClientSSL()) {
            return new ProxiedPeer(address, false, serverName, null, null);
        }
        boolean verified =
                tls.verify() == 0 && (tls.isPP2ClientCertConn() || tls.isPP2ClientCertSess());
        return new ProxiedPeer(
                address,
                false,
                serverName,
                inner(tls, HAProxyTLV.Type.PP2_TYPE_SSL_VERSION),
                verified ? inner(tls, HAProxyTLV.Type.PP2_TYPE_SSL_CN) : null);
    }

    private static InetSocketAddress address(String text, int port) {
        byte[] address = Network.address(text);
        if (address == null) {
            throw new HAProxyProtocolException("the source address is none");
        }
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("4 or 16 bytes", e);
        }
    }

    private static @Nullable String inner(HAProxySSLTLV tls, HAProxyTLV.Type type) {
        for (HAProxyTLV each : tls.encapsulatedTLVs()) {
            if (each.type() == type) {
                return text(each);
            }
        }
        return null;
    }

    /** Returns null for what is no text, or has control characters. */
    private static @Nullable String text(HAProxyTLV tlv) {
        try {
            String text =
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(tlv.content().nioBuffer())
                            .toString();
            boolean good = !text.isEmpty() && text.codePoints().noneMatch(Character::isISOControl);
            return good ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}

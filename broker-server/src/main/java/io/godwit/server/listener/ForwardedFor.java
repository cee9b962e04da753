package io.godwit.server.listener;

import io.godwit.core.settings.Network;
import io.godwit.server.config.ProxyConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of {@code X-Forwarded-For}: each proxy on the way has added that of its peer at the
 * end. So they are read from there, and only as long as trusted proxies have written them.
 */
final class ForwardedFor {
    static final String NAME = "x-forwarded-for";

    /** Addresses that are read of one request. */
    static final int ADDRESSES_MAX = 16;

    /** An IPv6 address with the longest IPv4 one at its end, brackets and port. */
    private static final int ADDRESS_CHARS_MAX = 54;

    private ForwardedFor() {}

    /**
     * Finds the last address that is not a trusted proxy. If all are, it is the first of those that
     * are read.
     *
     * @param lines of the header, in their order, from a trusted proxy
     * @return null when the last one is no address
     */
    static @Nullable InetSocketAddress client(List<String> lines, ProxyConfig proxies) {
        InetSocketAddress found = null;
        int read = 0;
        for (String line : lines.reversed()) {
            int end = line.length();
            while (end >= 0 && read < ADDRESSES_MAX) {
                int comma = line.lastIndexOf(',', end - 1);
                InetSocketAddress next = parse(line.substring(comma + 1, end).strip());
                read++;
                if (next == null) {
                    return found;
                }
                found = next;
                if (!proxies.isTrusted(next.getAddress().getAddress())) {
                    return found;
                }
                end = comma;
            }
        }
        return found;
    }

    /** Parses an address, of IPv6 also in brackets, with or without a port. */
    private static @Nullable InetSocketAddress parse(String text) {
        if (text.length() > ADDRESS_CHARS_MAX) {
            return null;
        }
        String host = text;
        String port = "";
        int colon = text.lastIndexOf(':');
        if (text.startsWith("[")) {
            int end = text.indexOf(']');
            if (end < 0) {
                return null;
            }
            host = text.substring(1, end);
            port = text.substring(end + 1);
        } else if (colon >= 0 && text.indexOf(':') == colon) {
            host = text.substring(0, colon);
            port = text.substring(colon);
        }
        byte[] address = Network.address(host);
        if (address == null || !port.matches("(:[0-9]{1,5})?")) {
            return null;
        }
        int number = port.isEmpty() ? 0 : Integer.parseInt(port.substring(1));
        try {
            return number > 0xFFFF
                    ? null
                    : new InetSocketAddress(InetAddress.getByAddress(address), number);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("4 or 16 bytes", e);
        }
    }
}

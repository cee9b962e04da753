package io.godwit.server.http;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The host of a URL or of a {@code Host} header, without the port.
 *
 * @param text in small letters; an IPv6 address without brackets
 */
public record HostName(String text) {

    /**
     * The host of {@code host}, {@code host:port} or {@code [v6]:port}.
     *
     * @return null when it is none of them
     */
    public static @Nullable HostName parse(String authority) {
        String host = authority;
        boolean bracketed = authority.startsWith("[");
        int end = bracketed ? authority.indexOf(']') + 1 : authority.indexOf(':');
        if (bracketed && end == 0) {
            return null;
        }
        if (end >= 0) {
            String port = authority.substring(end);
            if (!port.matches("(:[0-9]{0,5})?")) {
                return null;
            }
            host = authority.substring(0, end);
        }
        if (bracketed) {
            host = host.substring(1, host.length() - 1);
            return NetUtil.isValidIpV6Address(host) ? of(host) : null;
        }
        return host.matches("[!-~&&[^/@?#\\[\\]\\\\]]+") ? of(host) : null;
    }

    private static HostName of(String host) {
        String small = host.toLowerCase(Locale.ROOT);
        // A name that ends with the root's dot is the same name.
        return new HostName(
                small.length() > 1 && small.endsWith(".")
                        ? small.substring(0, small.length() - 1)
                        : small);
    }

    /** An address can't be made to mean another machine, as a name can by its owner. */
    public boolean isAddress() {
        return NetUtil.isValidIpV4Address(text) || NetUtil.isValidIpV6Address(text);
    }

    public boolean isLoopback() {
        InetAddress address = NetUtil.createInetAddressFromIpAddressString(text);
        return text.equals("localhost") || address != null && address.isLoopbackAddress();
    }
}

package io.godwit.server.config;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Where a server socket listens.
 *
 * @param host name or address without brackets; empty = every address of the machine, IPv4 and IPv6
 * @param port 0..65 535; 0 = one that is free
 */
public record BindAddress(String host, int port) {

    /**
     * Parses {@code port}, {@code host:port} or {@code [v6]:port}; empty when it is none of them.
     */
    public static Optional<BindAddress> parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            return Optional.empty(); // an IPv6 address needs brackets: where would its port begin?
        }
        if (host.chars().anyMatch(c -> c <= ' ' || c == '/')) return Optional.empty();
        String port = text.substring(colon + 1);
        if (!port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 0xFFFF) return Optional.empty();
        return Optional.of(new BindAddress(host.equals("*") ? "" : host, Integer.parseInt(port)));
    }

    /** Whether only this machine reaches it. May ask DNS. */
    public boolean isLoopback() {
        InetSocketAddress address = toSocketAddress();
        return !address.isUnresolved() && address.getAddress().isLoopbackAddress();
    }

    /** Resolves the host; look at {@code isUnresolved()}. May ask DNS. */
    public InetSocketAddress toSocketAddress() {
        return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        if (host.isEmpty()) return Integer.toString(port);
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}

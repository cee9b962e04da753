package io.godwit.server.listener;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Socket addresses as people write them. */
public final class Addresses {
    private Addresses() {}

    /**
     * Tells whether the peer of a connection is on this machine: only this machine can connect from
     * a loopback address, or from the address that it is connected to.
     */
    static boolean isSameMachine(@Nullable SocketAddress peer, @Nullable SocketAddress own) {
        if (!(peer instanceof InetSocketAddress from)) {
            return false;
        }
        return from.getAddress().isLoopbackAddress()
                || own instanceof InetSocketAddress to && from.getAddress().equals(to.getAddress());
    }

    /** {@code 127.0.0.1:1883} or {@code [::1]:1883}; never asks DNS. */
    public static String text(@Nullable SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet) || inet.isUnresolved()) {
            return String.valueOf(address);
        }
        String host = inet.getAddress().getHostAddress();
        return inet.getAddress() instanceof Inet6Address
                ? "[" + host + "]:" + inet.getPort()
                : host + ":" + inet.getPort();
    }
}

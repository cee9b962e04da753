package io.godwit.server.listener;

import io.godwit.core.auth.PeerTls;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Holds what a proxy announces of a connection that it has brought. Other connections have none of
 * it. A connection with it is never taken for that of a client on this machine.
 *
 * @param address of the client; null = the socket's own stands
 * @param quiet whether what goes wrong before MQTT begins is no failure of a client: the health
 *     check of a proxy, or a connection whose end was logged and counted before
 * @param serverName that the client has asked for in TLS (SNI)
 * @param tlsVersion between client and proxy, such as {@code TLSv1.3}
 * @param commonName of the client's certificate, which the proxy has verified
 */
record ProxiedPeer(
        @Nullable InetSocketAddress address,
        boolean quiet,
        @Nullable String serverName,
        @Nullable String tlsVersion,
        @Nullable String commonName) {
    private static final AttributeKey<ProxiedPeer> KEY = AttributeKey.valueOf("godwit.proxied");

    /** A connection of which nothing is known but that it came by a proxy. */
    static final ProxiedPeer UNNAMED = new ProxiedPeer(null, false, null, null, null);

    /** A connection of a proxy's own. */
    static final ProxiedPeer QUIET = new ProxiedPeer(null, true, null, null, null);

    /** Returns what is known of a connection; null unless it came by a proxy. */
    static @Nullable ProxiedPeer of(Channel channel) {
        return channel.hasAttr(KEY) ? channel.attr(KEY).get() : null;
    }

    /** Returns the client's address, as far as it is known. */
    static @Nullable SocketAddress addressOf(Channel channel) {
        ProxiedPeer peer = of(channel);
        return peer == null || peer.address == null ? channel.remoteAddress() : peer.address;
    }

    /** Notes it for a connection; on the channel's thread. */
    void setOn(Channel channel) {
        channel.attr(KEY).set(this);
    }

    /**
     * Returns it as the peer of a socket. HAProxy's checks with version 1, which knows no LOCAL,
     * announce the socket's own address.
     */
    ProxiedPeer ofSocket(@Nullable SocketAddress own) {
        return address == null || !address.equals(own)
                ? this
                : new ProxiedPeer(address, true, serverName, tlsVersion, commonName);
    }

    /** Returns what it says of TLS between client and proxy. */
    PeerTls tls() {
        return PeerTls.of(tlsVersion, serverName, commonName != null, commonName);
    }

    ProxiedPeer withAddress(InetSocketAddress announced) {
        return new ProxiedPeer(announced, quiet, serverName, tlsVersion, commonName);
    }
}

package io.godwit.server.security.users;

import io.netty.util.NetUtil;
import java.util.Arrays;

/** The part of a client's address that stands for one subscriber of a provider. */
final class ClientAddress {
    private static final int IPV6_BYTES = 16;
    private static final int PREFIX_BYTES = 8;
    private static final int LENGTH_MAX = 64;

    private ClientAddress() {}

    /**
     * Returns an IPv4 address as it is, of an IPv6 address its /64.
     *
     * @param remote with the port, as {@code 10.0.0.1:50412} or {@code [2001:db8::1]:50412}
     */
    static String of(String remote) {
        String host = withoutPort(remote);
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(host);
        if (bytes == null) {
            return host.length() > LENGTH_MAX ? host.substring(0, LENGTH_MAX) : host;
        }
        if (bytes.length < IPV6_BYTES) {
            return NetUtil.bytesToIpAddress(bytes);
        }
        Arrays.fill(bytes, PREFIX_BYTES, IPV6_BYTES, (byte) 0);
        return NetUtil.bytesToIpAddress(bytes) + "/64";
    }

    private static String withoutPort(String remote) {
        if (remote.startsWith("[")) {
            int end = remote.indexOf(']');
            return end < 0 ? remote : remote.substring(1, end);
        }
        int colon = remote.indexOf(':');
        return colon < 0 || colon != remote.lastIndexOf(':') ? remote : remote.substring(0, colon);
    }
}

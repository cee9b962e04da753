package io.godwit.server.config;

import io.godwit.core.settings.Network;
import java.util.List;

/**
 * The proxies before one listener ({@code listeners.<name>.proxy-protocol, trusted-proxies}).
 *
 * @param protocol whether each connection begins with a PROXY header
 * @param trusted proxies whose announcements count; not empty if {@code protocol}
 */
public record ProxyConfig(boolean protocol, List<Network> trusted) {
    public static final ProxyConfig NONE = new ProxyConfig(false, List.of());

    public ProxyConfig {
        trusted = List.copyOf(trusted);
    }

    /**
     * Tells whether an address is one of the trusted proxies.
     *
     * @param address 4 or 16 bytes
     */
    public boolean isTrusted(byte[] address) {
        for (Network each : trusted) {
            if (each.contains(address)) return true;
        }
        return false;
    }
}

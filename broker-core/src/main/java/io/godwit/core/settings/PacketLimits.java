package io.godwit.core.settings;

/**
 * What one packet may bring ({@code limits.*}), beside its size.
 *
 * @param connectBytes bytes of a packet before CONNECT is answered
 * @param userProperties User Properties
 * @param filters filters of a SUBSCRIBE or UNSUBSCRIBE
 * @param timeoutMs from its first byte to its last
 */
public record PacketLimits(int connectBytes, int userProperties, int filters, long timeoutMs) {
    public static final PacketLimits DEFAULTS = new PacketLimits(64 << 10, 1_000, 1_000, 300_000);
}

package io.godwit.core.settings;

/**
 * Bounds of one packet beside its size ({@code limits.*}).
 *
 * @param connectBytes bytes of a packet before CONNECT is answered
 * @param userProperties User Properties
 * @param filters filters of a SUBSCRIBE or UNSUBSCRIBE
 * @param timeoutMs milliseconds from a packet's first byte to its last
 */
public record PacketLimits(int connectBytes, int userProperties, int filters, long timeoutMs) {
    public static final PacketLimits DEFAULTS = new PacketLimits(64 << 10, 1_000, 100_000, 300_000);
}

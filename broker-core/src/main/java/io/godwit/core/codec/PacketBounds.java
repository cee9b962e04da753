package io.godwit.core.codec;

/**
 * How much of what is small on the wire and larger in memory one packet may bring; beyond it is
 * QUOTA_EXCEEDED: for filters of a SUBSCRIBE each in SUBACK, else for the packet.
 *
 * @param userProperties User Properties of one packet
 * @param filters filters of one SUBSCRIBE or UNSUBSCRIBE
 * @param controlCharacters whether strings may have control characters and non-characters
 */
public record PacketBounds(int userProperties, int filters, boolean controlCharacters) {
    /** No bounds, for whoever trusts the other side. */
    public static final PacketBounds NONE =
            new PacketBounds(Integer.MAX_VALUE, Integer.MAX_VALUE, true);
}

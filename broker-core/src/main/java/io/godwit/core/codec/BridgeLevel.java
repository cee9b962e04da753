package io.godwit.core.codec;

/**
 * Tells a bridge from other clients by the highest bit of its Protocol Level, as Mosquitto's
 * bridges set it. No standard has it. All subscriptions of a bridge get No Local and Retain As
 * Published.
 */
final class BridgeLevel {
    private static final int BRIDGE = 0x80;

    private BridgeLevel() {}

    /** Whether a Protocol Level of CONNECT is that of a bridge. */
    static boolean isBridge(int level) {
        return (level & BRIDGE) != 0;
    }

    /** The level of the standard that a bridge's level stands for. */
    static int standard(int level) {
        return level & ~BRIDGE;
    }
}

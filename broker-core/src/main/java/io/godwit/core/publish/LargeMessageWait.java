package io.godwit.core.publish;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.Message;

/**
 * Whether the next message of one client waits since it is large: with it the node would hold so
 * much that everybody who publishes had to wait, and a few such messages fill what lies between the
 * moment at which those wait who feed subscribers that are slow, and the alarm. Meanwhile memory
 * counts as short, so that who holds much and does not move is disconnected.
 */
final class LargeMessageWait {
    /** Of smaller ones many go into that space. */
    private static final int LARGE = 256 << 10;

    private final ShardLoad load;
    private boolean isOn;

    /** Bytes of the message that is on its way to those it is for. */
    private int comingIn;

    LargeMessageWait(ShardLoad load) {
        this.load = load;
    }

    /** Looks again whether the next message waits. */
    boolean mustWait(Message next) {
        set(next.accountedBytes() > LARGE && !load.mayComeIn(next.accountedBytes()));
        return isOn;
    }

    /** It is routed now: as long as not all have it, the account has only a part of it. */
    void comesIn(Message message) {
        if (message.accountedBytes() > LARGE) {
            comingIn = message.accountedBytes();
            load.comingIn(comingIn);
        }
    }

    /** All that it is for have got it. */
    void isIn() {
        if (comingIn > 0) {
            load.comingIn(-comingIn);
            comingIn = 0;
        }
    }

    boolean isOn() {
        return isOn;
    }

    /** Nothing waits any more. */
    void end() {
        set(false);
    }

    private void set(boolean on) {
        if (on != isOn) {
            isOn = on;
            load.awaitsRoom(on ? 1 : -1);
        }
    }
}

package io.godwit.cluster.jgroups;

import org.jgroups.Address;
import org.jgroups.BytesMessage;

/**
 * A frame on its way out; on the wire it is a message like any other. JGroups keeps it until it is
 * acknowledged, and may send it again from a thread of its own.
 */
final class FrameMessage extends BytesMessage {
    /** The sending thread's alone: others come after it, and see what it has left. */
    private volatile boolean begun;

    FrameMessage(Address to, byte[] frame, int length) {
        super(to, frame, 0, length);
    }

    /** Whether it leaves for the first time, on the thread that brought it. */
    boolean begin() {
        if (begun) {
            return false;
        }
        begun = true;
        return true;
    }
}

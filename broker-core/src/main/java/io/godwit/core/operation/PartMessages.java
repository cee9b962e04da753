package io.godwit.core.operation;

import io.godwit.core.message.Message;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a part while it is written: one that many queues get stands in it once, and has a
 * number for those that come later. Of a part with more messages than there is room for here some
 * stand in it more than once.
 */
final class PartMessages {
    static final int NONE = 0;
    static final int SAME = 1 << 3;
    static final int NEW = 2 << 3;
    static final int NUMBERED = 3 << 3;

    private static final int SLOTS = 256;

    private final @Nullable Message[] recent = new Message[SLOTS];
    private final int[] recentNumber = new int[SLOTS];
    private @Nullable Message last;
    private int messages;
    private long newBytes;

    /** Begins another part. */
    void begin() {
        if (messages > 0) {
            Arrays.fill(recent, null);
        }
        last = null;
        messages = 0;
        newBytes = 0;
    }

    /** Accounted bytes of the messages of this part, each as often as it stands in it. */
    long newBytes() {
        return newBytes;
    }

    /**
     * How a message is to be written.
     *
     * @return {@link #NONE} to {@link #NUMBERED}, as it stands in the flags of an append
     */
    int kind(@Nullable Message message) {
        if (message == null) {
            return NONE;
        }
        if (message == last) {
            return SAME;
        }
        return recent[slot(message)] == message ? NUMBERED : NEW;
    }

    /**
     * @param kind what {@link #kind} has said
     */
    void write(ByteWriter to, Message message, int kind) {
        if (kind == NUMBERED) {
            to.varint(recentNumber[slot(message)]);
        } else if (kind == NEW) {
            MessageCodec.write(to, message);
            newBytes += message.accountedBytes();
            int slot = slot(message);
            recent[slot] = message;
            recentNumber[slot] = messages++;
        }
        last = message;
    }

    private static int slot(Message message) {
        return (int) (message.ingressCounter * 0x9E37_79B9_7F4A_7C15L >>> 56);
    }
}

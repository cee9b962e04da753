package io.godwit.persistence.queue;

import io.godwit.core.message.Message;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How many entries of one run have the same message object. By open addressing on the ingress
 * counter: it is asked twice for every row, and an identity hash would cost a call of the JVM and a
 * longer object for each message.
 */
final class Sharing {
    private static final int KEPT_SLOTS = 1 << 13;

    private @Nullable Message[] messages = new Message[1 << 10];
    private int[] rows = new int[1 << 10];
    private int size;

    /** One more row of it. */
    void add(Message message) {
        int slot = slot(message);
        if (messages[slot] == null) {
            if (++size > messages.length / 2) {
                grow();
                slot = slot(message);
            }
            messages[slot] = message;
            rows[slot] = 0;
        }
        rows[slot]++;
    }

    /** Rows of it in this run, at least 1. */
    int rows(Message message) {
        int slot = slot(message);
        return messages[slot] == null ? 1 : rows[slot];
    }

    void clear() {
        if (messages.length > KEPT_SLOTS) {
            messages = new Message[KEPT_SLOTS];
            rows = new int[KEPT_SLOTS];
        } else if (size > 0) {
            Arrays.fill(messages, null);
        }
        size = 0;
    }

    /** Where it stands, or may be put. */
    private int slot(Message message) {
        int mask = messages.length - 1;
        int slot = (int) (message.ingressCounter * 0x9E37_79B9_7F4A_7C15L >>> 32) & mask;
        while (messages[slot] != null && messages[slot] != message) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow() {
        @Nullable Message[] before = messages;
        int[] rowsBefore = rows;
        messages = new Message[before.length * 2];
        rows = new int[before.length * 2];
        for (int i = 0; i < before.length; i++) {
            Message message = before[i];
            if (message != null) {
                int slot = slot(message);
                messages[slot] = message;
                rows[slot] = rowsBefore[i];
            }
        }
    }
}

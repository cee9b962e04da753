package io.godwit.core.load;

import io.godwit.core.settings.QueueSettings;

/**
 * What all durable queues of a node hold together, and what that leaves to one of them. One shard
 * looks once a tick; any thread reads.
 */
final class DurableQueuesLoad {
    /**
     * The part of their bound to which the node's queues must come down before publishers go on.
     */
    private static final double GO_ON_AT = 0.95;

    /**
     * Below this part of their bound all durable queues leave room to each other; one may have as
     * much as is free up to there (a dynamic threshold), so a few never fill it for everybody.
     */
    private static final double LEAVE_ROOM_AT = 0.9;

    /**
     * Where the bound of all is less than so many times that of one, a few are meant to fill it.
     */
    private static final int MANY = 10;

    /** The part of its bound that a queue may always have: one in so many. */
    private static final int LEAST_SHARE = 1024;

    private final QueueSettings settings;
    private volatile boolean full;
    private volatile long messagesFree = Long.MAX_VALUE;
    private volatile long bytesFree = Long.MAX_VALUE;

    DurableQueuesLoad(QueueSettings settings) {
        this.settings = settings;
    }

    /** Whether all of them together have reached {@code queues.node-*}. */
    boolean isFull() {
        return full;
    }

    /**
     * Returns how many messages one durable queue may hold: its bound, or less while all of them
     * together hold nearly as much as they may.
     */
    long messagesMax(long bound) {
        return ofOne(bound, messagesFree);
    }

    /** Returns how many bytes one durable queue may hold, as {@link #messagesMax}. */
    long bytesMax(long bound) {
        return ofOne(bound, bytesFree);
    }

    /** Notes what all of them hold. */
    void look(long messages, long bytes) {
        double part = full ? GO_ON_AT : 1;
        boolean before = full;
        full = messages >= settings.nodeMessages() * part || bytes >= settings.nodeBytes() * part;
        if (full != before) {
            AlarmLog.queues(full, messages, bytes);
        }
        boolean wasLess = isLess();
        messagesFree = free(settings.messages(), settings.nodeMessages(), messages);
        bytesFree = free(settings.bytes(), settings.nodeBytes(), bytes);
        if (isLess() != wasLess) {
            AlarmLog.queueBound(!wasLess, messages, bytes);
        }
    }

    private boolean isLess() {
        return messagesFree < settings.messages() || bytesFree < settings.bytes();
    }

    private static long free(long usual, long ofAll, long held) {
        return ofAll / MANY < usual ? Long.MAX_VALUE : (long) (ofAll * LEAVE_ROOM_AT) - held;
    }

    private static long ofOne(long bound, long free) {
        return Math.clamp(free, Math.max(1, bound / LEAST_SHARE), bound);
    }
}

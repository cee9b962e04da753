package io.godwit.core.operation;

import org.jspecify.annotations.Nullable;

/**
 * An operation; in brackets what stands for it in memory. The codes are given once and for all: a
 * reader skips those that it does not know.
 */
public enum Op {
    /** A message enters a queue (the QueuedMessage). */
    APPEND(1),
    /** An entry was given a packet id; 0: it is idle again (the QueuedMessage). */
    IN_FLIGHT(2),
    /** PUBREC came for an entry (the QueuedMessage). */
    RELEASED(3),
    /** An entry leaves its queue (the QueuedMessage). */
    REMOVE(4),
    /** A row that was not read leaves its queue ({@link Subject.RowGone}). */
    ROW_GONE(5),
    /** A group's entry is in flight to a member ({@link Subject.InFlightTo}). */
    IN_FLIGHT_TO(6),
    /** A session has got an entry of a group ({@link Subject.Got}). */
    GOT(7),
    /** The handshake of a session's entry of a group has ended ({@link Subject.GotGone}). */
    GOT_GONE(8),
    /** A QoS 2 PUBLISH came in (the Inbound). */
    INBOUND(10),
    /** Every target has got a QoS 2 PUBLISH (the Inbound). */
    INBOUND_TAKEN(11),
    /** PUBREL came for a QoS 2 PUBLISH (the Inbound). */
    INBOUND_GONE(12),
    /** A queue remembers the ingress id of a message that it has (the Remembered). */
    REMEMBERED(13),
    /** A message whose ingress id is remembered will not come again (the Remembered). */
    FORGOTTEN(14),
    /** A session record ({@link Subject.SessionPut}). */
    SESSION(20),
    /** A session ended ({@link Subject.OfQueue}). */
    SESSION_GONE(21),
    /** A session subscribed to a filter ({@link Subject.SubscriptionPut}). */
    SUBSCRIPTION(22),
    /** A session gave a filter up ({@link Subject.SubscriptionGone}). */
    SUBSCRIPTION_GONE(23),
    /** A part of a shared group has a queue ({@link Subject.GroupPut}). */
    GROUP(24),
    /** A part of a shared group ended ({@link Subject.OfQueue}). */
    GROUP_GONE(25),
    /**
     * The node that writes it is the leader of a queue from now on ({@link Subject.Adopted}). Of
     * another node it says no more than the table of its part: whose copy this node has.
     */
    ADOPTED(26),
    /** Another queue is drained before a session's ({@link Subject.PrecededBy}). */
    PRECEDED_BY(27),
    /**
     * What follows replaces a range of a queue in another node's copy ({@link Subject.CopyRange}).
     */
    COPY_RANGE(28),
    /** Another node is the leader of a queue from now on ({@link Subject.Yielded}). */
    YIELDED(29),
    /** A topic's retained message ({@link Subject.RetainedPut}). */
    RETAINED(40),
    /** A topic's retained message was deleted ({@link Subject.RetainedGone}). */
    RETAINED_GONE(41),
    /** No hybrid clock value above this ceiling is given (a Long). */
    CLOCK(50),
    /** No queue counter above this ceiling is given (a Long). */
    QUEUE_IDS(51),
    /** Up to where another node's stream stands here ({@link Subject.StreamAt}). */
    STREAM(52);

    /** Operations with this code or a higher one are about no queue. */
    private static final int NO_QUEUE = 40;

    private static final Op[] BY_CODE = new Op[64];

    static {
        for (Op op : values()) {
            BY_CODE[op.code] = op;
        }
    }

    private final byte code;

    Op(int code) {
        this.code = (byte) code;
    }

    public int code() {
        return code;
    }

    /** Whether the operation names a queue, and stands in the part of that queue's replica set. */
    public boolean isOfQueue() {
        return code < NO_QUEUE;
    }

    /** The operation with this code, or null. */
    static @Nullable Op of(int code) {
        return code < BY_CODE.length ? BY_CODE[code] : null;
    }
}

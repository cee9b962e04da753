package io.godwit.persistence.journal;

/**
 * An operation; the ordinal is its number in the journal. In brackets what an {@link OpList} holds
 * as its subject.
 */
public enum Op {
    /** A message enters a queue (the QueuedMessage). */
    APPEND,
    /** It was given a packet id; 0: it is idle again (the QueuedMessage). */
    IN_FLIGHT,
    /** PUBREC came (the QueuedMessage). */
    RELEASED,
    /** It leaves its queue (the QueuedMessage). */
    REMOVE,
    /** A row that was not read leaves its queue ({@link Subject.RowGone}). */
    ROW_GONE,
    /** A session has got an entry of a group ({@link Subject.Got}). */
    GOT,
    /** Its handshake has ended ({@link Subject.GotGone}). */
    GOT_GONE,
    /** A QoS 2 PUBLISH came in (the Inbound). */
    INBOUND,
    /** Every target has got it (the Inbound). */
    INBOUND_TAKEN,
    /** PUBREL came (the Inbound). */
    INBOUND_GONE,
    /** A session record ({@link Subject.SessionPut}). */
    SESSION,
    /** A session ended ({@link Subject.OfQueue}). */
    SESSION_GONE,
    /** ({@link Subject.SubscriptionPut}). */
    SUBSCRIPTION,
    /** ({@link Subject.SubscriptionGone}). */
    SUBSCRIPTION_GONE,
    /** A shared group has a queue ({@link Subject.GroupPut}). */
    GROUP,
    /** A shared group ended ({@link Subject.OfQueue}). */
    GROUP_GONE,
    /** A topic's retained message (the Message). */
    RETAINED,
    /** It was deleted (the Topic). */
    RETAINED_GONE,
    /** No hybrid clock value above it stands in the journal so far (a Long). */
    CLOCK,
    /** A group's entry is in flight to a member ({@link Subject.InFlightTo}). */
    IN_FLIGHT_TO;

    private static final Op[] ALL = values();

    /**
     * @throws IndexOutOfBoundsException for a number that stands for none
     */
    public static Op of(int number) {
        return ALL[number];
    }
}

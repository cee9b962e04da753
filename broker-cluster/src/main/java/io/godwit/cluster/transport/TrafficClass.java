package io.godwit.cluster.transport;

/**
 * What a message is for. Each class of a link has an order, a bound and credits of its own, and
 * none ever waits for a lower one: two nodes that are full of each other's publishes still finish.
 * Between classes there is no order. What leaves first is CONTROL, then APPENDS, CONNECTIONS,
 * PUBLISHES and QUESTIONS. The ordinal is the code in frames.
 */
public enum TrafficClass {
    /** Publishes that go to the leaders of their subscribers' sessions. */
    PUBLISHES,
    /** The shared stream: filters and retained messages; leaders of slots. */
    APPENDS,
    /**
     * Carries confirmations and credits, which free something, and what all nodes must know soon:
     * members, who has a client id. Whoever handles it may not wait for a message of a lower class.
     */
    CONTROL,
    /** Bytes of remote connections, between a client's node and the leader of its slot. */
    CONNECTIONS,
    /**
     * Questions of extensions and operators about another node's sessions, and their answers. What
     * a link's end loses of them is not asked again, so positions of it are not resumed.
     */
    QUESTIONS;

    static final int COUNT = values().length;

    private static final TrafficClass[] HIGHEST_FIRST = {
        CONTROL, APPENDS, CONNECTIONS, PUBLISHES, QUESTIONS
    };
    private static final TrafficClass[] ALL = values();

    /** The classes in the order in which they leave; not to be changed. */
    static TrafficClass[] highestFirst() {
        return HIGHEST_FIRST;
    }

    /** Returns all classes by their codes in frames; not to be changed. */
    static TrafficClass[] all() {
        return ALL;
    }
}

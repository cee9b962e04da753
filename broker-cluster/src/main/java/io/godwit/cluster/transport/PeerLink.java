package io.godwit.cluster.transport;

/**
 * One link to one start of another node, from the hello that opened it until it is down. Each link
 * has a new object: what belongs to an ended one is told apart by identity. All methods may be
 * called by any thread, and none waits.
 */
public interface PeerLink {
    /** Who is at the other end. */
    NodeStart peer();

    /** Where that is; for people. */
    Endpoint endpoint();

    /** Names it among all links of this start of this node; grows. */
    long number();

    LinkState state();

    /** The version that both nodes speak. */
    int protocol();

    /**
     * Hands over a message. Those of one class that one thread offers arrive in this order, once
     * or, from the end of the link on, not at all; whoever's link has ended is told which ones that
     * may be. Different threads' messages have the order of their calls. A shard offers what a loop
     * turn has gathered as one message.
     *
     * @return false when nothing was taken over: the link has ended, or twice the bytes of {@link
     *     #hasRoom} wait. One of {@link TrafficClass#CONTROL} is never refused for its bytes: a
     *     peer that does not take those in is no use, and the link ends
     */
    boolean offer(Outgoing message);

    /**
     * Whether fewer bytes of this class wait for the peer than they should at most. When not, the
     * caller stops reading the publishers that publish to this peer, and those alone, until {@link
     * PeerListener#onRoom}. What was read before is still offered.
     */
    boolean hasRoom(TrafficClass traffic);

    /** Bytes of this class that wait here or that the peer has not confirmed: for the account. */
    long waitingBytes(TrafficClass traffic);

    /**
     * Bytes of this class that have come and are not {@linkplain #taken taken}: for the account.
     */
    long receivedBytes(TrafficClass traffic);

    /**
     * Gives back the peer's credit for a message that its handler has kept ({@link
     * MessageHandler#onMessage}).
     *
     * @param length as the handler got it
     */
    void taken(TrafficClass traffic, int length);

    /**
     * Translates a time of the peer that has come by this link, in milliseconds of its monotonic
     * clock, to the one of this node. The result is not before that moment, and at most as much
     * later as frames between the two take.
     */
    long localMs(long peerMs);

    /** Something that has come by it can't be read: it is to end. Any thread says so. */
    void broken();
}

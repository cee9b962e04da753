package io.godwit.core.settings;

/**
 * A rule of the design whose absence the simulator must notice (design section 11). In production
 * each holds; only test code makes {@link Rules} in which one does not.
 *
 * <p>Some are a part of another one: without them that one holds in most cases. A simulator that
 * notices the whole rule's absence may be too weak for a part's.
 */
public enum Rule {
    /** CONNECTs of one client id pass one after the other. */
    REGISTRAR,
    /** The new owner of a session holds direct mail back until the sender's marker has come. */
    MARKER,
    /** Acknowledgements wait for the commit. */
    WAIT_FOR_STORE,
    /** Part of {@link #WAIT_FOR_STORE}: PUBACK waits for an append on its own shard. */
    PUBACK_WAITS,
    /** Part of {@link #WAIT_FOR_STORE}: PUBREC waits for an append on its own shard. */
    PUBREC_WAITS,
    /** Part of {@link #WAIT_FOR_STORE}: PUBLISH of QoS 2 waits until its packet id is kept. */
    PUBLISH_WAITS,
    /** Part of {@link #WAIT_FOR_STORE}: PUBREL waits until it is kept that PUBREC came. */
    PUBREL_WAITS,
    /** Who publishes to a durable session that ends waits until its end is committed. */
    WAIT_FOR_END,
    /** The old owner of a session forwards what reaches it after a hand-over. */
    FORWARDING,
    /** Part of {@link #FORWARDING}: also what the next owner itself has sent before the move. */
    FORWARDING_BACK,
    /** Part of {@link #FORWARDING}: what was forwarded is not held back behind direct mail. */
    FORWARDED_FIRST,
    /** A packet id stays in use until its handshake has ended. */
    PACKET_IDS_RESERVED,
    /** What a member of a group has no packet id for is idle again when its connection ends. */
    GROUP_TAKES_BACK,
    /** A QoS 2 entry of a group goes to a member when it is kept who that is. */
    GROUP_MARKS,
    /** A group keeps what it hands over until it is kept that the member's own queue has it. */
    GROUP_KEEPS,
    /** A queue remembers the QoS 2 messages that may come again, and takes none of them twice. */
    INGRESS_MEMORY,
    /**
     * What comes again after a start of its node does not come for subscriptions before which it
     * had come.
     */
    CAME_BEFORE,
    /** What is too large for a client frees its place in the window: the next leaves at once. */
    GOES_ON_BEHIND_DISCARDED
}

package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.SessionKey;

/**
 * Who has an entry of a shared group's queue, and nobody else is to get it. Mostly the session that
 * an entry of a shared group's queue is in flight to at QoS 2, and how it was sent: it is sent
 * again in the same way, though the subscription may be another one by then. Or the node that it is
 * passed on to, which recognises it when it comes there again.
 *
 * @param session its queue id is 0 for a transient one, which ends with the process, and -1 where a
 *     node stands for a session: its server id is that of the generation
 * @param retain RETAIN flag of the PUBLISH
 * @param ids Subscription Identifiers of the PUBLISH
 */
public record Receiver(SessionKey session, boolean retain, int[] ids) {
    /** What an entry that is passed on has instead of a packet id. */
    public static final int NODE_PACKET_ID = 1;

    /** The queue id of a session that is transient. */
    public static final long TRANSIENT_QUEUE = 0;

    private static final long NODE_QUEUE = -1;

    /** Another node, by its server id. */
    public static Receiver ofNode(int server) {
        return new Receiver(new SessionKey(NODE_QUEUE, new HybridId(0, server)), false, new int[0]);
    }

    public boolean isNode() {
        return session.queueId() == NODE_QUEUE;
    }

    /** The server id of a node. */
    public int node() {
        return session.generation().server();
    }
}

package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.packet.ClientId;

/**
 * Names who has an entry of a shared group's queue, so that nobody else gets it: the durable
 * session that it is handed over to; the transient one that it is in flight to at QoS 2; or the
 * node that it is passed on to, which recognises it when it comes there again.
 *
 * @param session its queue id is 0 for a transient one, which ends with the process, and -1 where a
 *     node stands for a session: its server id is that of the generation
 * @param clientId of a durable session, by which its leader finds it; else empty
 */
public record Receiver(SessionKey session, ClientId clientId) {
    /** Stands for the packet id of an entry that is handed over, or passed on. */
    public static final int NO_PACKET_ID = 1;

    /** The queue id of a session that is transient. */
    private static final long TRANSIENT_QUEUE = 0;

    private static final long NODE_QUEUE = -1;

    private static final ClientId NOBODY = new ClientId(new byte[0]);

    /** Names a transient session. */
    public static Receiver ofTransient(HybridId generation) {
        return new Receiver(new SessionKey(TRANSIENT_QUEUE, generation), NOBODY);
    }

    /** Names another node, by its server id. */
    public static Receiver ofNode(int server) {
        return new Receiver(new SessionKey(NODE_QUEUE, new HybridId(0, server)), NOBODY);
    }

    public boolean isNode() {
        return session.queueId() == NODE_QUEUE;
    }

    public boolean isTransient() {
        return session.queueId() == TRANSIENT_QUEUE;
    }

    /** Returns the server id of a node. */
    public int node() {
        return session.generation().server();
    }
}

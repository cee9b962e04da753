package io.godwit.core.publish;

import io.godwit.core.ack.Receipt;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.ShardStore;
import org.jspecify.annotations.Nullable;

/** The session of a client that publishes. */
public interface PublisherSession {
    ClientId clientId();

    /** The session's queue id; 0 when nothing of the session is kept. */
    long queueId();

    /** Returns the copy set that the session's queue belongs to. */
    int copySet();

    boolean isDurable();

    boolean isEnded();

    /**
     * Whether it serves nobody here: another node leads its slot, with sessions of its own, or with
     * this one.
     */
    boolean isElsewhere();

    /** Index of the shard that the session is on, or goes to. */
    int owner();

    /** The store of the shard that owns the session now. */
    ShardStore store();

    /** QoS 1 and 2 messages that were sent to the client and are not acknowledged. */
    int inFlightCount();

    /** Whether, with soft limit 0, some subscriber of what this client publishes is behind. */
    boolean hasSlowSubscribers();

    /** Ways to other nodes that its PUBLISHes have taken; null for none. */
    @Nullable NodePaths nodePaths();

    /** It has published to another node for the first time. */
    void nodePaths(NodePaths made);

    /** Forgets ways that nothing would have to wait for, while no connection has them. */
    void forgetIdlePaths();

    /** The QoS 2 PUBLISH under this packet id whose PUBREL has not come, or null. */
    @Nullable Receipt inboundQos2(int packetId);

    /**
     * Notes a QoS 2 PUBLISH that came.
     *
     * @param again what the restart has found of this PUBLISH, which is kept already; else null
     */
    Receipt putInboundQos2(
            PublisherLink from, int packetId, long ingressCounter, @Nullable InboundReceipt again);

    /** A QoS 2 PUBLISH goes nowhere, and was not acknowledged: the next of its packet id does. */
    void giveUpInboundQos2(Receipt receipt);

    /** Every target of a QoS 2 PUBLISH has it: who remembers it is known, and takes memory. */
    void onTakersKnown(Qos2Receipt receipt);

    /** Who remembers a QoS 2 PUBLISH of an earlier start is known; called at start. */
    void onTakersRecovered(Qos2Receipt receipt);

    /**
     * Forgets the QoS 2 PUBLISH of a packet id.
     *
     * @return whether there was one
     */
    boolean removeInboundQos2(int packetId);
}

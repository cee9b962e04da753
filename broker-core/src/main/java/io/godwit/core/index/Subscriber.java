package io.godwit.core.index;

import io.godwit.core.mail.Recipient;
import io.godwit.core.packet.ClientId;

/** A session as this room sees it: its subscriptions, and whether it takes more. */
public abstract class Subscriber extends Recipient {
    protected Subscriber(ClientId clientId, long generation, int owner, boolean durable) {
        super(clientId, generation, owner, durable);
    }

    /** The session's subscriptions; made with the first use. */
    public abstract Subscriptions subscriptions();

    /** The context of the shard that owns the session now. */
    public abstract SubscribeContext subscribing();

    public abstract boolean isEnded();

    /** Returns the copy set that the session's queue belongs to. */
    public abstract int copySet();

    /** Number of the session's connection: each connection that it has had has another one. */
    public abstract int connectionNumber();

    /** QoS 1 and 2 messages that its client takes without acknowledging; 0 when there is none. */
    public abstract int inFlightMax();

    /** Bytes of the largest packet that its client takes: its Maximum Packet Size. */
    public abstract int packetBytesMax();

    /** Sends what waits, and asks for more of what is being replayed. */
    public abstract void pump();
}

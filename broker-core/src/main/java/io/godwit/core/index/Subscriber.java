package io.godwit.core.index;

import io.godwit.core.mail.Recipient;
import io.godwit.core.packet.ClientId;

/** A session as those see it who subscribe for it. */
public abstract class Subscriber extends Recipient {
    protected Subscriber(ClientId clientId, long generation, int owner, boolean durable) {
        super(clientId, generation, owner, durable);
    }

    /** Made with the first use. */
    public abstract Subscriptions subscriptions();

    /** Of the shard that owns it now. */
    public abstract SubscribeContext subscribing();

    public abstract boolean isEnded();

    /** Number of its connection: another one for each that it had. */
    public abstract int connectionNumber();

    /** QoS 1 and 2 messages that its client takes without acknowledging; 0 when there is none. */
    public abstract int inFlightMax();

    /** Sends what waits, and asks for more of what is being replayed. */
    public abstract void pump();
}

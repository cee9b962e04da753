package io.godwit.core.index;

import io.godwit.core.mail.Recipient;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;

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

    /** Number of the session's connection: each connection that it has had has another one. */
    public abstract int connectionNumber();

    /** QoS 1 and 2 messages that its client takes without acknowledging; 0 when there is none. */
    public abstract int inFlightMax();

    /** Bytes of the largest packet that its client takes: its Maximum Packet Size. */
    public abstract int packetBytesMax();

    /**
     * Since when it has this filter, while a former home passes on what it gets.
     *
     * @return number of the grant of the home where it has subscribed to it; 0 when it had it at
     *     the oldest of its former homes, or has none
     */
    protected long since(TopicFilter filter) {
        return 0;
    }

    /** Its subscription to a filter has ended. */
    protected void unsubscribed(TopicFilter filter) {}

    /** Its subscription to a filter was of QoS 0, and is of a higher one. */
    protected void qosRaised(TopicFilter filter) {}

    /** Sends what waits, and asks for more of what is being replayed. */
    public abstract void pump();
}

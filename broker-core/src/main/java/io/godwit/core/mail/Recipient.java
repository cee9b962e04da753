package io.godwit.core.mail;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.routing.SessionRef;
import org.jspecify.annotations.Nullable;

/** A session as those see it who send it mail: with an owner, and perhaps on its way to another. */
public abstract class Recipient extends SessionRef {
    private @Nullable HandOver handOver;

    protected Recipient(ClientId clientId, long generation, int owner, boolean durable) {
        super(clientId, generation, owner, durable);
    }

    /** The hand-over that has not ended, seen from the new owner, whose thread alone asks. */
    public final @Nullable HandOver handOver() {
        return handOver;
    }

    protected final void handOver(@Nullable HandOver running) {
        handOver = running;
    }

    /** Queue id of the session; 0 when nothing of it is kept. */
    public abstract long queueId();

    /**
     * Takes a message in: the ack point of a transient session, the append of a durable one. On the
     * owner's thread.
     *
     * @param qos at which it goes out: the lower of the message's and the subscription's
     * @param receipt whose acknowledgement waits for a durable target; already told to await this
     *     one
     */
    public abstract void deliver(
            Message message, int qos, boolean retain, int[] ids, @Nullable Receipt receipt);

    /** Whether a call may take the place of mail: it is here, and nothing is to be held back. */
    public final boolean isHere(int shard) {
        return owner() == shard && handOver == null;
    }
}

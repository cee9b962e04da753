package io.godwit.core.mail;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.Taker;
import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.shard.Shard;
import org.jspecify.annotations.Nullable;

/** A session as the target of mail: it has an owner, and is perhaps on its way to another. */
public abstract class Recipient extends SessionRef implements Taker {
    private @Nullable HandOver handOver;

    protected Recipient(ClientId clientId, long generation, int owner, boolean durable) {
        super(clientId, generation, owner, durable);
    }

    /** The hand-over that has not ended, seen from the new owner, whose thread alone asks. */
    public final @Nullable HandOver handOver() {
        return handOver;
    }

    /** Begins a hand-over. The owner until now calls this before it names the next one. */
    protected final void handOver(Shard oldOwner) {
        handOver = new HandOver(oldOwner.shards(), oldOwner.index());
    }

    /**
     * Notes that shard {@code from} has no mail for this session on the way to the old owner any
     * more: with the last one what was held back is delivered, and then the hand-over has ended.
     *
     * @param at the new owner
     * @param whenOver called at the end of the hand-over
     */
    public final void onMarker(int from, Shard at, Runnable whenOver) {
        HandOver running = handOver;
        if (running != null && running.markerPassed(from) && !deliverHeld(running, at, whenOver)) {
            at.slice(() -> deliverHeld(running, at, whenOver));
        }
    }

    private boolean deliverHeld(HandOver running, Shard at, Runnable whenOver) {
        if (!running.deliver(at)) {
            return false;
        }
        handOver = null;
        whenOver.run();
        return true;
    }

    /** Queue id of the session; 0 when nothing of it is kept. */
    public abstract long queueId();

    /**
     * Takes a message in: the ack point of a transient session, the append of a durable one. On the
     * owner's thread.
     *
     * @param qos at which it goes out: the lower of the message's and the subscription's
     * @param receipt waits for a durable target, and was told already to await this one; null when
     *     nobody waits
     */
    public abstract void deliver(
            Message message, int qos, boolean retain, int[] ids, @Nullable Receipt receipt);

    @Override
    public final void forget(Shard from, int ingressServer, long ingressCounter) {
        if (isHere(from.index())) {
            forgetIngress(ingressServer, ingressCounter);
        } else {
            from.send(owner(), new ForgetMail(this, ingressServer, ingressCounter));
        }
    }

    /**
     * Forgets a QoS 2 message that the session may have taken in: it will not come again. On the
     * owner's thread.
     */
    protected abstract void forgetIngress(int ingressServer, long ingressCounter);

    /**
     * Whether a call may take the place of mail: the session is here, and nothing is to be held
     * back.
     */
    public final boolean isHere(int shard) {
        return owner() == shard && handOver == null;
    }
}

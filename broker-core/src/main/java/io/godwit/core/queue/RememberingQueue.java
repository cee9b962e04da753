package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.IngressMemory;
import io.godwit.core.message.Message;
import io.godwit.core.message.Remembered;
import io.godwit.core.metrics.Metric;
import io.godwit.core.settings.Rule;
import io.godwit.core.store.CommitWaiter;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.KeptQueue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A queue that remembers the ingress ids of messages which may come again, of QoS 2 and wills,
 * whether it still has the messages or not. A class of its own, and no object, since every session
 * has one.
 */
public abstract class RememberingQueue {
    /** QoS 2 messages that may come again; null while there are none. */
    private @Nullable IngressMemory ingress;

    public abstract long queueId();

    abstract ShardQueues shard();

    abstract KeptQueue kept();

    /** What goes before it remembers for itself; null when there is none. */
    abstract @Nullable RememberingQueue before();

    /**
     * Whether a message is one that it has, or had, under the same ingress id: then it is not taken
     * in again, and who waits is answered when the one that it has is kept().
     */
    final boolean recognises(Message message, @Nullable Receipt waiting) {
        if (waiting == null || !isAmong(message, waiting)) {
            return false;
        }
        kept().whenKept(waiting::targetDone);
        return true;
    }

    /** Whether a message is one that it has, or had, under the same ingress id. */
    final boolean isAmong(Message message, Receipt waiting) {
        return waiting.mayComeAgain && remembers(message.ingressServer, message.ingressCounter);
    }

    /**
     * Tells whether it has, or had, a message: when that is kept, if so.
     *
     * @return false when it has not, and the waiter is not told
     */
    public final boolean whenHad(int ingressServer, long ingressCounter, CommitWaiter waiter) {
        boolean isKnown = remembers(ingressServer, ingressCounter);
        if (isKnown) {
            kept().whenKept(waiter);
        }
        return isKnown;
    }

    /** Whether it knows a message that may come again. */
    public final boolean remembers(int ingressServer, long ingressCounter) {
        RememberingQueue earlier = before();
        return ingress != null && ingress.has(ingressServer, ingressCounter)
                || earlier != null && earlier.remembers(ingressServer, ingressCounter);
    }

    /** Remembers an entry that was just appended, if its message may come again. */
    final void remember(QueueEntry entry, Message message, Receipt waiting) {
        if (waiting.mayComeAgain && shard().rules.holds(Rule.INGRESS_MEMORY)) {
            remember(entry, message);
        }
    }

    /** Remembers an entry that was just appended, and that may come again. */
    final void remember(QueueEntry entry, Message message) {
        IngressMemory known = memory();
        if (known.size() >= IngressMemory.MAX || !shard().accounts.mayRemember()) {
            shard().counters.increment(Metric.INGRESS_FORGOTTEN);
            IngressMemory.Entry oldest = known.oldest();
            if (oldest == null) {
                ingress = null;
                return; // Others have taken all the room.
            }
            forget(oldest.ingressServer, oldest.ingressCounter);
            known = memory();
        }
        IngressMemory.Entry more =
                new IngressMemory.Entry(
                        queueId(),
                        entry.messageId,
                        entry.server,
                        message.ingressServer,
                        message.ingressCounter);
        known.add(more);
        accountRemembered(1);
        kept().remember(more);
    }

    private IngressMemory memory() {
        IngressMemory made = ingress;
        if (made == null) {
            made = new IngressMemory();
            ingress = made;
        }
        return made;
    }

    private void accountRemembered(int sign) {
        shard().accounts.remembered((long) sign * IngressMemory.ENTRY_BYTES);
    }

    /** The publisher's side is done with a message: it will not come again. */
    public void forget(int ingressServer, long ingressCounter) {
        RememberingQueue earlier = before();
        if (earlier != null) {
            earlier.forget(ingressServer, ingressCounter);
        }
        IngressMemory known = ingress;
        IngressMemory.Entry gone =
                known == null ? null : known.remove(ingressServer, ingressCounter);
        if (known == null || gone == null) {
            return;
        }
        accountRemembered(-1);
        kept().forget(gone);
        if (known.size() == 0) {
            ingress = null;
        }
    }

    /** The store forgets the whole queue. */
    final void forgetIngress() {
        shard().accounts.remembered(-rememberedBytes());
        ingress = null;
    }

    /** At start. To be called before the queue {@linkplain #enter counts}. */
    final void restoreRemembered(List<KeptIngress> all) {
        for (KeptIngress each : all) {
            IngressMemory.Entry entry =
                    new IngressMemory.Entry(
                            queueId(),
                            each.id().clock(),
                            each.id().server(),
                            each.ingress().server(),
                            each.ingress().counter());
            entry.kept = Remembered.ON_DISK;
            memory().add(entry);
        }
    }

    /** Lists the ingress ids that it remembers, in the order in which they came. */
    public final List<KeptIngress> remembered() {
        List<KeptIngress> all = new ArrayList<>();
        IngressMemory.Entry next = ingress == null ? null : ingress.oldest();
        while (next != null) {
            all.add(
                    new KeptIngress(
                            new HybridId(next.clock, next.server),
                            new IngressId(next.ingressServer, next.ingressCounter)));
            next = IngressMemory.after(next);
        }
        return all;
    }

    /** What that is accounted with. */
    public final long rememberedBytes() {
        return ingress == null ? 0 : (long) ingress.size() * IngressMemory.ENTRY_BYTES;
    }
}

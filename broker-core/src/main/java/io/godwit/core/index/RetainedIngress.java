package io.godwit.core.index;

import io.godwit.core.ack.Taker;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.IngressMemory;
import io.godwit.core.message.Message;
import io.godwit.core.message.Remembered;
import io.godwit.core.metrics.Metric;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.KeptIngress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ingress ids of retained QoS 2 messages that may come again: such a message is kept once, for
 * there may be a newer one by the time it is sent again. The store has them, too. Owned by the
 * shard of the retained store.
 */
public final class RetainedIngress implements Taker {
    private final Shard shard;
    private final IngressMemory ingress = new IngressMemory();

    RetainedIngress(Shard shard) {
        this.shard = shard;
    }

    /** Bytes that they are accounted with. */
    public long bytes() {
        return (long) ingress.size() * IngressMemory.ENTRY_BYTES;
    }

    /** Returns the id that a message was given when it came before; null: it has not. */
    @Nullable HybridId idOf(Message message) {
        IngressMemory.Entry known = ingress.find(message.ingressServer, message.ingressCounter);
        return known == null ? null : new HybridId(known.clock, known.server);
    }

    /**
     * A message that may come again is kept; when there are too many the oldest is forgotten.
     *
     * @param id given once
     */
    void remember(Message message, HybridId id) {
        IngressMemory.Entry oldest = ingress.oldest();
        if (oldest != null && ingress.size() >= IngressMemory.MAX) {
            shard.counters().increment(Metric.INGRESS_FORGOTTEN);
            forget(oldest.ingressServer, oldest.ingressCounter);
        }
        IngressMemory.Entry more =
                new IngressMemory.Entry(
                        0, id.clock(), id.server(), message.ingressServer, message.ingressCounter);
        ingress.add(more);
        shard.store().remember(more);
    }

    private void forget(int ingressServer, long ingressCounter) {
        IngressMemory.Entry gone = ingress.remove(ingressServer, ingressCounter);
        if (gone != null) {
            shard.store().forget(gone);
        }
    }

    @Override
    public void forget(Shard from, int ingressServer, long ingressCounter) {
        from.send(
                TopicIndex.OWNER,
                new Mail() {
                    @Override
                    protected boolean handle(Shard at, int sender) {
                        forget(ingressServer, ingressCounter);
                        return true;
                    }
                });
    }

    /** Takes up what was remembered before; called at start. */
    public void recovered(List<KeptIngress> remembered) {
        for (KeptIngress each : remembered) {
            IngressMemory.Entry entry =
                    new IngressMemory.Entry(
                            0,
                            each.id().clock(),
                            each.id().server(),
                            each.ingress().server(),
                            each.ingress().counter());
            entry.kept = Remembered.ON_DISK;
            ingress.add(entry);
        }
    }
}

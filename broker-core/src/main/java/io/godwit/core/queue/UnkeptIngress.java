package io.godwit.core.queue;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.load.QueueAccounts;
import io.godwit.core.message.IngressMemory;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.settings.Rule;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages of a part that nothing is kept of, and that their publishers may send again: when the
 * part becomes durable while it has one, it is to remember that as well. Of one that is gone before
 * that nothing is known, as of a transient session's.
 */
final class UnkeptIngress {
    private final ShardQueues shard;
    private final Map<IngressId, PartEntry> entries = new HashMap<>(0);

    UnkeptIngress(ShardQueues shard) {
        this.shard = shard;
    }

    private static IngressId idOf(Message message) {
        return new IngressId(message.ingressServer, message.ingressCounter);
    }

    /** An entry is new, and nothing of it is kept. */
    void add(PartEntry entry, @Nullable Receipt of) {
        if (of == null || !of.mayComeAgain || !shard.rules.holds(Rule.INGRESS_MEMORY)) {
            return;
        }
        QueueAccounts accounts = shard.accounts;
        if (entries.size() >= IngressMemory.MAX || !accounts.mayRemember()) {
            shard.counters.increment(Metric.INGRESS_FORGOTTEN);
        } else if (entries.put(idOf(entry.content()), entry) == null) {
            accounts.remembered(IngressMemory.ENTRY_BYTES);
        }
    }

    /**
     * An entry has ended, or is kept.
     *
     * @return whether it may come again
     */
    boolean remove(PartEntry entry) {
        Message message = entries.isEmpty() ? null : entry.message;
        boolean isKnown = message != null && entries.remove(idOf(message), entry);
        if (isKnown) {
            shard.accounts.remembered(-IngressMemory.ENTRY_BYTES);
        }
        return isKnown;
    }

    /** It will not come again. */
    void forget(int ingressServer, long ingressCounter) {
        if (!entries.isEmpty()
                && entries.remove(new IngressId(ingressServer, ingressCounter)) != null) {
            shard.accounts.remembered(-IngressMemory.ENTRY_BYTES);
        }
    }

    void clear() {
        shard.accounts.remembered(-(long) entries.size() * IngressMemory.ENTRY_BYTES);
        entries.clear();
    }
}

package io.godwit.cluster.publish;

import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.shard.Shard;
import java.util.HashSet;
import java.util.Set;

/**
 * Publishes of QoS 2 of this node that one shard has sent to others, and that their publishers may
 * yet send again. Only that shard's thread calls.
 */
final class OpenPublishes {
    private static final int ENTRY_BYTES = 80;

    private final BrokerShard shard;
    private final Set<IngressId> open = new HashSet<>();

    OpenPublishes(BrokerShard shard) {
        this.shard = shard;
    }

    /** The id by which every node knows a message of QoS 2. */
    static IngressId idOf(Message message) {
        return new IngressId(message.ingressServer, message.ingressCounter);
    }

    void add(IngressId publish) {
        if (open.add(publish)) {
            shard.load().peers(ENTRY_BYTES);
        }
    }

    void remove(IngressId publish) {
        if (open.remove(publish)) {
            shard.load().peers(-ENTRY_BYTES);
        }
    }

    boolean has(IngressId publish) {
        return open.contains(publish);
    }

    /** Takes out of a set what is open here. */
    void removeOpen(Set<IngressId> from) {
        from.removeIf(open::contains);
    }

    /**
     * Runs a task here once it is kept that the publisher is done with its publish: until then a
     * crash would have it sent once more.
     *
     * @param from shard of its receipt, which calls
     */
    void whenOver(Shard from, Runnable task) {
        from.afterCommit(durable -> {
            if (durable && from.index() == shard.index()) {
                task.run();
            } else if (durable) {
                shard.execute(task);
            }
        });
    }
}

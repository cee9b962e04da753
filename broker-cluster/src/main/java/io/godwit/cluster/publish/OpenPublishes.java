package io.godwit.cluster.publish;

import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.shard.Shard;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Publishes of QoS 2 of this node that one shard has sent to others, and that their publishers may
 * yet send again. Only that shard's thread calls.
 */
final class OpenPublishes {
    private static final int ENTRY_BYTES = 80;
    private static final int ASKING_BYTES = 160;

    private final BrokerShard shard;
    private final Set<IngressId> open = new HashSet<>();

    /** Server ids of nodes that remember one of them, and that nobody else tells. */
    private final Map<IngressId, Set<Integer>> asking = new HashMap<>(0);

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

    /**
     * @return which nodes have asked whether it is over, by server id
     */
    Set<Integer> remove(IngressId publish) {
        if (open.remove(publish)) {
            shard.load().peers(-ENTRY_BYTES);
        }
        Set<Integer> by = asking.isEmpty() ? null : asking.remove(publish);
        if (by == null) {
            return Set.of();
        }
        shard.load().peers(-(long) ASKING_BYTES * by.size());
        return by;
    }

    boolean has(IngressId publish) {
        return open.contains(publish);
    }

    /**
     * A node asks which of some publishes are over. Of what is open here it is told later.
     *
     * @param left what is open here is taken out
     */
    void asked(int by, Set<IngressId> left) {
        left.removeIf(each -> {
            boolean isOpen = open.contains(each);
            if (isOpen && asking.computeIfAbsent(each, any -> new TreeSet<>()).add(by)) {
                shard.load().peers(ASKING_BYTES);
            }
            return isOpen;
        });
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

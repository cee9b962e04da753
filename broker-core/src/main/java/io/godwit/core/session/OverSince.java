package io.godwit.core.session;

import io.godwit.core.id.IngressId;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.IngressMemory;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * QoS 2 messages that their publishers have done with since the session went to another node: what
 * it remembers of them has gone along, and its next home hears of these with the last word.
 */
final class OverSince {
    /** What an id takes with its place in the set. */
    private static final int ID_BYTES = 96;

    private final ShardLoad load;
    private final Set<IngressId> ids = new LinkedHashSet<>(0);

    /**
     * @param load counts them
     */
    OverSince(ShardLoad load) {
        this.load = load;
    }

    /** Notes one. Bounded like the memory itself: its next home remembers the others for longer. */
    void add(int ingressServer, long ingressCounter) {
        if (ids.size() < IngressMemory.MAX
                && load.queues().mayRemember()
                && ids.add(new IngressId(ingressServer, ingressCounter))) {
            load.queues().remembered(ID_BYTES);
        }
    }

    Set<IngressId> ids() {
        return ids;
    }

    /** They do not count any more. */
    void end() {
        load.queues().remembered(-(long) ID_BYTES * ids.size());
        ids.clear();
    }
}

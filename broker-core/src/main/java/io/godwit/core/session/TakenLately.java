package io.godwit.core.session;

import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import java.util.ArrayList;
import java.util.List;

/**
 * Which messages the durable sessions of one shard have taken lately, in the order in which they
 * did: a session that goes to another node tells it, since that one may hear of some of them only
 * then. One for all sessions, so that what it takes does not grow with them: the busier the shard,
 * the less far it goes back.
 */
final class TakenLately {
    /** 20 bytes each. */
    static final int MAX = 16_384;

    private long[] queueIds = new long[0];
    private long[] counters = new long[0];
    private int[] servers = new int[0];
    private int next;

    /** The session of that queue has taken a message. */
    void add(long queueId, Message message) {
        if (queueIds.length == 0) {
            queueIds = new long[MAX];
            counters = new long[MAX];
            servers = new int[MAX];
        }
        int at = next;
        queueIds[at] = queueId;
        counters[at] = message.ingressCounter;
        servers[at] = message.ingressServer;
        next = at + 1 & MAX - 1;
    }

    /** What the session of a queue has taken, oldest first. */
    List<IngressId> of(long queueId) {
        List<IngressId> taken = new ArrayList<>(0);
        for (int i = 0; i < queueIds.length; i++) {
            int at = next + i & MAX - 1;
            if (queueIds[at] == queueId) {
                taken.add(new IngressId(servers[at], counters[at]));
            }
        }
        return taken;
    }
}

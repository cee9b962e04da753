package io.godwit.core.queue;

import io.godwit.core.id.MessageIds;
import io.godwit.core.load.QueueAccounts;
import io.godwit.core.metrics.Counters;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.settings.Rules;
import io.godwit.core.shard.PacedTasks;
import io.godwit.core.shard.ShardClock;
import io.godwit.core.shard.Turns;
import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.KeptQueue;
import io.godwit.core.store.KeptQueues;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the queues of one shard share. Only its thread touches it. */
public final class ShardQueues {
    final ShardClock clock;
    final KeptQueues store;
    final QueueAccounts accounts;
    final MessageIds ids;
    final QueuePost post;
    final Counters counters;

    /** Limits of durable queues. */
    final QueueSettings durable;

    /** Limits of the others. */
    final LimitSettings others;

    final Rules rules;

    /** See {@link #packetIdBefore}; 0: packet ids begin with 1. */
    private final long packetIdSeed;

    private final LargePages largePages;
    private final PagePace otherPages = new PagePace();

    /** Whose turn it is to send again what is in flight. */
    final PacedTasks sendingAgain;

    /** Queues that send again in one turn, and in one slice. */
    private static final int SENDING_AGAIN = 5;

    /** By queue id: those with rows that are not in memory. */
    private final Map<Long, ExpiredRows> withRows = new HashMap<>(0);

    /**
     * @param packetIdSeed of this start of this node, see {@link #packetIdBefore}; 0: packet ids of
     *     a session begin with 1
     */
    public ShardQueues(
            ShardClock clock,
            KeptQueues store,
            QueueAccounts accounts,
            MessageIds ids,
            QueuePost post,
            Counters counters,
            QueueSettings durable,
            LimitSettings others,
            Rules rules,
            long packetIdSeed,
            Turns turns) {
        this.clock = clock;
        this.store = store;
        this.accounts = accounts;
        this.ids = ids;
        this.post = post;
        this.counters = counters;
        this.durable = durable;
        this.others = others;
        this.rules = rules;
        this.packetIdSeed = packetIdSeed;
        this.largePages = new LargePages(accounts);
        this.sendingAgain = new PacedTasks(turns, SENDING_AGAIN);
    }

    /**
     * Returns the packet id behind which those of a queue begin. Where several nodes may lead a
     * session each of their starts begins at another one: the client may still hold ids of entries
     * of shared groups that a leader gave which is gone, and that its successor does not know.
     */
    int packetIdBefore(long queueId) {
        return packetIdSeed == 0 ? rules.packetIdBefore() : drawn(packetIdSeed, queueId);
    }

    /** Whether packet ids of a queue go on behind those that an earlier start has given. */
    boolean doPacketIdsGoOn() {
        return packetIdSeed == 0;
    }

    static int drawn(long seed, long queueId) {
        int mixed = Long.hashCode((seed ^ queueId) * 0x9E37_79B9_7F4A_7C15L);
        return Integer.remainderUnsigned(mixed ^ mixed >>> 15, 0xFFFF);
    }

    /** Goes on with what has waited for memory. */
    public void onTick() {
        largePages.goOn();
        otherPages.onTick();
    }

    /**
     * Reads a page, now or later.
     *
     * @param largest bytes that its largest message is expected to have
     */
    void read(KeptQueue from, AskedPage page, long largest) {
        if (largest > LargePages.LARGE) {
            largePages.read(from, page, largest);
        } else {
            otherPages.read(from, page);
        }
    }

    /** An entry that the store has had is removed there. */
    void onEnd(QueueEntry entry) {
        if (entry.isRowReadBack) {
            otherPages.onTaken();
        }
    }

    /** The store says that these rows have expired. Not of a queue on its way to another shard. */
    public void onRowsExpired(long queueId, List<ExpiredRow> rows) {
        ExpiredRows queue = withRows.get(queueId);
        if (queue != null) {
            queue.onExpired(rows);
        }
    }

    /**
     * @param queue null when it has no rows any more that are not in memory
     */
    void hasRows(long queueId, @Nullable ExpiredRows queue) {
        if (queue != null) {
            withRows.put(queueId, queue);
        } else {
            withRows.remove(queueId);
        }
    }

    /** How many queues have rows that are not in memory. */
    int countWithRows() {
        return withRows.size();
    }
}

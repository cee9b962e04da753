package io.godwit.persistence.queue;

import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.Subject;
import io.godwit.core.store.Inbound;
import io.godwit.persistence.journal.JournalEntry;
import io.godwit.persistence.journal.OpList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an entry of the journal makes void of what waits before it, noted when it comes into the
 * window: all of it is in the journal by then, behind what it makes void.
 */
public final class Arrivals {
    private final Inbounds inbounds;
    private final Homes homes;
    private final boolean replaying;
    private final Map<RowId, Subject.Lent> lent = new HashMap<>();
    private final Set<Long> removedQueues = new HashSet<>();

    /**
     * @param replaying what is not taken is tracked at once, since nobody will wait for it
     */
    public Arrivals(Inbounds inbounds, Homes homes, boolean replaying) {
        this.homes = homes;
        this.inbounds = inbounds;
        this.replaying = replaying;
    }

    public void arrive(JournalEntry entry) {
        for (OpList list : entry.lists) {
            for (int i = 0; i < list.size(); i++) {
                arrive(entry, list.op(i), list.subject(i));
            }
        }
    }

    private void arrive(JournalEntry at, Op op, Object subject) {
        switch (op) {
            case APPEND -> {
                if (inbounds.tracksAny()) {
                    QueuedMessage entry = (QueuedMessage) subject;
                    inbounds.got(entry.ingressServer, entry.ingressCounter, entry.queueId);
                }
            }
            case RETAINED -> {
                Message message = ((Subject.RetainedPut) subject).message();
                inbounds.got(message.ingressServer, message.ingressCounter, 0);
            }
            case REMOVE -> {
                if (subject instanceof QueuedMessage entry) {
                    Thinning.removed(entry);
                }
            }
            case LENT -> {
                Subject.Lent now = (Subject.Lent) subject;
                voided(lent.put(new RowId(now.memberQueueId, now.messageId, now.server), now));
            }
            case LENT_GONE -> {
                Subject.LentGone gone = (Subject.LentGone) subject;
                voided(
                        lent.remove(
                                new RowId(gone.memberQueueId(), gone.messageId(), gone.server())));
            }
            case INBOUND -> {
                at.inbound++;
                Inbound inbound = (Inbound) subject;
                // Of a will that outlives its session: under the queue id of what is gone.
                inbound.isBehindEnd = isRemoved(inbound.queueId);
                if (replaying) {
                    inbounds.track((Inbound) subject);
                }
            }
            case INBOUND_GONE -> {
                Inbound inbound = (Inbound) subject;
                if (inbound.kept == Inbounds.NEW) {
                    inbound.kept = Inbounds.GONE;
                }
            }
            case SESSION_GONE, GROUP_GONE ->
                    removedQueues.add(((Subject.OfQueue) subject).queueId());
            case ADOPTED -> {
                Subject.Adopted adopted = (Subject.Adopted) subject;
                homes.here(adopted.queueId(), adopted.epoch());
            }
            case IN_FLIGHT,
                    RELEASED,
                    ROW_GONE,
                    INBOUND_TAKEN,
                    SESSION,
                    SUBSCRIPTION,
                    SUBSCRIPTION_GONE,
                    GROUP,
                    RETAINED_GONE,
                    CLOCK,
                    QUEUE_IDS,
                    STREAM -> {}
        }
    }

    private static void voided(Subject.@Nullable Lent earlier) {
        if (earlier != null) {
            earlier.isVoid = true;
        }
    }

    /** It leaves: what follows finds it on the disk. */
    void left(Subject.Lent leaving) {
        lent.remove(new RowId(leaving.memberQueueId, leaving.messageId, leaving.server), leaving);
    }

    /** Whether the window knows that this queue's session or group is gone. */
    boolean isRemoved(long queueId) {
        return !removedQueues.isEmpty() && removedQueues.contains(queueId);
    }

    void removalLeft(long queueId) {
        removedQueues.remove(queueId);
    }

    /** Whether it has to stay in the journal, since some target may not have got it yet. */
    boolean holds(JournalEntry entry) {
        if (entry.inbound == 0) {
            return false;
        }
        for (OpList list : entry.lists) {
            for (int i = 0; i < list.size(); i++) {
                if (list.op(i) == Op.INBOUND && isOpen((Inbound) list.subject(i))) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isOpen(Inbound inbound) {
        return !inbound.taken
                && inbound.kept == Inbounds.NEW
                && !isRemoved(inbound)
                && !inbounds.tracks(inbound);
    }

    /** Whether it ended with its session. */
    boolean isRemoved(Inbound inbound) {
        return !inbound.isBehindEnd && isRemoved(inbound.queueId);
    }

    /**
     * The window cannot wait for what this entry holds: tracks it from here on.
     *
     * @param window the entry and what waits behind it
     */
    void letGo(JournalEntry entry, Iterable<JournalEntry> window) {
        for (OpList list : entry.lists) {
            for (int i = 0; i < list.size(); i++) {
                if (list.op(i) == Op.INBOUND && isOpen((Inbound) list.subject(i))) {
                    inbounds.track((Inbound) list.subject(i));
                }
            }
        }
        for (JournalEntry each : window) {
            for (OpList list : each.lists) {
                for (int i = 0; i < list.size(); i++) {
                    if (list.op(i) == Op.APPEND || list.op(i) == Op.RETAINED) {
                        arrive(each, list.op(i), list.subject(i));
                    }
                }
            }
        }
    }
}

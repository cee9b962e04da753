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
    private final boolean tracks;
    private final Map<RowId, Subject.Got> got = new HashMap<>();
    private final Set<Long> removedQueues = new HashSet<>();

    /**
     * @param tracks who gets an inbound PUBLISH that is not taken is noted
     */
    public Arrivals(Inbounds inbounds, Homes homes, boolean tracks) {
        this.homes = homes;
        this.inbounds = inbounds;
        this.tracks = tracks;
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
                QueuedMessage entry = (QueuedMessage) subject;
                if (inbounds.tracksAny() && wasPublishedAtQos2(entry)) {
                    inbounds.got(
                            entry.ingressServer(),
                            entry.ingressCounter(),
                            entry.queueId,
                            at.position);
                }
            }
            case RETAINED -> {
                Message message = ((Subject.RetainedPut) subject).message();
                inbounds.got(message.ingressServer, message.ingressCounter, 0, at.position);
            }
            case REMOVE -> {
                if (subject instanceof QueuedMessage entry) {
                    Thinning.removed(entry);
                }
            }
            case GOT -> {
                Subject.Got now = (Subject.Got) subject;
                voided(got.put(new RowId(now.queueId, now.clock, now.server), now));
            }
            case GOT_GONE -> {
                Subject.GotGone gone = (Subject.GotGone) subject;
                voided(got.remove(new RowId(gone.queueId(), gone.clock(), gone.server())));
            }
            case INBOUND -> {
                Inbound inbound = (Inbound) subject;
                // Of a will that outlives its session: under the queue id of what is gone.
                inbound.isBehindEnd = isRemoved(inbound.queueId);
                // From here on, since what is done with it may leave the window before it does.
                if (tracks && !inbound.taken) {
                    inbounds.track(inbound);
                }
            }
            case INBOUND_TAKEN -> {
                Inbound inbound = (Inbound) subject;
                if (inbound.kept == Inbounds.NEW) {
                    inbounds.forget(inbound);
                }
            }
            case INBOUND_GONE -> {
                Inbound inbound = (Inbound) subject;
                if (inbound.kept == Inbounds.NEW) {
                    inbounds.forget(inbound);
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
                    IN_FLIGHT_TO,
                    RELEASED,
                    ROW_GONE,
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

    /** A marker has no message: PUBREC came, which is of QoS 2 all the more. */
    private static boolean wasPublishedAtQos2(QueuedMessage entry) {
        Message message = entry.message;
        return message == null || message.qos == 2;
    }

    private static void voided(Subject.@Nullable Got earlier) {
        if (earlier != null) {
            earlier.isVoid = true;
        }
    }

    /** It leaves: what follows finds it on the disk. */
    void left(Subject.Got leaving) {
        got.remove(new RowId(leaving.queueId, leaving.clock, leaving.server), leaving);
    }

    /** Whether the window knows that this queue's session or group is gone. */
    boolean isRemoved(long queueId) {
        return !removedQueues.isEmpty() && removedQueues.contains(queueId);
    }

    void removalLeft(long queueId) {
        removedQueues.remove(queueId);
    }

    /** Whether it ended with its session. */
    boolean isRemoved(Inbound inbound) {
        return !inbound.isBehindEnd && isRemoved(inbound.queueId);
    }
}

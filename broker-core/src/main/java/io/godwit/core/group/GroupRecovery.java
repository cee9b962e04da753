package io.godwit.core.group;

import io.godwit.core.id.HybridId;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.PartQueue;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery.KeptGroupPart;
import io.godwit.core.store.Recovery.KeptInFlight;
import org.jspecify.annotations.Nullable;

/**
 * What members of a shared group had in flight when the broker stopped, or at another leader of one
 * of its parts. It is read queue by queue, and until all of it was, nothing is delivered: who has
 * it must be known first. On the group's thread, like all of the group.
 */
public final class GroupRecovery {
    private final SharedGroup group;
    private final GroupQueue queue;
    private final LeftInFlight leftInFlight;
    private final GroupDelivery delivery;
    private final GroupMembers members;
    private final PassingOn passing;

    /** Whether another node has led the queues until now. */
    private boolean isAdopted;

    GroupRecovery(
            SharedGroup group,
            GroupQueue queue,
            LeftInFlight leftInFlight,
            GroupDelivery delivery,
            GroupMembers members,
            PassingOn passing) {
        this.group = group;
        this.queue = queue;
        this.leftInFlight = leftInFlight;
        this.delivery = delivery;
        this.members = members;
        this.passing = passing;
    }

    /**
     * At start: the store has this part. Before the group's members join; what was in flight is to
     * be {@linkplain #read read} then.
     */
    public void recover(KeptGroupPart part) {
        queue.recover(part);
        group.onRecovered();
        leftInFlight.expect(part.inFlight());
        KeptGroupPart before = part.predecessor();
        if (before != null) {
            leftInFlight.expect(before.inFlight());
        }
    }

    /**
     * This node leads this part from now on, which another one has led. It stands like one of an
     * earlier start, but what a member's session has in flight there waits again: that session is
     * at a new leader, which does not know of it.
     */
    public void adopt(KeptGroupPart part) {
        isAdopted = true;
        recover(part);
    }

    /** Whether another node has led queues of the group. */
    public boolean isAdopted() {
        return isAdopted;
    }

    /**
     * Another queue of a part of this group, which is durable, goes before the part's own from now
     * on. What it has in flight is to be {@linkplain #read read}, too.
     */
    public void precededBy(KeptGroupPart part) {
        queue.precededBy(part);
        leftInFlight.expect(part.inFlight());
    }

    /**
     * Reads a page of what was in flight of one queue; the taker gets it on the group's thread.
     *
     * @param part or what goes before it
     */
    public void read(KeptGroupPart part, HybridId after, PartQueue.InFlightTaker taker) {
        queue.readInFlight(part, after, taker);
    }

    /**
     * An entry was in flight.
     *
     * @param session who has it; null when that session has ended: then the entry ends, too, unless
     *     it is another node that has it
     */
    public void entryRead(PartEntry entry, @Nullable SessionRef session, KeptInFlight as) {
        if (as.to().isNode()) {
            passing.recovered(entry, as.to());
            return;
        }
        boolean isTransient = as.to().session().queueId() == Receiver.TRANSIENT_QUEUE;
        if (session == null && isAdopted && !isTransient) {
            entry.packetId = as.packetId();
            entry.receiver = as.to();
            queue.putBack(entry);
            return;
        }
        delivery.recovered(
                session == null ? null : members.receiver(session, group.filter(), as.to()),
                entry,
                as);
    }

    /** One queue more was read; with the last of them what is idle may go. */
    public void queueRead(long nowMs) {
        leftInFlight.queueRead();
        if (leftInFlight.isRead()) {
            group.onInFlightRead(nowMs);
        }
    }
}

package io.godwit.core.group;

import io.godwit.core.id.HybridId;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.PartQueue;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery.KeptGroupPart;

/**
 * Takes up what members of a shared group, or other nodes, had of it when the broker stopped, or at
 * another leader of one of its parts. It is read queue by queue, and until all of it was, nothing
 * is delivered. On the group's thread, like all of the group.
 */
public final class GroupRecovery {
    private final SharedGroup group;
    private final GroupQueue queue;
    private final LeftInFlight leftInFlight;
    private final GroupDelivery delivery;
    private final PassingOn passing;
    private final HandingOver handing;

    /** Whether another node has led the queues until now. */
    private boolean isAdopted;

    GroupRecovery(
            SharedGroup group,
            GroupQueue queue,
            LeftInFlight leftInFlight,
            GroupDelivery delivery,
            PassingOn passing,
            HandingOver handing) {
        this.group = group;
        this.queue = queue;
        this.leftInFlight = leftInFlight;
        this.delivery = delivery;
        this.passing = passing;
        this.handing = handing;
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

    /** This node leads this part from now on, which another one has led. */
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

    /** Takes an entry that was in flight. */
    public void entryRead(PartEntry entry, Receiver to) {
        if (to.isNode()) {
            passing.recovered(entry, to);
        } else if (to.isTransient()) {
            delivery.giveUp(entry); // Its session has ended with the process.
        } else {
            handing.recovered(entry, to);
        }
    }

    /** One queue more was read; with the last of them what is idle may go. */
    public void queueRead(long nowMs) {
        leftInFlight.queueRead();
        if (leftInFlight.isRead()) {
            group.onInFlightRead(nowMs);
        }
    }
}

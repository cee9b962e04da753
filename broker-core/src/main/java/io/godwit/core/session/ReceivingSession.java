package io.godwit.core.session;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.packet.ClientId;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.Outlet;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.queue.QueueOwner;
import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Mail;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Recovery.KeptPredecessor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session as that of a subscriber: the queue of what its client is to receive, with what it
 * acknowledges, and what groups are to hear of their entries in it. A class of its own, and no
 * object, since every session has one.
 */
abstract class ReceivingSession extends PublishingSession implements QueueOwner {
    private final long queueId;
    private @Nullable ClientQueue queue;

    ReceivingSession(ClientId clientId, long generation, int owner, boolean durable, long queueId) {
        super(clientId, generation, owner, durable);
        this.queueId = queueId;
    }

    @Override
    public final long queueId() {
        return queueId;
    }

    /** As other nodes name it. */
    public abstract SessionKey key();

    /** Made with the first use. */
    public ClientQueue queue() {
        ClientQueue made = queue;
        if (made == null) {
            made = new ClientQueue(queueId, this, context().queues());
            queue = made;
        }
        return made;
    }

    /** Null while nothing has needed one. */
    public @Nullable ClientQueue queueIfMade() {
        return queue;
    }

    /** Messages that wait, in memory or on disk. */
    final long waitingCount() {
        return queue == null ? 0 : queue.messages();
    }

    @Override
    public int inFlightCount() {
        return queue == null ? 0 : queue.inFlight();
    }

    // ---------------------------------------------------------------- what its client acknowledges

    /**
     * @return false when the packet id is not in flight, or not at this QoS
     */
    public boolean onPubAck(int packetId) {
        return queue != null && queue.onPubAck(packetId);
    }

    /**
     * @return false when the packet id is not in flight, or not at this QoS
     */
    public boolean onPubRec(int packetId, int reasonCode) {
        return queue != null && queue.onPubRec(packetId, reasonCode);
    }

    /**
     * @return false when the packet id is not in flight, or not at this QoS
     */
    public boolean onPubComp(int packetId) {
        return queue != null && queue.onPubComp(packetId);
    }

    @Override
    public void forgetIngress(int ingressServer, long ingressCounter) {
        if (queue != null) {
            queue.forget(ingressServer, ingressCounter);
        }
    }

    // ---------------------------------------------------------------- what its queue has to say

    public void onAppendDone(QueueEntry entry, boolean durable) {
        entry.appendDone(durable, queue != null && !isEnded());
    }

    public void onRows(HybridId upTo) {
        if (queue != null) {
            queue.onRows(upTo);
        }
    }

    @Override
    public void onReadFailed(Throwable failure) {
        context().onReadFailed(clientId(), failure);
    }

    @Override
    public void forgetQueue(long predecessorId) {
        store().removeSession(clientId(), predecessorId, context().ids().stamp());
    }

    @Override
    public void sharedInFlight(QueueEntry entry) {
        PartEntry source = (PartEntry) entry.source;
        if (source != null) {
            toGroup(source, new GroupMail.Marked(this, source, entry));
            if (!context().shard().rules().holds(Rule.GROUP_MARKS)) {
                queue().sharedGoesOn(entry, true);
            }
        }
    }

    @Override
    public void sharedGot(QueueEntry entry) {
        PartEntry source = (PartEntry) entry.source;
        if (source != null) {
            toGroup(source, new GroupMail.Got(this, source, entry));
        }
    }

    @Override
    public void sharedDone(QueueEntry entry) {
        PartEntry source = (PartEntry) entry.source;
        if (source != null) {
            toGroup(source, new GroupMail.Acked(this, source));
        }
    }

    @Override
    public void sharedEnds(QueueEntry entry, boolean hasLeft) {
        PartEntry source = (PartEntry) entry.source;
        if (source != null) {
            toGroup(source, new GroupMail.Ends(this, source, hasLeft));
        }
    }

    final void toGroup(PartEntry entry, Mail mail) {
        context().shard().send(GroupMail.groupOf(entry).owner(), mail);
    }

    // ---------------------------------------------------------------- connection comes and goes

    /** After CONNACK: what is unacknowledged is to be sent again. */
    final void queueResumes() {
        if (queue != null) {
            queue.onConnected();
        }
    }

    final void sendQueued(Outlet to) {
        if (queue != null) {
            queue.pump(to);
        }
    }

    final void queueLosesConnection() {
        if (queue != null) {
            queue.onConnectionLost();
        }
    }

    /** Groups take back what they have given it. */
    final void dropGroupEntries() {
        if (queue != null) {
            queue.dropGroupEntries();
        }
    }

    final void queueLeavesShard() {
        if (queue != null) {
            queue.leaveShard();
        }
    }

    // ---------------------------------------------------------------- with the store

    /**
     * At start.
     *
     * @param depth what its queue has in rows; null for none
     * @param shared entries of groups that its client had in flight
     * @param remembered ingress ids of QoS 2 messages that may come again
     * @param predecessor goes before its queue; null when there is none
     */
    public void recoverQueue(
            @Nullable QueueDepth depth,
            int shared,
            List<KeptIngress> remembered,
            @Nullable KeptPredecessor predecessor) {
        if (depth != null || shared > 0 || !remembered.isEmpty()) {
            queue().restore(depth, shared, remembered);
        }
        if (predecessor != null) {
            queue().restorePredecessor(predecessor.queue(), predecessor.remembered());
        }
    }

    /** Whether there are no rows that the client of one that is not durable any more has to get. */
    boolean queueMayLeaveStore() {
        return queue == null || queue.mayLeaveStore();
    }

    /** The store was just told to forget it. */
    void queueLeavesStore() {
        if (queue != null) {
            queue.leaveStore();
        }
    }

    /** The session has ended: groups hear of its entries of theirs. */
    final void dropQueue() {
        if (queue != null) {
            queue.drop();
            queue = null;
        }
    }
}

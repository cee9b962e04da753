package io.godwit.core.session;

import io.godwit.core.group.HandedOver;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.packet.ClientId;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.GroupLink;
import io.godwit.core.queue.Outlet;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.queue.QueueOwner;
import io.godwit.core.settings.QueueBounds;
import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Mail;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Recovery.KeptPredecessor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a session that receives: the queue of messages for its client, the client's
 * acknowledgements, and what groups are to hear of their entries in it. A class of its own, and no
 * object, since every session has one.
 */
abstract class ReceivingSession extends PublishingSession implements QueueOwner {
    private final long queueId;

    /** Null while nothing has needed one. */
    private @Nullable ClientQueue queue;

    ReceivingSession(ClientId clientId, long generation, int owner, boolean durable, long queueId) {
        super(clientId, generation, owner, durable);
        this.queueId = queueId;
    }

    @Override
    public final long queueId() {
        return queueId;
    }

    /**
     * Gives the queue the bounds that its client was granted with the CONNECT or a later AUTH. They
     * are in memory only: the queue of a later start has the node's until the client is back.
     */
    public void boundQueue(QueueBounds granted) {
        if (queue != null || !granted.equals(QueueBounds.NODE)) {
            queue().bound(granted);
        }
    }

    /** Returns the name of the session in what is stored of others. */
    public abstract SessionKey key();

    /** The session's queue; made with the first use. */
    public ClientQueue queue() {
        ClientQueue made = queue;
        return made != null ? made : makeQueue();
    }

    /** Apart from {@link #queue()}, which is called for every message and has to stay small. */
    private ClientQueue makeQueue() {
        ClientQueue made = new ClientQueue(queueId(), this, context().queues());
        queue = made;
        return made;
    }

    /** The session's queue; null while nothing has needed one. */
    public @Nullable ClientQueue queueIfMade() {
        return queue;
    }

    /** How many messages wait, in memory or on disk. */
    final long waitingCount() {
        return queue == null ? 0 : queue.messages();
    }

    @Override
    public int inFlightCount() {
        return queue == null ? 0 : queue.inFlight();
    }

    // ---------------------------------------------------------------- what its client acknowledges

    /**
     * The caller {@linkplain #pump pumps} behind the last of the acknowledgements that came
     * together.
     *
     * @return false when the packet id is not in flight, or not at this QoS
     */
    public boolean onPubAck(int packetId) {
        return queue != null && queue.delivery().onPubAck(packetId);
    }

    /** See {@link #onPubAck}. */
    public boolean onPubRec(int packetId, int reasonCode) {
        return queue != null && queue.delivery().onPubRec(packetId, reasonCode);
    }

    /** See {@link #onPubAck}. */
    public boolean onPubComp(int packetId) {
        return queue != null && queue.delivery().onPubComp(packetId);
    }

    // ---------------------------------------------------------------- what its queue has to say

    public void onAppendDone(QueueEntry entry, boolean isKept) {
        entry.appendDone(isKept, queue != null && !isEnded());
    }

    public void onRows(HybridId upTo) {
        if (queue != null) {
            queue.onRows(upTo);
        }
    }

    /** Gives back to groups what they have given it. */
    final void leaveGroupQueues() {
        if (queue != null) {
            queue.leaveGroups();
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
        if (entry.source instanceof PartEntry source) {
            toGroup(source, new GroupMail.Marked(this, source, entry));
            if (!context().shard().rules().holds(Rule.GROUP_MARKS)) {
                queue().delivery().sharedGoesOn(entry, true);
            }
        }
    }

    @Override
    public void sharedGot(QueueEntry entry) {
        if (entry.source instanceof PartEntry source) {
            toGroup(source, new GroupMail.Got(this, source, entry));
        }
    }

    @Override
    public void sharedDone(GroupLink link) {
        if (link instanceof PartEntry source) {
            toGroup(source, new GroupMail.Acked(this, source));
        } else if (link instanceof HandedOver given) {
            toGroup(given.entry(), new GroupMail.HandedOverLeft(given));
        }
    }

    @Override
    public void sharedEnds(QueueEntry entry, boolean hasLeft) {
        if (entry.source instanceof PartEntry source) {
            toGroup(source, new GroupMail.Ends(this, source, hasLeft));
        }
    }

    /** Gives them back once it is kept that the session has ended: a crash would bring it back. */
    @Override
    public void sharedUnsent(List<QueueEntry> entries) {
        List<GroupMail.GivenBack> back = new ArrayList<>();
        for (QueueEntry each : entries) {
            if (each.source instanceof HandedOver given && each.message != null) {
                back.add(new GroupMail.GivenBack(given, each.message));
            }
        }
        context()
                .shard()
                .afterCommit(
                        copySet(),
                        isKept -> {
                            if (isKept) {
                                back.forEach(each -> toGroup(each.given.entry(), each));
                            }
                        });
    }

    final void toGroup(PartEntry entry, Mail mail) {
        context().shard().send(GroupMail.groupOf(entry).owner(), mail);
    }

    // ---------------------------------------------------------------- connection comes and goes

    /** Has the queue send again what is unacknowledged; called after CONNACK. */
    final void queueResumes() {
        if (queue != null) {
            queue.onConnected();
        }
    }

    final void sendQueued(Outlet to) {
        if (queue != null) {
            queue.delivery().pump(to);
        }
    }

    final void queueLosesConnection() {
        if (queue != null) {
            queue.onConnectionLost();
        }
    }

    /** Drops the entries of groups, which take them back. */
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
     * Takes up the queue as an earlier start has left it.
     *
     * @param depth what the queue has in rows; null for none
     * @param remembered ingress ids of QoS 2 messages that may come again
     * @param predecessor the queue that is drained before this one; null when there is none
     */
    public void recoverQueue(
            @Nullable QueueDepth depth,
            List<KeptIngress> remembered,
            @Nullable KeptPredecessor predecessor) {
        if (depth != null || !remembered.isEmpty()) {
            queue().restore(depth, remembered);
        }
        if (predecessor != null) {
            queue().restorePredecessor(predecessor.queue(), predecessor.remembered());
        }
        if (queue != null) {
            queue.onRestored();
        }
    }

    /** Whether there are no rows that the client of one that is not durable any more has to get. */
    boolean queueMayLeaveStore() {
        return queue == null || queue.mayLeaveStore();
    }

    /** Notes that the store was just told to forget the queue. */
    void queueLeavesStore() {
        if (queue != null) {
            queue.leaveStore();
        }
    }

    /** Drops the queue of a session that has ended; groups hear of their entries in it. */
    final void dropQueue() {
        if (queue != null) {
            queue.drop();
            queue = null;
        }
    }

    /** Returns the queue id of what is drained before its queue; 0 for nothing. */
    final long predecessorId() {
        return queue == null ? 0 : queue.predecessorId();
    }

    /** Lets go of the queue of a session that was set aside: the store has it. */
    final void letGoOfQueue() {
        queue = null;
    }

    @Override
    public final void forgetIngress(int ingressServer, long ingressCounter) {
        if (queue != null) {
            queue.forget(ingressServer, ingressCounter);
        }
    }
}

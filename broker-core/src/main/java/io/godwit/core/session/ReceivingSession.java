package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Coverage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.queue.ClientQueue;
import io.godwit.core.queue.Filling;
import io.godwit.core.queue.MemoryPage;
import io.godwit.core.queue.Outlet;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.settings.Rule;
import io.godwit.core.shard.Mail;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Recovery.KeptPredecessor;
import io.godwit.core.store.SessionMoves;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a session that receives: the queue of messages for its client, the client's
 * acknowledgements, and what groups are to hear of their entries in it. A class of its own, and no
 * object, since every session has one.
 */
abstract class ReceivingSession extends PublishingSession {
    ReceivingSession(ClientId clientId, long generation, int owner, boolean durable, long queueId) {
        super(clientId, generation, owner, durable, queueId);
    }

    /** The session as other nodes name it. */
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

    @Override
    final @Nullable TakenLately lately() {
        return context().takenLately();
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
            askForPage();
        }
    }

    /** Asks its former home for the next page of its queue, when there is room for one. */
    public final void askForPage() {
        HybridId above = queue == null ? null : queue.nextPage();
        if (above != null) {
            context().outside().askForPage((Session) this, above);
        }
    }

    /** The page that was asked for may be lost. */
    public final void askForPageAgain() {
        if (queue != null) {
            queue.askAgain();
            askForPage();
        }
    }

    @Override
    public final void whenKept(@Nullable Receipt receipt) {
        queue().whenKept(receipt);
    }

    /** A last page without anything in it; null when nothing is still to come. */
    public final @Nullable CopyPage endOfPages() {
        SessionMoves.Filling left = queue == null ? null : queue.progress();
        return left == null
                ? null
                : new CopyPage(
                        queueId(),
                        0,
                        left.upTo(),
                        left.mark(),
                        new Coverage(),
                        List.of(),
                        List.of(),
                        true);
    }

    /** Whether more of its queue is still to come. */
    public final boolean isFilling() {
        return queue != null && queue.progress() != null;
    }

    /**
     * Whether its node alone can serve it: a queue that goes before its own does not come along in
     * pages, and is drained here first.
     */
    public final boolean isBound() {
        return queue != null && queue.hasFrozenPredecessor();
    }

    /** A page of its queue for another node, when no store has rows of it. */
    public final CopyPage memoryPage(HybridId above, int messagesMax, long bytesMax) {
        return MemoryPage.of(queueId(), queue, above, messagesMax, bytesMax);
    }

    /** Whether groups are still to say what its client has of them, before it can go elsewhere. */
    public final boolean awaitsGroups() {
        return queue != null && queue.awaitsGroups();
    }

    /** What its client has of groups at QoS 2 is its own from now on, and goes where it goes. */
    public final void takeFromGroups() {
        if (queue != null) {
            queue.takeFromGroups();
        }
    }

    /** What groups have given it is theirs again, or over. */
    final void leaveGroupQueues() {
        if (queue != null) {
            queue.leaveGroups();
        }
    }

    /** Its content is elsewhere, and nobody waits for anything of it. */
    final void discardQueue() {
        dropArrival();
        overNoMore();
        queue = null;
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
                queue().delivery().sharedGoesOn(entry, true);
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
    public void sharedTaken(QueueEntry entry) {
        PartEntry source = (PartEntry) entry.source;
        if (source != null) {
            Shard at = context().shard();
            Mail done = new GroupMail.Acked(this, source);
            at.afterCommit(isKept -> {
                if (isKept) {
                    at.send(GroupMail.groupOf(source).owner(), done);
                }
            });
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

    /** Has the queue send again what is unacknowledged; called after CONNACK. */
    final void queueResumes() {
        if (queue != null) {
            queue.onConnected();
        }
    }

    final void sendQueued(Outlet to) {
        if (queue != null) {
            queue.delivery().pump(to);
            askForPage();
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
        arrivalLeaves();
        if (queue != null) {
            queue.leaveShard();
        }
    }

    // ---------------------------------------------------------------- with the store

    /**
     * Takes up the queue as an earlier start has left it.
     *
     * @param depth what the queue has in rows; null for none
     * @param shared how many entries of groups the client had in flight
     * @param remembered ingress ids of QoS 2 messages that may come again
     * @param predecessor the queue that is drained before this one; null when there is none
     */
    public void recoverQueue(
            @Nullable QueueDepth depth,
            int shared,
            List<KeptIngress> remembered,
            @Nullable KeptPredecessor predecessor,
            SessionMoves.@Nullable Filling filling) {
        if (filling != null) {
            queue().restore(null, shared, remembered);
            Filling.begin(queue(), depth, filling);
        } else if (depth != null || shared > 0 || !remembered.isEmpty()) {
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

    /** Notes that the store was just told to forget the queue. */
    void queueLeavesStore() {
        if (queue != null) {
            queue.leaveStore();
        }
    }

    /** Drops the queue of a session that has ended; groups hear of their entries in it. */
    final void dropQueue() {
        dropArrival();
        overNoMore();
        if (queue != null) {
            queue.drop();
            queue = null;
        }
    }
}

package io.godwit.core.group;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.queue.CameAgain;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.PartOwner;
import io.godwit.core.queue.PartQueue;
import io.godwit.core.queue.ShardQueues;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.store.Recovery.KeptGroupPart;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The queue of a shared group: what waits in its {@linkplain GroupParts parts}, and what the
 * assignment has taken out of them to look past it. Each part is a queue of the store while the
 * group is durable; one that is so no longer leaves the store when all that was kept is gone. To
 * its parts it is the group.
 */
final class GroupQueue implements PartOwner {
    /** Entries that one call keeps at most: about half a millisecond. */
    static final int KEEP_SLICE = 500;

    private final SharedGroupRef group;
    private final GroupCounts counts;
    private final LeftInFlight leftInFlight;
    private final GroupAssignment assignment;
    private final GroupEffects effects;
    private final ShardQueues queues;
    private final GroupParts parts = new GroupParts();

    private boolean isKeeping;

    GroupQueue(
            SharedGroupRef group,
            GroupCounts counts,
            LeftInFlight leftInFlight,
            GroupAssignment assignment,
            GroupEffects effects,
            ShardQueues queues) {
        this.group = group;
        this.counts = counts;
        this.leftInFlight = leftInFlight;
        this.assignment = assignment;
        this.effects = effects;
        this.queues = queues;
    }

    SharedGroupRef group() {
        return group;
    }

    // ---------------------------------------------------------------- what waits

    GroupParts parts() {
        return parts;
    }

    /** The part that a message waits in; made with its first message. */
    PartQueue partOf(Message message) {
        return partOf(assignment.partOf(message));
    }

    private PartQueue partOf(int number) {
        PartQueue made = parts.get(number);
        if (made == null) {
            made = new PartQueue(number, this, queues);
            parts.set(number, made);
            if (group.isDurable()) {
                keep(made, List.of());
            }
        }
        return made;
    }

    /** Whether it has, or had, a message that comes again: who waits is answered in time. */
    boolean isAgain(Message message, @Nullable Receipt waiting) {
        PartQueue known = parts.get(assignment.partOf(message));
        return known != null && known.isAgain(message, waiting);
    }

    /** A QoS 2 message that it may have taken in will not come again. */
    void forget(int ingressServer, long ingressCounter) {
        parts.forEach(part -> part.forget(ingressServer, ingressCounter));
    }

    /** Bytes of the messages that wait in memory. */
    long memoryBytes() {
        return parts.memoryBytes() + assignment.heldBytes();
    }

    boolean isEmpty() {
        return waitingMessages() == 0 && parts.isEmpty();
    }

    /** Adds what waits to a sum: messages in memory, their bytes, messages kept, their bytes. */
    void addTo(long[] sum) {
        parts.forEach(part -> {
            sum[0] += part.inMemory();
            sum[1] += part.memoryBytes();
            sum[2] += part.keptMessages();
            sum[3] += part.keptBytes();
        });
        assignment.forEachHeld(entry -> {
            sum[0]++;
            sum[1] += entry.bytes;
            sum[2] += entry.isKept() ? 1 : 0;
            sum[3] += entry.isKept() ? entry.bytes : 0;
        });
    }

    /** An entry that was in flight waits again. */
    void putBack(PartEntry entry) {
        assignment.putBackHeld(entry.part);
        entry.part.putBack(entry);
    }

    /** Discards what has expired and would go next. Costs nothing while nothing has. */
    void dropExpiredHeads() {
        parts.forEach(PartQueue::dropExpiredHead);
    }

    /** Tells how many members are online: for none, no row need stay in memory. */
    void onOnline(int members) {
        if (members == 0) {
            parts.forEach(part -> {
                assignment.putBackHeld(part);
                part.onNobodyOnline();
            });
        }
    }

    /** Nobody is left to look past anything for. */
    void putBackAllHeld() {
        parts.forEach(assignment::putBackHeld);
    }

    /** Nobody is left who could get what waits. */
    void drop() {
        parts.forEach(PartQueue::drop);
    }

    // ---------------------------------------------------------------- with the store

    /** The group is durable from now on; {@link #keepSome} does it. */
    void beginKeeping(List<GroupMember> members) {
        Map<PartQueue, List<PartEntry>> inFlight = new HashMap<>();
        for (GroupMember member : members) {
            for (PartEntry entry : member.inFlightEntries()) {
                inFlight.computeIfAbsent(entry.part, part -> new ArrayList<>()).add(entry);
            }
        }
        parts.forEach(part -> {
            assignment.putBackHeld(part);
            keep(part, inFlight.getOrDefault(part, List.of()));
        });
        isKeeping = true;
    }

    private void keep(PartQueue part, List<PartEntry> inFlight) {
        long known = part.queueId();
        long queueId = known != 0 ? known : effects.newQueue(group.filter(), part.number());
        if (queueId != 0) {
            part.beginKeeping(queueId, inFlight);
        }
    }

    /** Whether {@link #keepSome} has something to do. */
    boolean isKeeping() {
        return isKeeping;
    }

    /** Keeps some of what a group that has become durable holds. */
    void keepSome() {
        int left = KEEP_SLICE;
        boolean more = false;
        for (int i = 0; i < GroupParts.COUNT; i++) {
            PartQueue part = parts.get(i);
            if (part != null && part.isKeeping()) {
                left -= part.keepSome(left);
                more |= part.isKeeping();
            }
        }
        isKeeping = more;
    }

    /** The parts of a group that is not durable any more leave the store, those that can. */
    void leaveStore() {
        parts.forEach(part -> {
            if (part.queueId() != 0 && !part.isInStore() && !part.isKeeping()) {
                effects.removeQueue(group.filter(), part.queueId());
                part.leaveStore();
            }
        });
    }

    /** Returns what has come again to parts in the store, and is not to be answered here. */
    List<CameAgain> takeCameAgain() {
        List<CameAgain> taken = new ArrayList<>(0);
        parts.forEach(part -> {
            if (part.queueId() != 0) {
                taken.addAll(part.takeCameAgain());
            }
        });
        return taken;
    }

    /**
     * Another node has adopted the queues of these parts, which the store sets aside.
     *
     * @param inFlight what members have in flight, of all parts
     * @return see {@link PartQueue#giveUp}
     */
    List<PartEntry> giveUp(List<PartEntry> inFlight) {
        List<PartEntry> left = new ArrayList<>();
        for (int i = 0; i < GroupParts.COUNT; i++) {
            PartQueue part = parts.get(i);
            if (part != null && part.queueId() != 0) {
                assignment.putBackHeld(part);
                effects.setQueueAside(group.filter(), i, part.queueId());
                left.addAll(part.giveUp(inFlight));
                parts.remove(i);
            }
        }
        isKeeping = false;
        return left;
    }

    /** Whether it remembers QoS 2 messages that may come again. */
    boolean remembers() {
        boolean[] remembers = {false};
        parts.forEach(part -> remembers[0] |= part.rememberedBytes() > 0);
        return remembers[0];
    }

    /** The group is over. */
    void end() {
        parts.forEach(part -> {
            if (part.queueId() != 0) {
                effects.removeQueue(group.filter(), part.queueId());
            }
            part.drop();
        });
        parts.clear();
    }

    /** Reads what was in flight of one part, or of what goes before it, above this message id. */
    void readInFlight(KeptGroupPart of, HybridId after, PartQueue.InFlightTaker taker) {
        PartQueue part = parts.get(of.number());
        if (part != null) {
            part.readInFlight(of.queue().queueId(), after, taker);
        }
    }

    /** At start: the store has this part. */
    void recover(KeptGroupPart kept) {
        PartQueue part = new PartQueue(kept.number(), this, queues);
        parts.set(kept.number(), part);
        part.restore(kept);
    }

    /** Another queue goes before that of one of its parts. */
    void precededBy(KeptGroupPart before) {
        PartQueue part = partOf(before.number());
        if (part.queueId() == 0) {
            throw new IllegalStateException("part " + before.number() + " is not kept");
        }
        part.precededBy(before.queue(), before.remembered());
    }

    // ---------------------------------------------------------------- what its parts ask

    @Override
    public boolean isDurable() {
        return group.isDurable();
    }

    @Override
    public boolean isOnline() {
        return counts.online > 0;
    }

    @Override
    public boolean isInFlightRead() {
        return leftInFlight.isRead();
    }

    @Override
    public boolean wasInFlight(long messageId, int server) {
        return leftInFlight.contains(messageId, server);
    }

    @Override
    public long waitingMessages() {
        return parts.messages() + assignment.held();
    }

    @Override
    public long waitingBytes() {
        return parts.bytes() + assignment.heldBytes();
    }

    @Override
    public boolean discardOldest() {
        PartQueue oldest = parts.oldest();
        return oldest != null && oldest.discardOldestHere();
    }

    @Override
    public void forgetQueue(long queueId) {
        effects.removeQueue(group.filter(), queueId);
    }

    @Override
    public void onPage() {
        effects.onPage(group);
    }

    @Override
    public void onReadFailed(Throwable failure) {
        effects.onReadFailed(group, failure);
    }

    @Override
    public void onDropped(Metric cause, @Nullable Message message, int count) {
        effects.discarded(message, cause, count);
    }
}

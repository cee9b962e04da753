package io.godwit.core.group;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.PartQueue;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.store.Receiver;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a shared group gives to other nodes, since nobody can get it here: what comes while nobody
 * is online, if there is nobody to keep it for, and what waits. That goes in order, some at a time;
 * each entry stays in its part until the other node has it. A group that all members have left
 * gives it to the one that was made here since, if there is one.
 *
 * <p>At QoS 2 it is kept which node gets an entry, before that leaves: by this node and the
 * followers of its groups, and these confirm nothing when one of them has taken the queues over. A
 * start keeps it anew, sends it there again, and nowhere else; that node recognises it until it
 * hears that the entry is gone here.
 */
public final class PassingOn {
    /** Entries that another node is to have and has not confirmed. */
    private static final int UNDER_WAY_MAX = 100;

    private final SharedGroup group;
    private final GroupQueue queue;
    private final GroupCounts counts;
    private final GroupEffects effects;
    private int underWay;

    /**
     * Whether a message that is too large for all members here waits, because the way to the node
     * that takes it is full.
     */
    private boolean isTooLargeLeft;

    /** Entries that leave when their marks are kept. */
    private final Set<PartEntry> marked = new LinkedHashSet<>(0);

    /** What an earlier start has passed on, and not ended. */
    private final List<PartEntry> again = new ArrayList<>(0);

    PassingOn(SharedGroup group, GroupQueue queue, GroupCounts counts, GroupEffects effects) {
        this.group = group;
        this.queue = queue;
        this.counts = counts;
        this.effects = effects;
    }

    private TopicFilter filter() {
        return group.filter();
    }

    /** Entries that another node is to have and has not confirmed. */
    int underWay() {
        return underWay;
    }

    /** Whether somebody else has members, online or not, or may have. */
    boolean isPossible() {
        return effects.successor(group) != null
                || !effects.otherNodes().areKnown()
                || effects.otherNodes().haveMembers(filter(), true);
    }

    /** Whether others are to have what waits here: nobody is online, or a member, any more. */
    boolean isWanted() {
        return counts.subscribed == 0
                ? isPossible()
                : counts.online == 0 && effects.otherNodes().haveMembers(filter(), false);
    }

    /** Whether {@link SharedGroup#work} may find something to pass on, of which nobody tells. */
    public boolean mayBeWanted() {
        return (counts.online == 0 || isTooLargeLeft) && !queue.isEmpty();
    }

    /** Messages that other nodes are to have and do not, as far as one is heard that takes them. */
    public long left() {
        return counts.online == 0 && effects.otherNodes().mayTake(filter(), counts.subscribed == 0)
                ? queue.waitingMessages() + underWay
                : underWay;
    }

    /**
     * What an earlier group has handed over, to members who have gone since, goes from there to
     * another node: under an id of its own, of which that node hears when it is over.
     *
     * @return false when it came from elsewhere
     */
    boolean giveBack(@Nullable Receipt waiting) {
        if (waiting instanceof PassedOn of) {
            of.targetDone(false);
            return true;
        }
        return false;
    }

    /** Gives another node what has just come, and who waits for it; false when it cannot go. */
    boolean passOn(Message message, @Nullable Receipt waiting) {
        return counts.online == 0 && effects.otherNodes().passOn(filter(), message, waiting);
    }

    /**
     * Gives another node what has just come, and is too large for all members that are online here;
     * false when it cannot go.
     */
    boolean passOnTooLarge(Message message, @Nullable Receipt waiting) {
        return isTooLargeWanted(message) && effects.otherNodes().passOn(filter(), message, waiting);
    }

    /** Whether another node has a member that takes what is too large for all that are here. */
    boolean isTooLargeWanted(Message message) {
        return effects.otherNodes().mayTake(filter(), message);
    }

    /** Gives another node what waits here, too large for all; false when it has to wait. */
    boolean giveTooLarge(PartEntry entry) {
        boolean isGiven = underWay < UNDER_WAY_MAX && give(entry, entry.content());
        isTooLargeLeft = !isGiven;
        return isGiven;
    }

    /**
     * Gives another node what waits, in order, as much as may be under way.
     *
     * @return whether other nodes are to have it at all
     */
    boolean some(long nowMs) {
        sendAgain();
        boolean isWanted = isWanted();
        while (isWanted && underWay < UNDER_WAY_MAX) {
            PartQueue part = queue.parts().oldest();
            if (part == null) {
                break;
            }
            PartEntry head = part.peek();
            part.readAhead();
            if (head == null) {
                break;
            }
            PartEntry next = part.take();
            Message message = next.content();
            if (message.isExpired(nowMs)) {
                next.part.expire(next);
                continue;
            }
            if (!give(next, message)) {
                next.part.putBack(next);
                break;
            }
        }
        return isWanted;
    }

    private boolean give(PartEntry entry, Message message) {
        boolean mayWait = counts.subscribed == 0;
        SharedGroupRef successor = mayWait ? effects.successor(group) : null;
        if (successor != null) {
            underWay++;
            effects.handOver(successor, message, receipt(entry, 1));
            return true;
        }
        NodeRef to = effects.otherNodes().takerOf(filter(), mayWait, message);
        if (to == null) {
            return false;
        }
        underWay++;
        if (message.qos == 2) {
            mark(entry, Receiver.ofNode(to.server()), receipt(entry, 2));
        } else {
            effects.otherNodes().passOnWaiting(to, filter(), entry, receipt(entry, message.qos));
        }
        return true;
    }

    /** Marks an entry with a node, and sends it there when that is kept and it is still here. */
    private void mark(PartEntry entry, Receiver to, PassedOn receipt) {
        marked.add(entry);
        entry.part.inFlight(entry, Receiver.NO_PACKET_ID, to);
        entry.part.whenKept(isKept -> {
            if (isKept && marked.remove(entry)) {
                NodeRef node = new NodeRef(to.node());
                effects.otherNodes().passOnWaiting(node, filter(), entry, receipt);
            }
        });
    }

    private PassedOn receipt(PartEntry entry, int qos) {
        return new PassedOn(entry, qos, this::isThere, this::goesElsewhere);
    }

    /** At start: an earlier one has passed this on, or was about to. */
    void recovered(PartEntry entry, Receiver to) {
        entry.packetId = Receiver.NO_PACKET_ID;
        entry.receiver = to;
        underWay++;
        again.add(entry);
    }

    private void sendAgain() {
        List<PartEntry> all = List.copyOf(again);
        again.clear();
        for (PartEntry entry : all) {
            Receiver to = Objects.requireNonNull(entry.receiver);
            PassedOn receipt = receipt(entry, 2);
            receipt.isAgain = true;
            mark(entry, to, receipt); // Another node may have taken it over since it was marked.
        }
    }

    /**
     * Another node leads the queues of this group now, and passes on what waits in them.
     *
     * @return what has not left, since nobody has kept its mark
     */
    List<PartEntry> giveUp() {
        List<PartEntry> left = new ArrayList<>(marked);
        underWay -= left.size() + again.size();
        marked.clear();
        again.clear();
        return left;
    }

    /** Another node has an entry: more may follow. */
    private void isThere(PartEntry entry) {
        underWay--;
        entry.part.end(entry);
        effects.onPage(group);
    }

    /** The other node will never have it. */
    private void goesElsewhere(PartEntry entry) {
        underWay--;
        queue.putBack(entry);
        effects.onPage(group);
    }
}

package io.godwit.core.group;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.PartQueue;
import io.godwit.core.routing.SharedGroupRef;
import org.jspecify.annotations.Nullable;

/**
 * What a shared group gives to other nodes, since nobody can get it here: what comes while nobody
 * is online, if there is nobody to keep it for, and what waits. That goes in order, some at a time;
 * each entry stays in its part until the other node has it. A group that all members have left
 * gives it to the one that was made here since, if there is one.
 */
public final class PassingOn {
    /** Entries that another node is to have and has not confirmed. */
    private static final int UNDER_WAY_MAX = 100;

    private final SharedGroup group;
    private final GroupQueue queue;
    private final GroupCounts counts;
    private final GroupEffects effects;
    private int underWay;

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
        return counts.online == 0 && !queue.isEmpty();
    }

    /** Messages that other nodes are to have and do not, as far as one is heard that takes them. */
    public long left() {
        return counts.online == 0 && effects.otherNodes().mayTake(filter(), counts.subscribed == 0)
                ? queue.waitingMessages() + underWay
                : underWay;
    }

    /** Gives another node what has just come, and who waits for it; false when it cannot go. */
    boolean passOn(Message message, @Nullable Receipt waiting) {
        return counts.online == 0 && effects.otherNodes().passOn(filter(), message, waiting);
    }

    /**
     * Gives another node what waits, in order, as much as may be under way.
     *
     * @return whether other nodes are to have it at all
     */
    boolean some(long nowMs) {
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
            PassedOn receipt = new PassedOn(next, this::isThere, this::goesElsewhere);
            if (!give(message, receipt)) {
                next.part.putBack(next);
                break;
            }
            underWay++;
        }
        return isWanted;
    }

    private boolean give(Message message, PassedOn receipt) {
        boolean mayWait = counts.subscribed == 0;
        SharedGroupRef successor = mayWait ? effects.successor(group) : null;
        if (successor == null) {
            return effects.otherNodes().passOnWaiting(filter(), mayWait, message, receipt);
        }
        effects.handOver(successor, message, receipt);
        return true;
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

package io.godwit.core.group;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.PartQueue;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import io.godwit.core.store.Receiver;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives the messages of a shared group to its members, as far as their credit goes, and knows what
 * they have in flight. An entry (a QoS 1/2 message) is idle, or in flight to one member:
 *
 * <pre>
 * state      trigger                                      next
 * (none)     publish, a member is ready                   in flight
 * (none)     publish, none is ready                       idle; (none) when full or nobody to keep it for
 * idle       a member is ready                            in flight; (none) when it is sent as QoS 0
 * idle       expired, or too large for all                 (none)
 * in flight  acked                                        (none)
 * in flight  member offline or gone                       idle
 * idle       the last member left                         (none)
 * idle       none is online here, one is at another node  (none), once that node has it
 * </pre>
 *
 * <p>What goes at QoS 2 to a durable member is {@linkplain HandingOver handed over} to its own
 * queue. To a transient one it stays in flight here, until the client has got it:
 *
 * <pre>
 * in flight  the member has a packet id for it            marked
 * marked     member has got it (PUBREC), or refused it    (none)
 * marked     member gone, PUBLISH has left                (none) [MQTT-4.8.2-5]
 * marked     member gone, PUBLISH has not left            idle
 * </pre>
 *
 * <p>The mark is kept before PUBLISH leaves, and the removal before PUBREL does: so after a
 * restart, which ends the member's session, nobody else gets it. QoS 1 needs no mark: after a
 * restart it is idle again.
 */
final class GroupDelivery {
    /** Deliveries of one call at most. */
    static final int SLICE = 1_000;

    private final GroupAssignment assignment;
    private final GroupQueue queue;
    private final GroupCounts counts;
    private final GroupEffects effects;
    private final PassingOn passing;
    private final HandingOver handing;
    private final Rules rules;
    private boolean isLastWaiting;
    private int inFlight;

    GroupDelivery(
            GroupAssignment assignment,
            GroupQueue queue,
            GroupCounts counts,
            GroupEffects effects,
            PassingOn passing,
            HandingOver handing,
            Rules rules) {
        this.assignment = assignment;
        this.queue = queue;
        this.counts = counts;
        this.effects = effects;
        this.passing = passing;
        this.handing = handing;
        this.rules = rules;
    }

    /** Entries in flight, to members that are offline too. */
    int inFlight() {
        return inFlight;
    }

    // ---------------------------------------------------------------- to members

    /**
     * A message for the group.
     *
     * @param mayDeliver false while it is not known who has what: QoS 1 and 2 wait
     * @return false when it was discarded at once
     */
    boolean publish(Message message, @Nullable Receipt waiting, boolean mayDeliver, long nowMs) {
        isLastWaiting = false;
        if (message.isExpired(nowMs)) {
            return refuse(message, Metric.DROPPED_EXPIRED, waiting);
        }
        if (message.qos == 0) {
            return publishQos0(message, waiting);
        }
        if (queue.isAgain(message, waiting)) {
            return true;
        }
        GroupMember member =
                counts.ready > 0 && mayDeliver && assignment.mayPass(queue.parts(), message)
                        ? assignment.memberFor(message, true)
                        : null;
        if (member == null && counts.online == 0 && counts.keeping == 0) {
            return passing.giveBack(waiting)
                    || passing.passOn(message, waiting)
                    || refuse(message, Metric.DROPPED_SESSION_GONE, waiting);
        }
        if (member == null && isTooLarge(message)) {
            return passing.passOnTooLarge(message, waiting)
                    || refuse(message, Metric.DROPPED_TOO_LARGE, waiting);
        }
        PartQueue part = queue.partOf(message);
        if (member != null) {
            PartEntry entry = part.add(message, member.subscription.qos > 0, waiting);
            send(entry, member);
            part.sentAtOnce(entry);
            return true;
        }
        isLastWaiting = part.admits(message, waiting);
        if (isLastWaiting) {
            part.await(part.add(message, true, waiting));
        }
        return isLastWaiting;
    }

    /** Whether the message that came last waits for a member. */
    boolean isLastWaiting() {
        return isLastWaiting;
    }

    private boolean publishQos0(Message message, @Nullable Receipt waiting) {
        GroupMember member = assignment.memberFor(message, false);
        if (member == null && isTooLarge(message)) {
            return passing.passOnTooLarge(message, waiting)
                    || refuse(message, Metric.DROPPED_TOO_LARGE, waiting);
        }
        if (member == null) {
            return passing.passOn(message, waiting)
                    || refuse(message, Metric.DROPPED_QOS0_OFFLINE, waiting);
        }
        deliver(member, null, message, 0);
        if (waiting != null) {
            effects.answer(waiting);
        }
        return true;
    }

    /** Whether it is too large for members that are online, and waits for no other. */
    private boolean isTooLarge(Message message) {
        return counts.areLimited() && assignment.isTooLarge(message);
    }

    /**
     * Gives another node a message that was taken out of its part, since it is too large for all
     * members that are online here; discards it when no such node is heard.
     *
     * @return false when it must wait for room on the way there
     */
    private boolean endTooLarge(PartEntry entry) {
        if (passing.isTooLargeWanted(entry.content())) {
            return passing.giveTooLarge(entry);
        }
        effects.discarded(entry.message, Metric.DROPPED_TOO_LARGE, 1);
        entry.part.giveUp(entry);
        return true;
    }

    private boolean refuse(Message message, Metric cause, @Nullable Receipt waiting) {
        effects.discarded(message, cause, 1);
        if (waiting != null) {
            effects.answer(waiting);
        }
        return false;
    }

    /**
     * Gives idle entries to members that are ready, a slice of them.
     *
     * @return whether there are more
     */
    boolean drain(long nowMs) {
        for (int sent = 0; counts.ready > 0; sent++) {
            if (sent == SLICE) {
                return true;
            }
            PartEntry next = assignment.takeNext(queue.parts(), nowMs);
            if (next == null) {
                return false;
            }
            GroupMember member = null;
            if (next.content().isExpired(nowMs)) {
                next.part.expire(next);
            } else {
                member = assignment.memberFor(next);
            }
            if (member != null) {
                send(next, member);
            } else if (!next.hasEnded() && !(isTooLarge(next.content()) && endTooLarge(next))) {
                next.part.putBack(next);
                return false;
            }
        }
        return false;
    }

    private void send(PartEntry entry, GroupMember member) {
        Message message = entry.content();
        int qos = Math.min(message.qos, member.subscription.qos);
        if (qos == 0) {
            entry.part.end(entry);
            deliver(member, null, message, 0);
            return;
        }
        entry.sentQos = qos;
        member.credit--;
        counts.settle(member);
        if (qos == 2 && member.session().isDurable()) {
            handing.give(entry, member, message);
            return;
        }
        hasInFlight(member, entry);
        deliver(member, entry, message, qos);
    }

    private void deliver(GroupMember member, @Nullable PartEntry entry, Message message, int qos) {
        effects.deliver(member.subscription, member.attachment, entry, message, qos);
    }

    private void hasInFlight(GroupMember member, PartEntry entry) {
        member.add(entry);
        inFlight++;
    }

    private void takeFrom(GroupMember member, PartEntry entry) {
        member.remove(entry);
        inFlight--;
    }

    // ---------------------------------------------------------------- what a member says of one

    /** It has a packet id for it at QoS 2: nobody else gets it, unless it is never sent. */
    void marked(PartEntry entry, int packetId, Receiver to) {
        entry.part.inFlight(entry, packetId, to);
    }

    /** It has got it at QoS 2 (PUBREC): nobody else ever will. */
    void got(GroupMember member, PartEntry entry) {
        takeFrom(member, entry);
        entry.isGot = true;
        entry.part.end(entry);
    }

    /**
     * It is done with it, and has credit for another.
     *
     * @return false when it has not got it, or was done with it before
     */
    boolean done(GroupMember member, PartEntry entry) {
        if (entry.holder == member) {
            takeFrom(member, entry);
            entry.part.end(entry);
        } else if (!entry.isGot) {
            return false;
        }
        entry.isGot = false;
        member.credit += member.online ? 1 : 0;
        return true;
    }

    /** A member's session ends with an entry: one that never left is for another member. */
    void ends(GroupMember member, PartEntry entry, boolean hasLeft) {
        takeFrom(member, entry);
        if (hasLeft) {
            giveUp(entry);
        } else {
            idleAgain(entry);
        }
    }

    // ---------------------------------------------------------------- what is taken from a member

    /** What a member has in flight without a mark is idle again. */
    void takeBack(GroupMember member) {
        for (PartEntry entry : member.inFlightEntries()) {
            boolean isMarked =
                    entry.receiver != null
                            || entry.sentQos == 2 && !rules.holds(Rule.GROUP_TAKES_BACK);
            if (!isMarked) {
                takeFrom(member, entry);
                idleAgain(entry);
            }
        }
    }

    /** A member is gone, with what it has in flight. */
    void takeAll(GroupMember member) {
        takeBack(member);
        for (PartEntry entry : member.inFlightEntries()) {
            takeFrom(member, entry);
            giveUp(entry);
        }
    }

    /**
     * Takes from members what they have in flight: another node leads it now. What they acknowledge
     * of it counts for their credit alone.
     */
    List<PartEntry> giveUpInFlight(List<GroupMember> members) {
        List<PartEntry> all = new ArrayList<>();
        for (GroupMember member : members) {
            for (PartEntry entry : member.inFlightEntries()) {
                if (entry.isKept()) {
                    takeFrom(member, entry);
                    entry.isGot = true;
                    all.add(entry);
                }
            }
        }
        return all;
    }

    /** The last member has left: QoS 1 that is not acknowledged goes with it, uncounted. */
    void endQos1(GroupMember member) {
        for (PartEntry entry : member.inFlightEntries()) {
            if (entry.sentQos == 1) {
                takeFrom(member, entry);
                entry.part.giveUp(entry);
            }
        }
    }

    /** An entry that a member had is for any again. */
    void idleAgain(PartEntry entry) {
        if (counts.subscribed == 0 && !passing.isPossible()) {
            giveUp(entry);
        } else {
            queue.putBack(entry);
        }
    }

    /** Nobody gets it. */
    void giveUp(PartEntry entry) {
        effects.discarded(entry.message, Metric.DROPPED_SESSION_GONE, 1);
        entry.part.giveUp(entry);
    }

    /**
     * Nobody is left but who completes a handshake: what waits goes, a slice of it.
     *
     * @return whether there is more
     */
    boolean giveUpWaiting() {
        for (int n = 0; n < SLICE; n++) {
            PartQueue part = queue.parts().oldest();
            if (part == null) {
                return false;
            }
            PartEntry head = part.peek();
            part.readAhead();
            if (head == null) {
                return false;
            }
            giveUp(part.take());
        }
        return true;
    }
}

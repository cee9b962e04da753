package io.godwit.core.group;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.CameAgain;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.ShardQueues;
import io.godwit.core.routing.GroupState;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.settings.Rules;
import io.godwit.core.settings.SharedStrategy;
import io.godwit.core.store.Receiver;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One shared-subscription group (MQTT 5.0, 4.8.2): who is a member, what members say, and when the
 * group is over. What waits is its {@link GroupQueue}; who gets which message of it, and what is in
 * flight, its {@link GroupDelivery}. Owned by one shard; all but {@link SharedGroupRef}'s own
 * methods on its thread only.
 *
 * <p>A member is ready when it is online and has credit; one that was granted QoS 0 needs none.
 * Idle entries leave in id order. With {@code hash-client} and {@code hash-topic} they wait for the
 * member of their hash while that is online, even if others have credit: what has the same hash
 * must stay in order. When that member goes, another takes over its hashes with what waits.
 *
 * <p>A message goes to members that take packets of its size (MQTT 5.0, 3.1.2.11.4). When none that
 * is online does, here or at a node that is heard, it waits for those that are offline and may take
 * it; without one it is discarded, so that what waits behind it goes on.
 *
 * <p>The group's queue is durable while any member is. After a change that makes many entries leave
 * or be kept at once, a slice of them does in the same call; while {@link #needsWork}, the owner
 * calls {@link #work} in its next turn.
 */
public final class SharedGroup extends SharedGroupRef {
    private final GroupEffects effects;
    private final GroupMembers members;
    private final GroupCounts counts = new GroupCounts();
    private final LeftInFlight leftInFlight = new LeftInFlight();
    private final GroupQueue queue;
    private final GroupDelivery delivery;
    private final PassingOn passing;
    private final HandingOver handing;
    private final GroupRecovery recovery;
    private boolean needsDrain;

    /**
     * @param filter whole, {@code $share/group/filter}
     * @param owner shard index
     * @param random for {@link SharedStrategy#RANDOM}
     */
    public SharedGroup(
            TopicFilter filter,
            int owner,
            SharedStrategy strategy,
            RandomGenerator random,
            GroupEffects effects,
            ShardQueues queues,
            Rules rules) {
        super(filter, owner);
        this.effects = effects;
        GroupAssignment assignment = GroupAssignment.of(strategy, random, this::endsTooLarge);
        this.members = new GroupMembers(assignment);
        this.queue = new GroupQueue(this, counts, leftInFlight, assignment, effects, queues);
        this.passing = new PassingOn(this, queue, counts, effects);
        this.handing = new HandingOver(effects, rules);
        this.delivery =
                new GroupDelivery(assignment, queue, counts, effects, passing, handing, rules);
        this.recovery = new GroupRecovery(this, queue, leftInFlight, delivery, passing, handing);
    }

    /** The group that an entry is of. */
    public static SharedGroup of(PartEntry entry) {
        return (SharedGroup) ((GroupQueue) entry.part.owner()).group();
    }

    // ---------------------------------------------------------------- members

    /**
     * Its first member is under way, perhaps a durable one, and what is routed meanwhile may come
     * behind it. Publishers wait for that as well: what may come again has to be remembered.
     */
    public void awaitsFirstMember() {
        durable(true);
    }

    /**
     * A session subscribed, or did so again: then the subscription replaces the older one.
     *
     * @param credit how many more messages of QoS 1/2 it may have in flight; counts when online
     * @param attachment the session's number of its connection
     * @param packetBytesMax bytes of the largest packet that it takes
     */
    public void join(
            Subscription s,
            boolean online,
            int credit,
            int attachment,
            int packetBytesMax,
            long nowMs) {
        settle(members.join(s, online, credit, attachment, packetBytesMax));
        work(nowMs);
    }

    /**
     * A session unsubscribed. What is in flight to it stays so [MQTT-3.10.4-3]; when it was the
     * last member, everything else is forgotten.
     */
    public void leave(SessionRef session, long nowMs) {
        GroupMember member = members.get(session);
        if (member == null || member.leaving) {
            return;
        }
        members.leaves(member);
        settle(member);
        forgetIfDone(member);
        endIfEmpty();
        work(nowMs);
    }

    /**
     * A member has a connection. Told again for the same one, as after each SUBSCRIBE, it changes
     * nothing: what is in flight there stays so.
     *
     * @param credit how many more messages of QoS 1/2 it may have in flight
     * @param attachment the session's number of its connection
     * @param packetBytesMax bytes of the largest packet that it takes
     */
    public void online(
            SessionRef session, int credit, int attachment, int packetBytesMax, long nowMs) {
        GroupMember member = members.get(session);
        if (member == null || member.online && member.attachment == attachment) {
            return;
        }
        delivery.takeBack(member); // no harm after offline()
        members.attach(member, true, credit, attachment, packetBytesMax);
        settle(member);
        work(nowMs);
    }

    /** A member's connection ended. */
    public void offline(SessionRef session, long nowMs) {
        GroupMember member = members.get(session);
        if (member == null) {
            return;
        }
        members.attach(member, false, 0, member.attachment, member.packetBytesMax);
        settle(member);
        delivery.takeBack(member);
        forgetIfDone(member);
        queue.onOnline(counts.online);
        work(nowMs);
    }

    /** A member's session ended; its subscription with it. */
    public void gone(SessionRef session, long nowMs) {
        GroupMember member = members.remove(session);
        if (member == null) {
            return;
        }
        settle(member);
        delivery.takeAll(member);
        if (effects.isElsewhere(session)) {
            handing.isElsewhere(session);
        }
        endIfEmpty();
        queue.onOnline(counts.online);
        work(nowMs);
    }

    // ---------------------------------------------------------------- messages

    /**
     * A message for the group.
     *
     * @param waiting whose acknowledgement waits for it, if the group is durable; may be null
     * @return false when it was discarded at once
     */
    public boolean publish(Message message, @Nullable Receipt waiting, long nowMs) {
        boolean isTaken = delivery.publish(message, waiting, leftInFlight.isRead(), nowMs);
        if (delivery.isLastWaiting() && counts.ready > 0) {
            work(nowMs); // It may wait behind what only others can get.
        }
        return isTaken;
    }

    /**
     * A member has done with an entry: acknowledged it, completed its handshake, or refused it with
     * a reason code of 0x80 or above, after which nobody else gets it [MQTT-4.8.2-6].
     */
    public void acked(SessionRef session, PartEntry entry, long nowMs) {
        GroupMember member = members.get(session);
        if (member != null && delivery.done(member, entry)) {
            settle(member);
            forgetIfDone(member);
            work(nowMs);
        }
    }

    /**
     * A transient member has a packet id for an entry at QoS 2: from now on nobody else gets it,
     * unless it is never sent. To be kept before PUBLISH leaves.
     */
    public void marked(SessionRef session, PartEntry entry, int packetId, Receiver to) {
        if (members.holder(session, entry) != null) {
            delivery.marked(entry, packetId, to);
        }
    }

    /**
     * A transient member has got an entry at QoS 2 (PUBREC): nobody else ever will, and the group
     * keeps it no longer. It counts for the member's credit until it is {@link #acked}.
     */
    public void got(SessionRef session, PartEntry entry, long nowMs) {
        GroupMember member = members.holder(session, entry);
        if (member != null) {
            delivery.got(member, entry);
            forgetIfDone(member);
            work(nowMs);
        }
    }

    /**
     * A transient member's session ends with an entry in flight that has a packet id.
     *
     * @param hasLeft PUBLISH has left, or may have
     */
    public void ends(SessionRef session, PartEntry entry, boolean hasLeft, long nowMs) {
        GroupMember member = members.holder(session, entry);
        if (member != null) {
            delivery.ends(member, entry, hasLeft);
            forgetIfDone(member);
            work(nowMs);
        }
    }

    // ---------------------------------------------------------------- what is handed over

    /** The queue of a durable member has an entry, and keeps that. */
    public void appended(HandedOver each, long nowMs) {
        handing.appended(each);
        endIfOver();
        work(nowMs);
    }

    /** The session of a durable member has not appended an entry, and will not. */
    public void notAppended(HandedOver each, long nowMs) {
        if (handing.notAppended(each)) {
            delivery.idleAgain(each.entry);
        }
        handedOverLeft(each, nowMs);
    }

    /** Whether a session's queue has an entry is for another node to say. */
    public void isElsewhere(HandedOver each) {
        handing.isElsewhere(each);
    }

    /** An entry that was handed over has left its client's window: there is room for another. */
    public void handedOverLeft(HandedOver each, long nowMs) {
        SessionRef session = each.session();
        GroupMember member = session == null ? null : members.get(session);
        if (HandingOver.takesCredit(each, member) && member != null) {
            member.credit++;
            settle(member);
        }
        work(nowMs);
    }

    /** The session that an entry was handed over to has ended, and its client never got it. */
    public void givenBack(HandedOver each, Message message, long nowMs) {
        if (handing.notAppended(each)) {
            delivery.idleAgain(each.entry);
            work(nowMs);
        } else {
            publish(message, null, nowMs);
        }
    }

    /**
     * A session's leader has said whether its queue has an entry.
     *
     * @param session null when it is at another node
     */
    public void answered(
            HandedOver each, HandOverAnswer answer, @Nullable SessionRef session, long nowMs) {
        if (session != null) {
            each.session(session);
        }
        switch (answer) {
            case YES -> handing.appended(each);
            case GONE -> handing.gone(each, delivery::giveUp);
            case NO -> {
                if (handing.notAppended(each)) {
                    delivery.idleAgain(each.entry);
                }
            }
            case UNKNOWN -> handing.isUnknown(each);
        }
        endIfOver();
        work(nowMs);
    }

    /** Takes the ids of entries that are under way to durable members. */
    public void handedOver(Consumer<HybridId> taker) {
        handing.forEach(taker);
    }

    // ---------------------------------------------------------------- queues

    /** A QoS 2 message that it may have taken in will not come again. */
    public void forget(int ingressServer, long ingressCounter) {
        queue.forget(ingressServer, ingressCounter);
        endIfOver();
    }

    /**
     * Another node has adopted the copies of this group's queues: the group begins anew, and serves
     * them no more. What has not been acknowledged to its publisher is not lost: what other nodes
     * have sent goes back there, since they may have given it to others meanwhile; of what came in
     * here that node is asked for what it may have of QoS 2, and all else comes here again. To be
     * called when it {@linkplain #isInFlightRead is known} what was in flight.
     */
    public void giveUpQueues(NodeRef taker, long nowMs) {
        List<PartEntry> inFlight = delivery.giveUpInFlight(members.all());
        inFlight.addAll(handing.giveUp());
        inFlight.addAll(passing.giveUp());
        List<CameAgain> again = queue.takeCameAgain();
        for (PartEntry each : queue.giveUp(inFlight)) {
            Message message = each.content();
            Receipt waiting = each.takeWaiting();
            if (waiting != null && goesBack(message, waiting, taker)) {
                continue;
            }
            if (each.holder == null && !each.isGot) {
                publish(message, waiting, nowMs);
            } else {
                Receipt.done(waiting); // A member has it.
            }
        }
        for (CameAgain each : again) {
            Receipt waiting = each.take();
            if (waiting != null && !goesBack(each.message, waiting, taker)) {
                publish(each.message, waiting, nowMs); // A Will of QoS 1, which may come twice.
            }
        }
        members.all().forEach(this::forgetIfDone);
        work(nowMs);
    }

    /** Gives a message to where it came from, or asks the taker of the group's queues for it. */
    private boolean goesBack(Message message, Receipt waiting, NodeRef taker) {
        if (waiting.isOfOtherNode()) {
            waiting.giveBack(filter(), taker.server());
            waiting.targetDone(true);
            return true;
        }
        if (message.qos == 2) {
            waiting.isAgain = true;
            effects.otherNodes().passOnAgain(taker, filter(), message, waiting);
            return true;
        }
        return false;
    }

    /** Whether it is known what an earlier start, or another node, has left in flight. */
    public boolean isInFlightRead() {
        return leftInFlight.isRead();
    }

    /**
     * Whether another node has led its queues, and this message is in them, or was, so that it has
     * come again.
     *
     * @param waiting is told when it is kept, if so
     */
    public boolean hasAdopted(Message message, Receipt waiting) {
        return recovery.isAdopted() && queue.isAgain(message, waiting);
    }

    // ---------------------------------------------------------------- work in slices

    /** Whether {@link #work} is to be called again. */
    public boolean needsWork() {
        return needsDrain || queue.isKeeping();
    }

    /** Keeps what is to be kept and gives idle entries to members that are ready, some of each. */
    public void work(long nowMs) {
        queue.keepSome();
        if (leftInFlight.isRead()) {
            needsDrain = !passing.some(nowMs) && drain(nowMs);
            if (!isDurable() && !isEmpty()) {
                queue.leaveStore();
            }
            endIfOver();
        }
    }

    private boolean drain(long nowMs) {
        return isEmpty() ? delivery.giveUpWaiting() : delivery.drain(nowMs);
    }

    /** What goes from here to other nodes. */
    public PassingOn passing() {
        return passing;
    }

    /** The owner has changed the group, and looks what follows from that. */
    public void changed() {
        effects.changed(this);
    }

    /** Discards what has expired and would go next. Costs nothing while nothing has. */
    public void expire() {
        queue.dropExpiredHeads();
    }

    // ---------------------------------------------------------------- what others ask

    /** No member: nothing is routed to the group any more. */
    public boolean isEmpty() {
        return counts.subscribed == 0;
    }

    /**
     * No member, and nothing in flight: there is nothing of it any more. It goes on while it may be
     * sent again what it has had at QoS 2: by publishers, or by other nodes that don't know who has
     * that, since this node or the one that led its queues is lost.
     */
    public boolean isOver() {
        return isEmpty()
                && inFlight() == 0
                && leftInFlight.isRead()
                && queue.isEmpty()
                && !queue.remembers();
    }

    /** Members, online or not. */
    public int members() {
        return counts.subscribed;
    }

    /** Adds what waits to a sum: messages in memory, their bytes, messages kept, their bytes. */
    public void addTo(long[] sum) {
        queue.addTo(sum);
    }

    /** Idle entries, on disk too. */
    public long waitingMessages() {
        return queue.waitingMessages();
    }

    public long waitingBytes() {
        return queue.waitingBytes();
    }

    /** Bytes of what waits in memory. */
    public long memoryBytes() {
        return queue.memoryBytes();
    }

    /**
     * Counts entries in flight, to members that are offline and to other nodes too, but for those
     * that members' own queues have.
     */
    public int inFlight() {
        return delivery.inFlight() + handing.underWay() + passing.underWay();
    }

    // ---------------------------------------------------------------- inside

    /** A member has changed; with it the group may be durable from now on, or not any more. */
    private void settle(GroupMember member) {
        counts.settle(member);
        GroupState now = counts.state();
        if (!now.equals(state())) {
            state(now);
            effects.stateChanged(this);
        }
        boolean durable = counts.durable > 0;
        if (isDurable() != durable && !isEmpty()) {
            durable(durable);
            if (durable) {
                queue.beginKeeping(members.all());
            }
        }
    }

    private void forgetIfDone(GroupMember member) {
        // While it is read what was in flight it may still turn out to have something.
        if (member.leaving && member.inFlight() == 0 && leftInFlight.isRead()) {
            members.remove(member.session());
            endIfOver();
        }
    }

    /**
     * Whether a message is for others, or for nobody, since no member here that is online takes it.
     */
    private boolean endsTooLarge(Message message) {
        return passing.isTooLargeWanted(message)
                || message.qos == 0
                || !members.mayTakeLater(message);
    }

    /** If nobody is left, what waits goes, and QoS 1 that is not acknowledged. */
    private void endIfEmpty() {
        if (!isEmpty()) {
            return;
        }
        boolean passesOn = passing.isWanted();
        for (GroupMember member : members.all()) {
            if (!passesOn) {
                delivery.endQos1(member);
            }
            forgetIfDone(member);
        }
        queue.putBackAllHeld();
        if (inFlight() == 0 && leftInFlight.isRead() && !passesOn && !queue.remembers()) {
            queue.drop();
        }
        endIfOver();
    }

    private void endIfOver() {
        if (isOver()) {
            durable(false);
            queue.end();
            members.clear();
        }
    }

    // ---------------------------------------------------------------- at start

    /** What an earlier start has left in flight: told and read there. */
    public GroupRecovery recovery() {
        return recovery;
    }

    /** The store has parts of it. */
    void onRecovered() {
        durable(true);
    }

    /** All that was in flight is known: what is idle may go. */
    void onInFlightRead(long nowMs) {
        members.all().forEach(this::forgetIfDone);
        endIfEmpty();
        work(nowMs);
    }
}

package io.godwit.core.group;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.queue.PartOwner;
import io.godwit.core.queue.PartQueue;
import io.godwit.core.queue.ShardQueues;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.SharedGroupRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import io.godwit.core.settings.SharedStrategy;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.QueueDepth;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.Recovery.KeptInFlight;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One shared-subscription group (MQTT 5.0, 4.8.2): who is a member, and who gets which message of
 * its queue, which is 16 {@linkplain PartQueue parts}. Owned by one shard; all but {@link
 * SharedGroupRef}'s own methods on its thread only.
 *
 * <p>An entry (a QoS 1/2 message) is idle, or in flight to one member:
 *
 * <pre>
 * state      trigger                                      next
 * (none)     publish, a member is ready                   in flight
 * (none)     publish, none is ready                       idle; (none) when full or nobody to keep it for
 * idle       a member is ready                            in flight; (none) when it is sent as QoS 0
 * idle       expired                                      (none)
 * in flight  the member has a packet id for it at QoS 2   marked
 * in flight  acked                                        (none)
 * in flight  member offline or gone                       idle
 * marked     member has got it (PUBREC), or refused it    (none)
 * marked     member offline                               marked, waits for it [MQTT-4.8.2-4]
 * marked     member gone, PUBLISH has left                (none) [MQTT-4.8.2-5]
 * marked     member gone, PUBLISH has not left            idle
 * idle       the last member left                         (none)
 * </pre>
 *
 * <p>The mark is kept, with the member, before PUBLISH leaves, and the removal before PUBREL does:
 * so after a restart the handshake goes on with its member, and with nobody else. QoS 1 needs no
 * mark: after a restart it is idle again.
 *
 * <p>A member is ready when it is online and has credit; one that was granted QoS 0 needs none.
 * Idle entries leave in id order. With {@code hash-client} and {@code hash-topic} they wait for the
 * member of their hash while that is online, even if others have credit: what has the same hash
 * must stay in order. When that member goes, another takes over its hashes with what waits.
 *
 * <p>The parts are durable while any member is. After a change that makes many entries leave or be
 * kept at once, a slice of them does in the same call; while {@link #needsWork}, the owner calls
 * {@link #work} in its next turn.
 */
public final class SharedGroup extends SharedGroupRef implements PartOwner {
    /** Deliveries of one call at most. */
    public static final int SLICE = 1_000;

    /** Entries that one call keeps at most: about half a millisecond. */
    static final int KEEP_SLICE = 500;


    /** What the group wants done. Does not call back into the group. */
    public interface Effects {
        /**
         * A message for one member.
         *
         * @param attachment what the member's session gave at {@link #join} or {@link #online}. A
         *     session whose connection is another one by now sends nothing: the group has taken it
         *     back
         * @param entry for {@link #acked} and the like; null when sent as QoS 0
         * @param qos the lower of the message's and the member's [MQTT-4.8.2-3]
         */
        void deliver(
                SharedGroup from,
                Subscription member,
                int attachment,
                @Nullable PartEntry entry,
                Message message,
                int qos);

        /**
         * Messages that nobody gets.
         *
         * @param message null when it was not in memory
         */
        void discarded(@Nullable Message message, Metric cause, int count);

        /**
         * A part has a queue of the store from now on.
         *
         * @return its queue id, new; 0 when there is none, and nothing is kept
         */
        long newQueue(TopicFilter filter, int part);

        /** The store may forget this queue of the group. */
        void removeQueue(TopicFilter filter, long queueId);

        /** Answers for a message that was not taken, when all before it is kept. */
        void answer(Receipt waiting);

        /** {@link #work} has something to do, though nobody has called the group. */
        void onPage(SharedGroup group);

        void onReadFailed(SharedGroup group, Throwable failure);
    }

    private final GroupAssignment assignment;
    private final Effects effects;
    private final ShardQueues queues;
    private final Rules rules;
    private final Map<SessionRef, GroupMember> members = new HashMap<>();
    private final GroupCounts counts = new GroupCounts();
    private final GroupParts parts = new GroupParts();

    private int inFlight;
    private boolean needsDrain;
    private boolean isKeeping;

    /** Parts whose entries in flight have not been read since the start. */
    private int unread;

    /** Message ids of what was in flight at the start. */
    private Set<Long> wasInFlight = Set.of();

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
            Effects effects,
            ShardQueues queues,
            Rules rules) {
        super(filter, owner);
        this.effects = effects;
        this.queues = queues;
        this.rules = rules;
        this.assignment =
                switch (strategy) {
                    case HASH_CLIENT -> new HashAssignment(true);
                    case HASH_TOPIC -> new HashAssignment(false);
                    case ROUND_ROBIN, RANDOM, STICKY, LEAST_IN_FLIGHT ->
                            new SpreadAssignment(strategy, random);
                };
    }

    // ---------------------------------------------------------------- members

    /**
     * A session subscribed, or subscribed again: then the subscription replaces the older one, and
     * the rest stays as it is.
     *
     * @param credit how many more messages of QoS 1/2 it may have in flight; counts when online
     * @param attachment the session's number of its connection
     */
    public void join(Subscription s, boolean online, int credit, int attachment, long nowMs) {
        GroupMember member = members.get(s.session);
        if (member == null) {
            member = new GroupMember(s);
            members.put(s.session, member);
            attach(member, online, credit, attachment);
        } else {
            member.subscription = s;
            if (member.leaving) {
                member.leaving = false;
                if (member.online) {
                    assignment.available(
                            member); // with what it has in flight, and credit for the rest
                } else {
                    attach(member, online, credit, attachment);
                }
            }
        }
        settle(member);
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
        member.leaving = true;
        assignment.unavailable(member);
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
     */
    public void online(SessionRef session, int credit, int attachment, long nowMs) {
        GroupMember member = members.get(session);
        if (member == null || member.online && member.attachment == attachment) {
            return;
        }
        takeBack(member); // no harm after offline()
        attach(member, true, credit, attachment);
        settle(member);
        work(nowMs);
    }

    /** A member's connection ended. */
    public void offline(SessionRef session, long nowMs) {
        GroupMember member = members.get(session);
        if (member == null) {
            return;
        }
        attach(member, false, 0, member.attachment);
        settle(member);
        takeBack(member);
        forgetIfDone(member);
        onMaybeNobodyOnline();
        work(nowMs);
    }

    /** A member's session ended; its subscription with it. */
    public void gone(SessionRef session, long nowMs) {
        GroupMember member = members.remove(session);
        if (member == null) {
            return;
        }
        member.leaving = true;
        assignment.unavailable(member);
        settle(member);
        takeBack(member);
        for (PartEntry entry : member.inFlightEntries()) {
            takeFrom(member, entry);
            drop(entry);
        }
        endIfEmpty();
        onMaybeNobodyOnline();
        work(nowMs);
    }

    /** A member may have more messages in flight than it was told. */
    public void grant(SessionRef session, int credit, long nowMs) {
        GroupMember member = members.get(session);
        if (member != null && member.online) {
            member.credit += credit;
            settle(member);
            work(nowMs);
        }
    }

    // ---------------------------------------------------------------- messages

    /**
     * A message for the group.
     *
     * @param waiting whose acknowledgement waits for it, if the group is durable; may be null
     * @return false when it was discarded at once
     */
    public boolean publish(Message message, @Nullable Receipt waiting, long nowMs) {
        if (message.isExpired(nowMs)) {
            return discard(message, Metric.DROPPED_EXPIRED, waiting);
        }
        if (message.qos == 0) {
            GroupMember member = assignment.memberFor(message, false);
            if (member == null) {
                return discard(message, Metric.DROPPED_QOS0_OFFLINE, waiting);
            }
            deliver(member, null, message, 0);
            if (waiting != null) {
                effects.answer(waiting);
            }
            return true;
        }
        PartQueue known = parts.get(assignment.partOf(message));
        if (known != null && known.isAgain(message, waiting)) {
            return true;
        }
        GroupMember member =
                counts.ready > 0 && !isRecovering() && assignment.mayPass(parts, message)
                        ? assignment.memberFor(message, true)
                        : null;
        if (member == null && counts.online == 0 && counts.keeping == 0) {
            return discard(message, Metric.DROPPED_SESSION_GONE, waiting);
        }
        PartQueue part = part(assignment.partOf(message));
        if (member != null) {
            PartEntry entry = part.add(message, member.subscription.qos > 0, waiting);
            send(entry, member);
            part.sentAtOnce(entry);
            return true;
        }
        if (!part.admits(message, waiting)) {
            return false;
        }
        part.await(part.add(message, true, waiting));
        return true;
    }

    /** Made with its first message. */
    private PartQueue part(int number) {
        PartQueue made = parts.get(number);
        if (made == null) {
            made = new PartQueue(number, this, queues);
            parts.set(number, made);
            if (isDurable()) {
                keep(made, number, List.of());
            }
        }
        return made;
    }

    private boolean discard(Message message, Metric cause, @Nullable Receipt waiting) {
        effects.discarded(message, cause, 1);
        if (waiting != null) {
            effects.answer(waiting);
        }
        return false;
    }

    /**
     * A member has done with an entry: acknowledged it, completed its handshake, or refused it with
     * a reason code of 0x80 or above, after which nobody else gets it [MQTT-4.8.2-6].
     */
    public void acked(SessionRef session, PartEntry entry, long nowMs) {
        GroupMember member = members.get(session);
        boolean has = member != null && entry.holder == member;
        if (!has && !entry.isGot) {
            return;
        }
        entry.isGot = false;
        if (member == null) {
            return;
        }
        if (has) {
            takeFrom(member, entry);
            end(entry);
        }
        if (member.online) {
            member.credit++;
        }
        settle(member);
        forgetIfDone(member);
        work(nowMs);
    }

    /**
     * A member has a packet id for an entry at QoS 2: from now on nobody else gets it, unless it is
     * never sent. To be kept before PUBLISH leaves.
     */
    public void marked(SessionRef session, PartEntry entry, int packetId, Receiver to) {
        GroupMember member = members.get(session);
        if (member != null && entry.holder == member) {
            entry.part.inFlight(entry, packetId, to);
        }
    }

    /**
     * A member has got an entry at QoS 2 (PUBREC): nobody else ever will, and the group keeps it no
     * longer. It counts for the member's credit until it is {@link #acked}.
     */
    public void got(SessionRef session, PartEntry entry, long nowMs) {
        GroupMember member = members.get(session);
        if (member != null && entry.holder == member) {
            takeFrom(member, entry);
            entry.isGot = true;
            end(entry);
            forgetIfDone(member);
            work(nowMs);
        }
    }

    /**
     * A member's session ends with an entry in flight that has a packet id.
     *
     * @param hasLeft PUBLISH has left, or may have
     */
    public void ends(SessionRef session, PartEntry entry, boolean hasLeft, long nowMs) {
        GroupMember member = members.get(session);
        if (member == null || entry.holder != member) {
            return;
        }
        takeFrom(member, entry);
        if (hasLeft || isEmpty()) {
            drop(entry);
        } else {
            putBack(entry);
        }
        forgetIfDone(member);
        work(nowMs);
    }

    // ---------------------------------------------------------------- work in slices

    /** Whether {@link #work} is to be called again. */
    public boolean needsWork() {
        return needsDrain || isKeeping;
    }

    /** Keeps what is to be kept and gives idle entries to members that are ready, some of each. */
    public void work(long nowMs) {
        keepSome();
        needsDrain = false;
        if (isRecovering()) {
            return;
        }
        if (isEmpty()) {
            discardSome();
        } else {
            drain(nowMs);
        }
        leaveStore();
    }

    private void drain(long nowMs) {
        for (int sent = 0; counts.ready > 0; sent++) {
            if (sent == SLICE) {
                needsDrain = true;
                return;
            }
            PartEntry next = assignment.takeNext(parts, nowMs);
            if (next == null) {
                return;
            }
            GroupMember member = null;
            if (next.content().isExpired(nowMs)) {
                next.part.expire(next);
            } else {
                member = assignment.memberFor(next);
            }
            if (member != null) {
                send(next, member);
            } else if (!next.hasEnded()) {
                next.part.putBack(next);
                return;
            }
        }
    }

    /** Nobody is left but who completes a handshake. */
    private void discardSome() {
        for (int n = 0; n < SLICE; n++) {
            PartQueue part = parts.oldest();
            if (part == null) {
                return;
            }
            PartEntry head = part.peek();
            part.readAhead();
            if (head == null) {
                return;
            }
            drop(part.take());
        }
        needsDrain = true;
    }

    private void keepSome() {
        int[] left = {KEEP_SLICE};
        parts.forEach(part -> left[0] -= part.isKeeping() ? part.keepSome(left[0]) : 0);
        boolean[] more = {false};
        parts.forEach(part -> more[0] |= part.isKeeping());
        isKeeping = more[0];
    }

    /** Discards what has expired and would go next. Costs nothing while nothing has. */
    public void expire() {
        parts.forEach(PartQueue::dropExpiredHead);
    }

    // ---------------------------------------------------------------- what others ask

    /** No member: nothing is routed to the group any more. */
    public boolean isEmpty() {
        return counts.subscribed == 0;
    }

    /** No member, and nothing in flight: there is nothing of it any more. */
    public boolean isOver() {
        return isEmpty() && inFlight == 0 && !isRecovering() && waiting() == 0 && parts.isEmpty();
    }

    /** Members, online or not. */
    public int members() {
        return counts.subscribed;
    }

    /** Idle entries, on disk too. */
    public long waiting() {
        return parts.messages() + assignment.held();
    }

    /** Adds what waits to a sum: messages in memory, their bytes, messages kept, their bytes. */
    public void addTo(long[] sum) {
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

    /** Entries in flight, to members that are offline too. */
    public int inFlight() {
        return inFlight;
    }

    // ---------------------------------------------------------------- inside

    private void attach(GroupMember member, boolean online, int credit, int attachment) {
        member.online = online;
        member.credit = online ? credit : 0;
        member.attachment = attachment;
        if (online && !member.leaving) {
            assignment.available(member);
        } else {
            assignment.unavailable(member);
        }
    }

    private void send(PartEntry entry, GroupMember member) {
        Message message = entry.content();
        int qos = Math.min(message.qos, member.subscription.qos);
        if (qos == 0) {
            end(entry);
            deliver(member, null, message, 0);
            return;
        }
        entry.sentQos = qos;
        member.add(entry);
        inFlight++;
        member.credit--;
        settle(member);
        deliver(member, entry, message, qos);
    }

    private void deliver(GroupMember member, @Nullable PartEntry entry, Message message, int qos) {
        effects.deliver(this, member.subscription, member.attachment, entry, message, qos);
    }

    private void takeFrom(GroupMember member, PartEntry entry) {
        member.remove(entry);
        inFlight--;
    }

    /** Makes what a member has in flight without a mark idle again, if anyone is left. */
    private void takeBack(GroupMember member) {
        for (PartEntry entry : member.inFlightEntries()) {
            boolean isMarked =
                    entry.receiver != null
                            || entry.sentQos == 2 && !rules.holds(Rule.GROUP_TAKES_BACK);
            if (isMarked) {
                continue;
            }
            takeFrom(member, entry);
            if (isEmpty()) {
                drop(entry);
            } else {
                putBack(entry);
            }
        }
    }

    private void putBack(PartEntry entry) {
        assignment.putBackHeld(entry.part);
        entry.part.putBack(entry);
    }

    private void drop(PartEntry entry) {
        effects.discarded(entry.message, Metric.DROPPED_SESSION_GONE, 1);
        entry.part.giveUp(entry);
    }

    private void end(PartEntry entry) {
        entry.part.end(entry);
    }

    private void onMaybeNobodyOnline() {
        if (counts.online == 0) {
            parts.forEach(part -> {
                assignment.putBackHeld(part);
                part.onNobodyOnline();
            });
        }
    }

    private void forgetIfDone(GroupMember member) {
        // While it is read what was in flight it may still turn out to have something.
        if (member.leaving && member.inFlight() == 0 && !isRecovering()) {
            members.remove(member.session());
            leaveIfOver();
        }
    }

    /** The last member has left: what waits goes, and QoS 1 that is not acknowledged. */
    private void endIfEmpty() {
        if (!isEmpty()) {
            return;
        }
        for (GroupMember member : List.copyOf(members.values())) {
            for (PartEntry entry : member.inFlightEntries()) {
                if (entry.sentQos == 1) {
                    takeFrom(member, entry);
                    entry.part.giveUp(entry);
                }
            }
            forgetIfDone(member);
        }
        parts.forEach(assignment::putBackHeld);
        if (inFlight == 0 && !isRecovering()) {
            parts.forEach(PartQueue::drop);
        }
        leaveIfOver();
    }

    private void leaveIfOver() {
        if (!isOver()) {
            return;
        }
        durable(false);
        parts.forEach(part -> {
            if (part.queueId() != 0) {
                effects.removeQueue(filter(), part.queueId());
            }
            part.drop();
        });
        parts.clear();
        members.clear();
    }

    private void settle(GroupMember member) {
        counts.settle(member);
        boolean durable = counts.durable > 0;
        if (isDurable() == durable || isEmpty()) {
            return;
        }
        durable(durable);
        if (durable) {
            beginKeeping();
        }
    }

    private void beginKeeping() {
        Map<PartQueue, List<PartEntry>> sent = new HashMap<>();
        for (GroupMember member : members.values()) {
            for (PartEntry entry : member.inFlightEntries()) {
                sent.computeIfAbsent(entry.part, part -> new ArrayList<>()).add(entry);
            }
        }
        for (int i = 0; i < GroupParts.COUNT; i++) {
            PartQueue part = parts.get(i);
            if (part != null) {
                assignment.putBackHeld(part);
                keep(part, i, sent.getOrDefault(part, List.of()));
            }
        }
        isKeeping = true;
    }

    private void keep(PartQueue part, int number, List<PartEntry> sent) {
        long queueId = part.queueId() != 0 ? part.queueId() : effects.newQueue(filter(), number);
        if (queueId != 0) {
            part.beginKeeping(queueId, sent);
        }
    }

    /** What is not durable any more leaves the store when nothing is left there. */
    private void leaveStore() {
        if (isDurable() || isEmpty()) {
            leaveIfOver();
            return;
        }
        parts.forEach(part -> {
            if (part.queueId() != 0 && !part.isInStore() && !part.isKeeping()) {
                effects.removeQueue(filter(), part.queueId());
                part.leaveStore();
            }
        });
    }

    // ---------------------------------------------------------------- at start

    /**
     * It was durable when the broker stopped. Before its members join; nothing is delivered until
     * {@link #recovered}.
     *
     * @param sent what was in flight of this part
     * @param remembered ingress ids of QoS 2 messages that may come again
     */
    public void recover(
            int number,
            QueueDepth depth,
            List<KeptInFlight> sent,
            List<KeptIngress> remembered) {
        PartQueue part = new PartQueue(number, this, queues);
        parts.set(number, part);
        part.restoreAs(depth, remembered);
        durable(true);
        if (!sent.isEmpty()) {
            unread++;
            Set<Long> ids = new HashSet<>(wasInFlight);
            sent.forEach(each -> ids.add(each.id().clock()));
            wasInFlight = ids;
        }
    }

    /** A QoS 2 message that it may have taken in will not come again. */
    public void forget(int ingressServer, long ingressCounter) {
        parts.forEach(part -> part.forget(ingressServer, ingressCounter));
    }

    public boolean hasPart(int number) {
        return parts.get(number) != null;
    }

    /** Reads what was in flight of one part; see {@link #recovered}. */
    public void readInFlight(int number, long after, PartQueue.InFlightTaker taker) {
        PartQueue part = parts.get(number);
        if (part != null) {
            part.readInFlight(after, taker);
        }
    }

    /** What members had in flight is still being read. */
    public boolean isRecovering() {
        return unread > 0;
    }

    /**
     * An entry was in flight.
     *
     * @param session who has it; null when that session has ended: then the entry ends, too
     */
    public void recovered(PartEntry entry, @Nullable SessionRef session, KeptInFlight as) {
        if (session == null) {
            drop(entry);
            return;
        }
        GroupMember member = members.get(session);
        if (member == null) {
            // It has unsubscribed since, and completes the handshake.
            member =
                    new GroupMember(
                            new Subscription(
                                    session, filter(), 2, false, as.to().retain(), as.to().ids()));
            member.leaving = true;
            members.put(session, member);
        }
        entry.packetId = as.packetId();
        entry.receiver = as.to();
        entry.sentQos = 2;
        member.add(entry);
        inFlight++;
    }

    /** One part more was read; with the last of them what is idle may go. */
    public void recovered(long nowMs) {
        unread--;
        if (unread == 0) {
            List.copyOf(members.values()).forEach(this::forgetIfDone);
            endIfEmpty();
            work(nowMs);
        }
    }

    // ---------------------------------------------------------------- what its parts ask

    @Override
    public boolean isOnline() {
        return counts.online > 0;
    }

    @Override
    public boolean isInFlightRead() {
        return !isRecovering();
    }

    @Override
    public boolean wasInFlight(long messageId) {
        return wasInFlight.contains(messageId);
    }

    @Override
    public long waitingMessages() {
        return waiting();
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
    public void onPage() {
        effects.onPage(this);
    }

    @Override
    public void onReadFailed(Throwable failure) {
        effects.onReadFailed(this, failure);
    }

    @Override
    public void onDropped(Metric cause, @Nullable Message message, int count) {
        effects.discarded(message, cause, count);
    }
}

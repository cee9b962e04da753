package io.godwit.core.routing;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.SharedStrategy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one shared-subscription group (MQTT 5.0, 4.8.2) and who gets its messages. Owned by
 * one shard; all but {@link SharedGroupRef}'s own methods on its thread only.
 *
 * <p>An entry (a QoS 1/2 message) is idle, or in flight to one member:
 *
 * <pre>
 * state      trigger                                      next
 * (none)     publish, a member is ready                   in flight
 * (none)     publish, none is ready                       idle; (none) when full or nobody to keep it for
 * idle       a member is ready                            in flight; (none) when it is sent as QoS 0
 * idle       expired                                      (none)
 * in flight  acked                                        (none)
 * in flight  returned                                     idle
 * in flight  member offline or gone, sent as QoS 1        idle
 * in flight  member offline, sent as QoS 2                in flight, waits for it [MQTT-4.8.2-4]
 * in flight  member gone, sent as QoS 2                   (none) [MQTT-4.8.2-5]
 * any        the last member left                         (none)
 * </pre>
 *
 * <p>A member is ready when it is online and has credit; one that was granted QoS 0 needs none.
 * Idle entries leave in id order. With {@code hash-client} and {@code hash-topic} they wait for the
 * member of their hash while that is online, even if others have credit: what has the same hash
 * must stay in order. When that member goes, another takes over its hashes with what waits.
 *
 * <p>While any member is durable the entries are kept with the {@link GroupStore}, too.
 *
 * <p>An entry that came back from a member may have reached that client: QoS 1 is at least once.
 * After a change that makes many entries leave at once, at most {@link #SLICE} leave in the same
 * call; while {@link #needsDrain}, the owner calls {@link #drain} in its next turn.
 */
public final class SharedGroup extends SharedGroupRef {
    /** Entry id of a message that nobody acknowledges: it is sent as QoS 0. */
    public static final long NO_ENTRY = 0;

    /** Deliveries of one call at most. */
    public static final int SLICE = 1_000;

    /** What the group wants done. Does not call back into the group. */
    public interface Effects {
        /**
         * A message for one member.
         *
         * @param attachment what the member's session gave at {@link #join} or {@link #online}. A
         *     session whose connection is another one by now sends nothing: it ignores QoS 0 and 1
         *     (the group has taken QoS 1 back) and answers QoS 2 with {@link #returned}
         * @param entryId for {@link #acked}; {@link #NO_ENTRY} when sent as QoS 0
         * @param server of the entry's message id; 0 when the group is not durable
         * @param qos the lower of the message's and the member's [MQTT-4.8.2-3]
         */
        void deliver(
                SharedGroup from,
                Subscription member,
                int attachment,
                long entryId,
                int server,
                Message message,
                int qos);

        /** A message that nobody gets. */
        void discarded(Message message, Metric cause);
    }

    private final GroupAssignment assignment;
    private final int waitingMax;
    private final Effects effects;
    private final Map<SessionRef, GroupMember> members = new HashMap<>();
    private final GroupCounts counts = new GroupCounts();
    private final GroupBacklog backlog;
    private final GroupRows rows;

    private long lastId;
    private long recoversUpTo;
    private int inFlight;
    private boolean needsDrain;

    /**
     * @param filter whole, {@code $share/group/filter}
     * @param owner shard index
     * @param waitingMax {@code limits.group-queue-messages}
     * @param random for {@link SharedStrategy#RANDOM}
     */
    public SharedGroup(
            TopicFilter filter,
            int owner,
            SharedStrategy strategy,
            int waitingMax,
            RandomGenerator random,
            Effects effects,
            GroupStore store) {
        super(filter, owner);
        this.rows = new GroupRows(store);
        this.waitingMax = waitingMax;
        this.effects = effects;
        this.assignment =
                switch (strategy) {
                    case HASH_CLIENT -> new HashAssignment(true);
                    case HASH_TOPIC -> new HashAssignment(false);
                    case ROUND_ROBIN, RANDOM, STICKY, LEAST_IN_FLIGHT ->
                            new SpreadAssignment(strategy, random);
                };
        this.backlog = new GroupBacklog(assignment);
    }

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
        drain(nowMs);
    }

    /**
     * A session unsubscribed. What is in flight to it stays so [MQTT-3.10.4-3]; when it was the
     * last member, everything is forgotten.
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
        forgetAllIfEmpty();
        drain(nowMs);
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
        takeBack(member, 1); // no harm after offline()
        attach(member, true, credit, attachment);
        settle(member);
        drain(nowMs);
    }

    /** A member's connection ended. */
    public void offline(SessionRef session, long nowMs) {
        GroupMember member = members.get(session);
        if (member == null) {
            return;
        }
        attach(member, false, 0, member.attachment);
        settle(member);
        takeBack(member, 1);
        forgetIfDone(member);
        drain(nowMs);
    }

    /** A member's session ended; its subscription with it. */
    public void gone(SessionRef session, long nowMs) {
        GroupMember member = members.remove(session);
        if (member == null) {
            return;
        }
        member.leaving = true;
        rows.gone(session);
        assignment.unavailable(member);
        settle(member);
        takeBack(member, 1);
        for (GroupEntry entry : member.inFlight.removeAll(2)) {
            inFlight--;
            rows.remove(entry);
            effects.discarded(entry.message, Metric.DROPPED_SESSION_GONE);
        }
        forgetAllIfEmpty();
        drain(nowMs);
    }

    /** A member may have more messages in flight than it was told. */
    public void grant(SessionRef session, int credit, long nowMs) {
        GroupMember member = members.get(session);
        if (member != null && member.online) {
            member.credit += credit;
            settle(member);
            drain(nowMs);
        }
    }

    /**
     * A message for the group.
     *
     * @return false when it was discarded at once
     */
    public boolean publish(Message message, long nowMs) {
        if (message.isExpired(nowMs)) {
            return discard(message, Metric.DROPPED_EXPIRED);
        }
        if (message.qos == 0) {
            GroupMember member = assignment.memberFor(message, false);
            if (member == null) {
                return discard(message, Metric.DROPPED_QOS0_OFFLINE);
            }
            deliver(member, NO_ENTRY, 0, message, 0);
            return true;
        }
        GroupQueue queue = assignment.queueOf(message);
        GroupMember member =
                counts.ready > 0 && queue.isEmpty() && !rows.isReading()
                        ? assignment.memberFor(message, true)
                        : null;
        if (member != null) {
            GroupEntry entry = entry(message);
            if (member.subscription.qos > 0) {
                rows.keep(entry);
            }
            send(entry, member);
            return true;
        }
        if (counts.online == 0 && counts.keeping == 0) {
            return discard(message, Metric.DROPPED_SESSION_GONE);
        }
        if (isFull()) {
            expire(nowMs);
        }
        if (isFull()) {
            return discard(message, Metric.DROPPED_GROUP_FULL);
        }
        GroupEntry entry = entry(message);
        rows.keep(entry);
        backlog.add(entry);
        return true;
    }

    private boolean isFull() {
        return backlog.messages() + rows.unread() >= waitingMax;
    }

    private GroupEntry entry(Message message) {
        lastId = Math.max(lastId + 1, rows.nextMessageId());
        return new GroupEntry(lastId, message);
    }

    /**
     * A member has done with an entry: acknowledged it, or refused it with a reason code of 0x80 or
     * above, after which nobody else gets it [MQTT-4.8.2-6].
     */
    public void acked(SessionRef session, long entryId, long nowMs) {
        GroupEntry entry = takeFrom(session, entryId);
        if (entry == null) {
            rows.done(entryId);
        } else {
            rows.remove(entry);
            drain(nowMs);
        }
    }

    /**
     * A member has got an entry at QoS 2 (PUBREC): nobody else ever will, and the group keeps it no
     * longer. It counts as in flight until it is {@link #acked}.
     */
    public void released(SessionRef session, long entryId) {
        GroupMember member = members.get(session);
        GroupEntry entry = member == null ? null : member.inFlight.get(entryId);
        if (entry == null) {
            rows.done(entryId);
        } else {
            rows.remove(entry);
        }
    }

    /** A member gives back an entry that it has not sent. */
    public void returned(SessionRef session, long entryId, long nowMs) {
        GroupEntry entry = takeFrom(session, entryId);
        if (entry != null) {
            backlog.putBack(entry);
            drain(nowMs);
        }
    }

    /** Discards idle entries that have expired. Costs nothing while none is due. */
    public void expire(long nowMs) {
        backlog.expire(
                nowMs,
                entry -> {
                    rows.remove(entry);
                    effects.discarded(entry.message, Metric.DROPPED_EXPIRED);
                });
    }

    /** Whether {@link #drain} is to be called again. */
    public boolean needsDrain() {
        return needsDrain;
    }

    /** Gives idle entries to members that are ready, {@link #SLICE} at most. */
    public void drain(long nowMs) {
        needsDrain = false;
        if (rows.isReading()) {
            return;
        }
        for (int sent = 0; backlog.messages() > 0 && counts.ready > 0; sent++) {
            GroupQueue queue = assignment.nextQueue();
            GroupEntry head = queue == null ? null : queue.peek();
            if (queue == null || head == null) {
                return;
            }
            if (sent == SLICE) {
                needsDrain = true;
                return;
            }
            if (head.message.isExpired(nowMs)) {
                backlog.remove(queue, head);
                rows.remove(head);
                effects.discarded(head.message, Metric.DROPPED_EXPIRED);
                continue;
            }
            GroupMember member = assignment.memberFor(head.message, true);
            if (member == null) {
                return;
            }
            backlog.remove(queue, head);
            send(head, member);
        }
    }

    /** No member: the group can be removed. */
    public boolean isEmpty() {
        return counts.subscribed == 0;
    }

    /** Members, online or not. */
    public int members() {
        return counts.subscribed;
    }

    /** Idle entries. */
    public int waiting() {
        return backlog.messages();
    }

    /** {@link Message#accountedBytes} of the idle entries. */
    public long waitingBytes() {
        return backlog.bytes();
    }

    /** Entries in flight, to members that are offline too. */
    public int inFlight() {
        return inFlight;
    }

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

    private void send(GroupEntry entry, GroupMember member) {
        int qos = Math.min(entry.message.qos, member.subscription.qos);
        if (qos == 0) {
            rows.remove(entry);
            deliver(member, NO_ENTRY, 0, entry.message, 0);
            return;
        }
        putInFlight(entry, member, qos);
        member.credit--;
        settle(member);
        deliver(member, entry.id, entry.server(), entry.message, qos);
    }

    private void putInFlight(GroupEntry entry, GroupMember member, int qos) {
        entry.qos = qos;
        member.inFlight.put(entry);
        inFlight++;
    }

    private void deliver(GroupMember member, long entryId, int server, Message message, int qos) {
        effects.deliver(
                this, member.subscription, member.attachment, entryId, server, message, qos);
    }

    /** Removes an entry from those in flight to a session; null when it is not. */
    private @Nullable GroupEntry takeFrom(SessionRef session, long entryId) {
        GroupMember member = members.get(session);
        GroupEntry entry = member == null ? null : member.inFlight.remove(entryId);
        if (member == null || entry == null) {
            return null;
        }
        inFlight--;
        if (member.online) {
            member.credit++;
        }
        settle(member);
        forgetIfDone(member);
        return entry;
    }

    /** Makes what is in flight to a member at a QoS idle again, if anyone is left. */
    private void takeBack(GroupMember member, int qos) {
        List<GroupEntry> entries = member.inFlight.removeAll(qos);
        inFlight -= entries.size();
        if (isEmpty()) {
            entries.forEach(this::discardGone);
        } else {
            entries.forEach(backlog::putBack);
        }
    }

    private void discardGone(GroupEntry entry) {
        rows.remove(entry);
        effects.discarded(entry.message, Metric.DROPPED_SESSION_GONE);
    }

    private boolean discard(Message message, Metric cause) {
        effects.discarded(message, cause);
        return false;
    }

    private void forgetIfDone(GroupMember member) {
        // While rows are read it may still turn out to have something in flight.
        if (member.leaving && member.inFlight.size() == 0 && !rows.isReading()) {
            members.remove(member.session());
        }
    }

    private void forgetAllIfEmpty() {
        if (!isEmpty()) {
            return;
        }
        backlog.clear(this::discardGone);
        members.clear();
        inFlight = 0;
    }

    private void settle(GroupMember member) {
        counts.settle(member);
        boolean durable = counts.durable > 0;
        if (isDurable() == durable) {
            return;
        }
        if (durable) {
            rows.begin(this, entries());
        } else {
            rows.end(this, entries());
        }
        durable(durable, rows.queueId());
    }

    /** In id order. */
    private List<GroupEntry> entries() {
        List<GroupEntry> entries = new ArrayList<>();
        backlog.forEach(entries::add);
        members.values().forEach(member -> member.inFlight.forEach(entries::add));
        entries.sort(Comparator.comparingLong(entry -> entry.id));
        return entries;
    }

    // ---------------------------------------------------------------- at start

    /**
     * It was durable when the broker stopped. Before its members join; nothing is delivered until
     * {@link #recovered()}.
     *
     * @param rowsKept in its queue
     * @param lastMessageId the highest that its queue ever had
     */
    public void recover(long queueId, long rowsKept, long lastMessageId) {
        lastId = lastMessageId;
        recoversUpTo = lastMessageId;
        rows.recovered(queueId, rowsKept);
        durable(true, queueId);
    }

    /** Rows above this message id were appended since the start, and are here already. */
    public long recoversUpTo() {
        return recoversUpTo;
    }

    /** Its rows are still being read. */
    public boolean isRecovering() {
        return rows.isReading();
    }

    /** A member's queue has a row of it. @param released PUBREC came */
    public void recoverLent(SessionRef member, long entryId, boolean released) {
        rows.lent(member, entryId, released);
    }

    /** A row of its queue. After all that was lent is known. */
    public void recoverRow(long entryId, int server, Message message, @Nullable Object note) {
        GroupEntry entry = rows.read(entryId, server, message, note);
        if (entry == null) {
            return;
        }
        SessionRef lentTo = rows.lentTo(entryId);
        GroupMember member = lentTo == null ? null : members.get(lentTo);
        if (member == null) {
            backlog.putBack(entry);
        } else {
            putInFlight(entry, member, 2);
        }
    }

    /** Every row was read: what is idle may go. */
    public void recovered(long nowMs) {
        rows.read();
        List.copyOf(members.values()).forEach(this::forgetIfDone);
        expire(nowMs);
        drain(nowMs);
    }
}

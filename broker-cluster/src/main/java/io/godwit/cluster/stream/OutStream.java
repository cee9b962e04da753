package io.godwit.cluster.stream;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.ReceiptListener;
import io.godwit.core.message.PassingMessage;
import io.godwit.core.packet.ReasonCode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What one shard tells one other node, in order. A record is kept until the node has answered for
 * it. When a link to the same start of the node is back, all that is not answered is sent again, by
 * position; to another start with the mark <i>again</i>, but for what was to come at most once.
 *
 * <pre>
 * first .......... offered .......... last
 *   kept, offered on   |  kept, not yet
 *   the present link
 * </pre>
 *
 * <p>Owned by the shard that it comes from.
 */
public final class OutStream {
    private final int number;
    private final TrafficClass traffic;
    private final StreamRoom room;
    private final Runnable whenToFlush;
    private final OutEntries kept;

    /** Position of the last {@link StreamRecord.RedirectedEnd}; 0: there was none. */
    private long redirectedEnd;

    private final AwaitedAnswers awaited = new AwaitedAnswers();
    private final OtherMembers others;

    /** Position of the last that was offered on the present link. */
    private long offered;

    /** The same on any link: an earlier start of the node may have it. */
    private long everOffered;

    /** Of the one before, as the receiver will have seen it. */
    private long chain;

    private @Nullable NodeStart target;
    private volatile @Nullable PeerLink link;

    /** Whether the present link was told where the stream begins. */
    private boolean isOpen;

    private volatile boolean away;

    /** Messages for transient subscribers that were dropped, and not counted yet. */
    private long dropped;

    private final FullElsewhere full = new FullElsewhere();

    /**
     * Server id of the node that has taken over the queues of the node's groups, and the last
     * position when that was heard; 0: none has, or the node was heard since.
     */
    private int groupsTaker;

    private long groupsTakenUpTo;

    /** Whether the node does not belong to the cluster. */
    private boolean isForgotten;

    /** Records that enter slots and are kept. */
    private int enters;

    /** Slots that were entered by records which are not kept any more. */
    private final BitSet entered = new BitSet(0);

    /**
     * @param spares of the shard
     * @param others get what was for members of shared groups who have ended with the node
     * @param whenToFlush asks for {@link #flush} at the end of the turn
     */
    public OutStream(
            int number,
            StreamRoom.Account account,
            SpareChunks spares,
            OtherMembers others,
            Runnable whenToFlush) {
        this.others = others;
        this.number = number;
        this.kept = new OutEntries(spares);
        this.traffic = StreamMessages.batch(number).traffic();
        this.whenToFlush = whenToFlush;
        this.room = new StreamRoom(account, this::linkTakesMore);
    }

    // ---------------------------------------------------------------- what is added

    /** Whether it is the one of filters, leaders and what is retained. */
    public boolean isShared() {
        return number == StreamName.SHARED;
    }

    /** Whether it has a link; any thread asks. */
    public boolean isUp() {
        return link != null;
    }

    /**
     * Adds a record; it leaves at the end of the turn.
     *
     * @param receipt told already that this one is awaited; null when nobody waits
     * @param once it must not come twice: it is not sent to another start of the node
     * @param lenient the receipt is not to wait while nobody hears of the node
     * @param again it may have come before
     * @return its position
     */
    public long add(
            StreamRecord record,
            @Nullable Receipt receipt,
            boolean once,
            boolean lenient,
            boolean again) {
        if (record instanceof StreamRecord.Publish publish
                && !lenient
                && !again
                && RecordChunk.mayTake(publish.message())) {
            count(kept.add(publish, receipt, once));
        } else {
            OutEntry added = new OutEntry(record, receipt, once, lenient, again);
            count(kept.add(added));
            enters += record instanceof StreamRecord.Enter ? 1 : 0;
            if (away && lenient) {
                added.release();
            }
        }
        flushSoon();
        return kept.last();
    }

    /**
     * Adds a message that passes through this node; the same as {@link #add} of a publish.
     *
     * @param receipt null of QoS 0
     */
    public void add(PassingMessage message, @Nullable Receipt receipt) {
        count(kept.add(message, receipt));
        flushSoon();
    }

    /**
     * Notes that what was added last is only for subscribers whose sessions end with their node: it
     * is dropped when the node is away, or has started anew and may have had it.
     */
    public void lastIsForTransient() {
        kept.lastIsForTransient();
    }

    /**
     * Keeps what was added last, of QoS 2, and all behind it, from leaving.
     *
     * @return lets it go
     */
    public Runnable hold() {
        OutEntry entry = kept.entry(kept.last());
        if (entry == null) {
            throw new IllegalStateException("what is written already leaves");
        }
        entry.held = true;
        return () -> {
            entry.held = false;
            flushSoon();
        };
    }

    /** Position of the last that was added. */
    public long last() {
        return kept.last();
    }

    /** Whether everything up to there is answered. */
    public boolean isAnswered(long position) {
        return position < kept.first();
    }

    /** Runs a task once everything up to there is answered, or the node is away. */
    public void whenAnswered(long position, Runnable task) {
        if (away || position < kept.first()) {
            task.run();
            return;
        }
        awaited.orAway(position, task);
    }

    /** Whether this one is answered, whatever was before it. */
    public boolean isAnsweredAlone(long position) {
        return position < kept.first() || kept.isDone(position);
    }

    /**
     * Runs a task once this one is answered, or the node is away. One that nobody there is to have
     * is answered when it is handled, and so is by then what was before it.
     */
    public void whenAnsweredAlone(long position, Runnable task) {
        if (away || isAnsweredAlone(position)) {
            task.run();
            return;
        }
        awaited.aloneOrAway(position, task);
    }

    /** Runs a task once everything up to there is answered, however long the node was away. */
    public void whenAnsweredAtLast(long position, Runnable task) {
        if (position < kept.first()) {
            task.run();
            return;
        }
        awaited.atLast(position, task);
    }

    /**
     * Adds the connections of publishers whose messages the node has not answered, of some records;
     * with the last also of publishers that wait for room.
     *
     * @param from position of the first that is looked at
     * @param most records that are looked at
     * @return the next position; 0 when there is no more
     */
    public long addWaiting(Set<ReceiptListener> to, long from, int most) {
        long at = Math.max(from, kept.first());
        long end = Math.min(kept.last(), at + most - 1);
        for (; at <= end; at++) {
            Receipt receipt = kept.receipt(at);
            ReceiptListener connection = receipt == null ? null : receipt.original().connection;
            if (connection != null) {
                to.add(connection);
            }
        }
        if (at <= kept.last()) {
            return at;
        }
        room.addWaiting(to);
        return 0;
    }

    private void count(long change) {
        room.count(change, kept.unused());
    }

    private boolean linkTakesMore() {
        PeerLink to = link;
        return to == null || to.hasRoom(traffic);
    }

    /** The room that there is for more. */
    public StreamRoom room() {
        return room;
    }

    /** Asks for a flush; not for a forgotten node, whose messages may come back here at once. */
    private void flushSoon() {
        if (!isForgotten) {
            whenToFlush.run();
        }
    }

    // ---------------------------------------------------------------- links

    /**
     * @return whether it is the first link to this start of the node: that knows nothing
     */
    public boolean onUp(PeerLink opened) {
        boolean isNew = !opened.peer().equals(target);
        link = opened;
        isForgotten = false;
        room.lookAgain();
        target = opened.peer();
        away = false;
        full.clear();
        if (isNew) {
            giveTaken();
            for (long at = kept.first(); at <= Math.min(kept.last(), everOffered); at++) {
                boolean ends = kept.goesAnew(at);
                if (ends && kept.isForTransient(at)) {
                    drop(at);
                } else if (ends) {
                    done(at, ReasonCode.SUCCESS);
                }
            }
        }
        groupsTakenUpTo = 0;
        forgetDone(0);
        if (isNew) {
            enterAnew();
        }
        open(opened);
        flushSoon();
        return isNew;
    }

    /**
     * Another node has taken over the queues of the node's groups, and the node is not heard: what
     * was sent until now is for that one, if the node starts anew. If it goes on, it gives that
     * back itself.
     *
     * @param taker server id
     */
    public void groupsTaken(int taker) {
        groupsTaker = taker;
        groupsTakenUpTo = kept.last();
    }

    private void giveTaken() {
        for (long at = kept.first(); at <= Math.min(kept.last(), groupsTakenUpTo); at++) {
            OutEntry entry = kept.entry(at);
            if (entry != null && entry.isForGroups() && !entry.done) {
                boolean hasLeft = at <= everOffered || entry.again;
                if (entry.giveAllBack(hasLeft, groupsTaker, others)) {
                    done(at, ReasonCode.SUCCESS);
                }
            }
        }
    }

    /** The new start counts its take-overs anew. */
    private void enterAnew() {
        for (long at = kept.first(); enters > 0 && at <= kept.last(); at++) {
            StreamRecord.Enter enter = enter(at);
            if (enter != null) {
                enters(at, 0, enter.slots());
            }
        }
    }

    /** Tells a link where the stream begins; {@link #flush} does so when it has no room now. */
    private void open(PeerLink to) {
        offered = kept.first() - 1;
        chain = kept.first() - 1;
        isOpen = to.offer(opening());
    }

    private StreamOpen opening() {
        if (enters == 0 && entered.isEmpty()) {
            return new StreamOpen(number, kept.first() - 1);
        }
        return new StreamOpen(number, kept.first() - 1, (BitSet) entered.clone(), enteredLater());
    }

    /** Slots that are entered by a record which is kept, and were not before. */
    private BitSet enteredLater() {
        BitSet later = new BitSet(0);
        for (long at = kept.first(); enters > 0 && at <= kept.last(); at++) {
            StreamRecord.Enter enter = enter(at);
            if (enter != null) {
                later.or(enter.slots());
            }
        }
        later.andNot(entered);
        return later;
    }

    private StreamRecord.@Nullable Enter enter(long position) {
        OutEntry entry = enters == 0 ? null : kept.entry(position);
        return entry != null && entry.record instanceof StreamRecord.Enter enter ? enter : null;
    }

    private void enters(long position, int takeover, BitSet slots) {
        Objects.requireNonNull(kept.entry(position)).record =
                new StreamRecord.Enter(takeover, slots);
    }

    /** Another node has taken over slots from this one: what follows is not for them. */
    public void leave(BitSet slots) {
        entered.andNot(slots);
        for (long at = kept.first(); enters > 0 && at <= kept.last(); at++) {
            StreamRecord.Enter enter = enter(at);
            if (enter != null) {
                BitSet left = (BitSet) enter.slots().clone();
                left.andNot(slots);
                enters(at, enter.takeover(), left);
            }
        }
    }

    // ---------------------------------------------------------------- a node that is gone

    /**
     * Shows what is not answered and for durable sessions of some slots at the node, in order. What
     * stands before a record that enters slots is not for these.
     */
    public void showForSessions(BitSet slots, Consumer<UnansweredMessage> to) {
        BitSet open = (BitSet) slots.clone();
        open.andNot(enteredLater());
        for (long at = kept.first(); at <= kept.last(); at++) {
            StreamRecord.Enter enter = enter(at);
            if (enter != null) {
                open = (BitSet) open.clone();
                open.or(enter.slots());
                open.and(slots);
            }
            UnansweredMessage message = kept.forSessions(at, open);
            if (message != null && !message.slots().isEmpty()) {
                to.accept(message);
            }
        }
    }

    /**
     * Others lead what the node led, and have what was for its sessions: nobody waits for it. What
     * is for its shared groups goes on to wait, and what is said of filters. What is said in a
     * stream of publishes is not: it would keep what is behind it from being answered.
     */
    public void settle() {
        for (long at = kept.first(); at <= kept.last(); at++) {
            boolean ends =
                    number == StreamName.SHARED
                            ? kept.isForSessionsAlone(at)
                            : !kept.isForGroups(at);
            if (ends && !kept.isDone(at)) {
                done(at, ReasonCode.SUCCESS);
            }
        }
        forgetDone(0);
        room.tellAll();
    }

    /**
     * Another node has adopted what waits in the shared groups of this one, which is gone: what
     * they have not answered goes to other members.
     *
     * @param taken takes messages of QoS 2 that the node may have taken in
     */
    public void giveGroups(Consumer<UnansweredForGroups> taken) {
        long last = kept.last(); // What is given may come here again.
        for (long at = kept.first(); at <= last; at++) {
            OutEntry entry = kept.entry(at);
            if (entry == null || entry.done || !entry.isForGroups()) {
                continue;
            }
            boolean hasLeft = at <= everOffered || entry.again;
            if (!entry.giveBack(hasLeft)) {
                UnansweredForGroups left = entry.giveToGroups(hasLeft, others);
                if (left != null) {
                    taken.accept(left);
                }
            }
            done(at, ReasonCode.SUCCESS);
        }
        forgetDone(0);
        room.tellAll();
    }

    /** The link has ended. */
    public void onDown(PeerLink ended) {
        if (link == ended) {
            link = null;
            room.lookAgain();
            full.clear();
            room.tell(); // It was the link that took no more.
        }
    }

    /**
     * Nobody hears of the node any more: nobody waits for it who need not, and what it has for
     * subscribers alone whose sessions end with it is dropped.
     */
    public void away() {
        away = true;
        full.clear();
        for (long at = kept.first(); at <= kept.last(); at++) {
            OutEntry entry = kept.entry(at);
            if (entry != null && entry.lenient) {
                entry.release();
            }
            if (kept.isForTransient(at)) {
                drop(at);
            }
        }
        forgetDone(0);
        awaited.away();
        room.tellAll();
    }

    /** Drops what is for sessions that may have ended; what other members can have goes to them. */
    private void drop(long position) {
        OutEntry entry = kept.entry(position);
        boolean hasLeft = position <= everOffered || entry != null && entry.again;
        boolean isElsewhere =
                entry != null && (entry.giveBack(hasLeft) || entry.give(hasLeft, others));
        dropped += isElsewhere ? 0 : 1;
        done(position, ReasonCode.SUCCESS);
    }

    /** Messages for transient subscribers that were dropped since this was called. */
    public long takeDropped() {
        long count = dropped;
        dropped = 0;
        return count;
    }

    /**
     * The node is forgotten: nothing of this is sent any more, and nobody waits for it. What is for
     * shared groups there goes to other members: nobody has taken its groups over, who would have
     * it.
     *
     * @return messages of QoS 1 and 2 that were dropped
     */
    public long forget() {
        long dropped = 0;
        away = true;
        full.clear();
        long last = kept.last(); // What is given may come here again.
        for (long at = kept.first(); at <= last; at++) {
            OutEntry entry = kept.entry(at);
            boolean isOpen = kept.isOpenMessage(at);
            boolean isGiven = isOpen && entry != null && entry.giveAway(others);
            dropped += isOpen && !isGiven ? 1 : 0;
            done(at, ReasonCode.SUCCESS);
        }
        isForgotten = true;
        forgetDone(0);
        awaited.away();
        room.tellAll();
        return dropped;
    }

    /** Whether records are kept. */
    public boolean hasKept() {
        return kept.last() >= kept.first();
    }

    /** It is heard again, on the same link. */
    public void heard() {
        away = false;
        groupsTakenUpTo = 0;
    }

    /** Whether nobody hears of the node any more; any thread asks. */
    public boolean isAway() {
        return away;
    }

    /**
     * Takes out what something newer takes the place of.
     *
     * @return tasks that waited for any of it: they wait for what takes its place
     */
    public List<Runnable> takeOut(Predicate<StreamRecord> which) {
        List<Runnable> waiting = new ArrayList<>(0);
        for (long at = kept.first(); at <= kept.last(); at++) {
            OutEntry entry = kept.entry(at);
            if (entry != null && !entry.done && which.test(entry.record)) {
                waiting.addAll(awaited.remove(at));
                done(at, ReasonCode.SUCCESS);
            }
        }
        forgetDone(0);
        return waiting;
    }

    // ---------------------------------------------------------------- what leaves

    /** Offers what the link has room for. */
    public void flush() {
        PeerLink to = link;
        if (to != null && !isOpen && to.hasRoom(traffic)) {
            open(to);
        }
        while (to != null && isOpen && offered < kept.last() && to.hasRoom(traffic)) {
            LeavingBatch batch = nextBatch();
            if (batch.isEmpty()) {
                return;
            }
            everOffered = Math.max(everOffered, batch.last());
            if (!to.offer(batch)) {
                batch.release();
                return; // The next one is sent all of this again.
            }
            chain = batch.last();
            offered = chain;
        }
    }

    private LeavingBatch nextBatch() {
        LeavingBatch batch = new LeavingBatch(number, kept.first() - 1, chain);
        long at = Math.max(offered + 1, kept.first());
        while (at <= kept.last() && !batch.isFull()) {
            at = kept.leave(at, batch);
        }
        return batch;
    }

    // ---------------------------------------------------------------- what is answered

    /**
     * Takes from answers that do not count yet only the answer to the last {@link
     * StreamRecord.RedirectedEnd}: it acknowledges no message.
     *
     * @param from which start of the node has answered
     */
    public void onEndAnswered(NodeStart from, StreamMessage message) {
        if (!from.equals(target)
                || !(message instanceof Answers answers)
                || !kept.isKept(redirectedEnd)) {
            return;
        }
        boolean isAnswered = answers.upTo >= redirectedEnd;
        for (long position : answers.positions) {
            isAnswered |= position == redirectedEnd;
        }
        if (isAnswered) {
            done(redirectedEnd, ReasonCode.SUCCESS);
        }
    }

    /**
     * Adds the end of what was redirected to the node.
     *
     * @param then run once it is answered, or the node is away
     */
    public void endRedirected(Runnable then) {
        add(new StreamRecord.RedirectedEnd(), null, false, false, false);
        redirectedEnd = last();
        whenAnsweredAlone(redirectedEnd, then);
    }

    /**
     * The node has answered.
     *
     * @param from which start of it
     * @return whether publishers may go on that have waited for targets of the node
     */
    public boolean onAnswers(NodeStart from, StreamMessage message) {
        if (!from.equals(target) || !(message instanceof Answers answers)) {
            return false;
        }
        for (long position : answers.full) {
            if (kept.isKept(position)) {
                full.add(position, kept.receipt(position));
            }
        }
        full.eased(answers.eased);
        for (Answers.GivenBack each : answers.givenBack) {
            OutEntry entry = kept.isKept(each.position()) ? kept.entry(each.position()) : null;
            if (entry != null && entry.giveBack(each.group(), true, each.taker(), others)) {
                done(each.position(), ReasonCode.SUCCESS);
            }
        }
        for (int i = 0; i < answers.positions.length; i++) {
            long position = answers.positions[i];
            // One that enters slots says what those are that are kept: not before these are done.
            if (kept.isKept(position) && enter(position) == null) {
                ReasonCode reason = ReasonCode.of(answers.reasons[i] & 0xFF);
                done(position, reason == null ? ReasonCode.UNSPECIFIED_ERROR : reason);
            }
        }
        long upTo = Math.min(answers.upTo, kept.last());
        long at = kept.nextAwaited(kept.first(), upTo);
        while (at <= upTo) {
            done(at, ReasonCode.SUCCESS);
            at = kept.nextAwaited(at + 1, upTo);
        }
        forgetDone(upTo);
        room.tell();
        return answers.eased.length > 0;
    }

    /** Answered, or not to be sent: it stays for its place alone. */
    private void done(long position, ReasonCode reason) {
        OutEntry entry = kept.entry(position);
        if (entry == null) {
            kept.end(position, reason);
        } else if (!entry.done) {
            count(-entry.bytes);
            if (entry.record instanceof StreamRecord.Enter enter) {
                enters--;
                entered.or(enter.slots());
            }
            entry.end(reason);
            awaited.answeredAlone(position);
        }
    }

    /**
     * @param upTo all up to there are done
     */
    private void forgetDone(long upTo) {
        long freed = 0;
        while (kept.first() <= kept.last() && (kept.first() <= upTo || kept.isDone(kept.first()))) {
            freed += kept.removeFirst();
        }
        count(-freed);
        offered = Math.max(offered, kept.first() - 1);
        awaited.answered(kept.first());
    }
}

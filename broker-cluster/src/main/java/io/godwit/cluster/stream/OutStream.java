package io.godwit.cluster.stream;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.ack.Receipt;
import io.godwit.core.packet.ReasonCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
    /** Bytes not answered above which whoever adds is told to stop. */
    private static final long ROOM_BYTES = 8L << 20;

    /** And records. */
    private static final int ROOM_RECORDS = 50_000;

    private static final class Entry {
        final StreamRecord record;
        @Nullable Receipt receipt;

        /** Goes with no other start: QoS 0. */
        final boolean once;

        /** Its receipt waits only while the node is heard. */
        final boolean lenient;

        /** It may have come to an earlier start of the node, or by an earlier start of this one. */
        boolean again;

        /** Not to leave yet, nor anything behind it. */
        boolean held;

        boolean wasOffered;
        boolean done;
        @Nullable List<Runnable> then;
        @Nullable List<Runnable> atLast;

        Entry(
                StreamRecord record,
                @Nullable Receipt receipt,
                boolean once,
                boolean lenient,
                boolean again) {
            this.record = record;
            this.receipt = receipt;
            this.once = once;
            this.lenient = lenient;
            this.again = again;
        }
    }

    private final int number;
    private final TrafficClass traffic;
    private final Runnable whenToFlush;
    private @Nullable Entry[] ring = new Entry[16];

    /** Position of the first that is kept. */
    private long first = 1;

    private long last;
    private long offered;
    private long bytes;

    /** Of the one before, as the receiver will have seen it. */
    private long chain;

    private @Nullable NodeStart target;
    private @Nullable PeerLink link;
    private boolean away;
    private final List<Runnable> whenRoom = new ArrayList<>(0);

    /**
     * @param whenToFlush asks for {@link #flush} at the end of the turn
     */
    public OutStream(int number, Runnable whenToFlush) {
        this.number = number;
        this.traffic = StreamMessages.batch(number).traffic();
        this.whenToFlush = whenToFlush;
    }

    // ---------------------------------------------------------------- what is added

    /** Goes before {@link #add}: it has a link, or may have one soon. */
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
        if (last - first + 1 == ring.length) {
            grow();
        }
        last++;
        Entry entry = new Entry(record, receipt, once, lenient, again);
        ring[index(last)] = entry;
        bytes += record.bytes();
        if (away && lenient) {
            release(entry);
        }
        whenToFlush.run();
        return last;
    }

    /**
     * Keeps what was added last, and all behind it, from leaving.
     *
     * @return lets it go
     */
    public Runnable hold() {
        Entry entry = at(last);
        entry.held = true;
        return () -> {
            entry.held = false;
            whenToFlush.run();
        };
    }

    private void grow() {
        @Nullable Entry[] larger = new Entry[ring.length * 2];
        for (long at = first; at <= last; at++) {
            larger[(int) (at & larger.length - 1)] = ring[index(at)];
        }
        ring = larger;
    }

    private int index(long position) {
        return (int) (position & ring.length - 1);
    }

    private Entry at(long position) {
        Entry entry = ring[index(position)];
        if (entry == null) {
            throw new IllegalStateException("nothing is kept at " + position);
        }
        return entry;
    }

    /** Position of the last that was added. */
    public long last() {
        return last;
    }

    /** Whether everything up to there is answered. */
    public boolean isAnswered(long position) {
        return position < first;
    }

    /** Runs a task once everything up to there is answered, or the node is away. */
    public void whenAnswered(long position, Runnable task) {
        if (away || position < first) {
            task.run();
            return;
        }
        Entry entry = at(position);
        if (entry.then == null) {
            entry.then = new ArrayList<>(1);
        }
        entry.then.add(task);
    }

    /** Runs a task once everything up to there is answered, however long the node was away. */
    public void whenAnsweredAtLast(long position, Runnable task) {
        if (position < first) {
            task.run();
            return;
        }
        Entry entry = at(position);
        if (entry.atLast == null) {
            entry.atLast = new ArrayList<>(1);
        }
        entry.atLast.add(task);
    }

    /** Whether more may be added by those who can wait. */
    public boolean hasRoom() {
        PeerLink to = link;
        return bytes < ROOM_BYTES
                && last - first < ROOM_RECORDS
                && (to == null || to.hasRoom(traffic));
    }

    public void whenRoom(Runnable task) {
        if (hasRoom()) {
            task.run();
        } else {
            whenRoom.add(task);
        }
    }

    /** Bytes that are not answered. */
    public long bytes() {
        return bytes;
    }

    // ---------------------------------------------------------------- links

    /**
     * A link is open.
     *
     * @return whether it is the first one to this start of the node: it knows nothing
     */
    public boolean onUp(PeerLink opened) {
        boolean isNew = !opened.peer().equals(target);
        link = opened;
        target = opened.peer();
        away = false;
        if (isNew) {
            for (long at = first; at <= last; at++) {
                Entry entry = at(at);
                entry.again |= entry.wasOffered;
                if (entry.once && entry.wasOffered) {
                    done(entry);
                }
            }
        }
        forgetDone();
        offered = first - 1;
        chain = first - 1;
        opened.offer(new StreamOpen(number, first - 1));
        whenToFlush.run();
        return isNew;
    }

    /** The link has ended. */
    public void onDown(PeerLink ended) {
        if (link == ended) {
            link = null;
        }
    }

    /** Nobody hears of the node any more: nobody waits for it who need not. */
    public void away() {
        away = true;
        for (long at = first; at <= last; at++) {
            Entry entry = at(at);
            if (entry.lenient) {
                release(entry);
            }
            runThen(entry);
        }
    }

    /** It is heard again, on the same link. */
    public void heard() {
        away = false;
    }

    public boolean isAway() {
        return away;
    }

    private static void release(Entry entry) {
        Receipt receipt = entry.receipt;
        entry.receipt = null;
        Receipt.done(receipt);
    }

    private static void runThen(Entry entry) {
        List<Runnable> then = entry.then;
        if (then != null) {
            entry.then = null;
            then.forEach(Runnable::run);
        }
    }

    /**
     * Takes out what something newer takes the place of.
     *
     * @return tasks that waited for any of it: they wait for what takes its place
     */
    public List<Runnable> takeOut(Predicate<StreamRecord> which) {
        List<Runnable> waiting = new ArrayList<>(0);
        for (long at = first; at <= last; at++) {
            Entry entry = at(at);
            if (!entry.done && which.test(entry.record)) {
                if (entry.then != null) {
                    waiting.addAll(entry.then);
                    entry.then = null;
                }
                done(entry);
            }
        }
        forgetDone();
        return waiting;
    }

    // ---------------------------------------------------------------- what leaves

    /** Offers what the link has room for. */
    public void flush() {
        PeerLink to = link;
        while (to != null && offered < last && to.hasRoom(traffic)) {
            StreamBatch batch = nextBatch();
            if (batch == null) {
                return;
            }
            if (!to.offer(batch)) {
                return; // It has ended: all of this is sent again by the next.
            }
            chain = batch.positions[batch.positions.length - 1];
            offered = chain;
        }
    }

    private @Nullable StreamBatch nextBatch() {
        int most = (int) Math.min(StreamBatch.RECORDS_MAX, last - offered);
        long[] positions = new long[most];
        boolean[] again = new boolean[most];
        StreamRecord[] records = new StreamRecord[most];
        int count = 0;
        int size = 0;
        for (long at = Math.max(offered + 1, first);
                at <= last && count < most && size < StreamBatch.BYTES_MAX;
                at++) {
            Entry entry = at(at);
            if (entry.held && !entry.done) {
                break;
            }
            if (!entry.done) {
                entry.wasOffered = true;
                positions[count] = at;
                again[count] = entry.again;
                records[count++] = entry.record;
                size += entry.record.bytes();
            }
        }
        if (count == 0) {
            return null;
        }
        return new StreamBatch(
                number,
                first - 1,
                chain,
                Arrays.copyOf(positions, count),
                Arrays.copyOf(again, count),
                Arrays.copyOf(records, count));
    }

    // ---------------------------------------------------------------- what is answered

    /**
     * The node has answered.
     *
     * @param from which start of it
     */
    public void onAnswers(NodeStart from, StreamMessage message) {
        if (!from.equals(target) || !(message instanceof Answers answers)) {
            return;
        }
        for (int i = 0; i < answers.positions.length; i++) {
            long position = answers.positions[i];
            if (position >= first && position <= last) {
                ReasonCode reason = ReasonCode.of(answers.reasons[i] & 0xFF);
                answer(at(position), reason == null ? ReasonCode.UNSPECIFIED_ERROR : reason);
            }
        }
        long upTo = Math.min(answers.upTo, last);
        for (long at = first; at <= upTo; at++) {
            answer(at(at), ReasonCode.SUCCESS);
        }
        forgetDone();
        tellRoom();
    }

    private void answer(Entry entry, ReasonCode reason) {
        if (entry.done) {
            return;
        }
        Receipt receipt = entry.receipt;
        if (receipt != null && reason.isError()) {
            receipt.reason = reason;
        }
        done(entry);
    }

    private void done(Entry entry) {
        if (!entry.done) {
            entry.done = true;
            bytes -= entry.record.bytes();
            release(entry);
        }
    }

    private void forgetDone() {
        while (first <= last && at(first).done) {
            Entry entry = at(first);
            ring[index(first)] = null;
            first++;
            offered = Math.max(offered, first - 1);
            runThen(entry);
            if (entry.atLast != null) {
                entry.atLast.forEach(Runnable::run);
            }
        }
    }

    /** Whoever waited for room may go on. */
    public void tellRoom() {
        if (!whenRoom.isEmpty() && hasRoom()) {
            List<Runnable> all = new ArrayList<>(whenRoom);
            whenRoom.clear();
            all.forEach(Runnable::run);
        }
    }
}

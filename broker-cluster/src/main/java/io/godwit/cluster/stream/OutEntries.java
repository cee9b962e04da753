package io.godwit.cluster.stream;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.message.PassingMessage;
import io.godwit.core.packet.ReasonCode;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What an {@link OutStream} keeps, by position, in rings that grow. Most of it is small publishes,
 * which are written at once: of one of these there are its bytes, and its receipt if it has one.
 * All else has an {@link OutEntry}.
 */
final class OutEntries {
    /** What keeping a record costs beside its bytes. */
    private static final int ENTRY_BYTES = 160;

    /** The same of one that is written. */
    private static final int WRITTEN_BYTES = 32;

    private static final int WRITTEN = 1;
    private static final int ONCE = 1 << 1;
    private static final int AGAIN = 1 << 2;
    private static final int DONE = 1 << 3;
    private static final int FOR_TRANSIENT = 1 << 4;

    private static final int SIZE_BITS = 12;

    /**
     * {@link OutEntry}, or of what is written the {@link Receipt}, null when nobody waits: the
     * collector has to be told of anything else that is put in here.
     */
    private @Nullable Object[] ring = new Object[16];

    /** Of what is written; 0 for the others. */
    private byte[] marks = new byte[16];

    /** Of what is written: where it begins in its chunk, and how long it is. */
    private int[] places = new int[16];

    /** Of what is written: where that begins in its chunk which has its names, often itself. */
    private int[] named = new int[16];

    private final SpareChunks spares;

    /** The first that is needed; the same as the last when it is empty. */
    private RecordChunk head = RecordChunk.first();

    private RecordChunk tail = head;

    /** From which something left last: what follows is there, or in one of the next. */
    private RecordChunk leaving = head;

    private final LastNames names = new LastNames();

    /** Bytes of chunks that count for no record: not of a small one that is empty. */
    private long unused;

    /** Position of the first that is kept. */
    private long first = 1;

    private long last;

    OutEntries(SpareChunks spares) {
        this.spares = spares;
    }

    /** Bytes of chunks that are not used yet, or for what is done. */
    long unused() {
        return unused;
    }

    long first() {
        return first;
    }

    /** Position of the last that was ever added; {@code first() - 1} when none is kept. */
    long last() {
        return last;
    }

    boolean isKept(long position) {
        return position >= first && position <= last;
    }

    // ---------------------------------------------------------------- what is added

    /**
     * @return bytes that it counts for until it is done, and then until it is removed
     */
    int add(OutEntry entry) {
        names.end();
        next(entry, 0, 0);
        return entry.bytes + ENTRY_BYTES;
    }

    /**
     * Writes a message that {@link RecordChunk#mayTake may be}.
     *
     * @return bytes that it counts for until it is removed
     */
    int add(StreamRecord.Publish publish, @Nullable Receipt receipt, boolean once) {
        Message message = publish.message();
        room(RecordChunk.most(message));
        int start = tail.length();
        tail.add(message, names.areOf(message, start), last + 1);
        return written(start, receipt, once);
    }

    /** The same of a message that passes: it is short enough, and of QoS 0 nobody waits for it. */
    int add(PassingMessage message, @Nullable Receipt receipt) {
        room(RecordChunk.most(message));
        int start = tail.length();
        tail.add(message, names.areOf(message, start), last + 1);
        return written(start, receipt, receipt == null);
    }

    /**
     * Marks what was added last: it is for subscribers alone whose sessions end with their node.
     */
    void lastIsForTransient() {
        OutEntry entry = entry(last);
        if (entry != null) {
            entry.forTransient = true;
        } else {
            marks[index(last)] |= FOR_TRANSIENT;
        }
    }

    /** Whether a record is for such subscribers alone, and not done. */
    boolean isForTransient(long position) {
        OutEntry entry = entry(position);
        return entry == null
                ? (marks[index(position)] & (FOR_TRANSIENT | DONE)) == FOR_TRANSIENT
                : entry.forTransient && !entry.done;
    }

    private void room(int most) {
        if (tail.length() == 0) {
            unused += tail.capacity();
        } else if (!tail.hasRoom(most)) {
            follow();
        }
    }

    private int written(int start, @Nullable Receipt receipt, boolean once) {
        int size = tail.length() - start;
        unused -= size;
        next(receipt, once ? WRITTEN | ONCE : WRITTEN, start << SIZE_BITS | size);
        return size + WRITTEN_BYTES;
    }

    private void follow() {
        RecordChunk spare = spares.take();
        RecordChunk following = spare == null ? tail.larger() : spare;
        unused += following.capacity();
        tail.next = following;
        tail = following;
        names.end();
    }

    private void next(@Nullable Object kept, int mark, int place) {
        if (last - first + 1 == ring.length) {
            grow();
        }
        last++;
        int at = index(last);
        if (at == 0) {
            ring = ring.clone(); // So that what is new does not go into something old.
        }
        ring[at] = kept;
        marks[at] = (byte) mark;
        places[at] = place;
        named[at] = names.at();
    }

    private void grow() {
        @Nullable Object[] kept = new Object[ring.length * 2];
        byte[] marked = new byte[kept.length];
        int[] placed = new int[kept.length];
        int[] namedBy = new int[kept.length];
        for (long position = first; position <= last; position++) {
            int from = index(position);
            int to = (int) position & kept.length - 1;
            kept[to] = ring[from];
            marked[to] = marks[from];
            placed[to] = places[from];
            namedBy[to] = named[from];
        }
        ring = kept;
        marks = marked;
        places = placed;
        named = namedBy;
    }

    private int index(long position) {
        return (int) position & ring.length - 1;
    }

    private @Nullable Object at(long position) {
        int at = index(position);
        Object kept = ring[at];
        if (kept == null && marks[at] == 0) {
            throw new IllegalStateException("nothing is kept at " + position);
        }
        return kept;
    }

    /** The entry; null of what is written. */
    @Nullable OutEntry entry(long position) {
        return at(position) instanceof OutEntry entry ? entry : null;
    }

    /** Of whoever waits for the answer. */
    @Nullable Receipt receipt(long position) {
        Object kept = at(position);
        if (kept instanceof OutEntry entry) {
            return entry.receipt();
        }
        return kept instanceof Receipt receipt ? receipt : null;
    }

    // ---------------------------------------------------------------- what leaves

    /**
     * Adds what is next to what leaves.
     *
     * @return the next position; beyond the last when nothing may follow
     */
    long leave(long position, LeavingBatch batch) {
        endNamesAt(position);
        OutEntry entry = entry(position);
        if (entry != null) {
            if (entry.held && !entry.done) {
                return last + 1;
            }
            if (!entry.done) {
                batch.add(position, entry.again, entry.record, entry.bytes);
            }
            return position + 1;
        }
        int mark = marks[index(position)];
        return (mark & DONE) != 0
                ? position + 1
                : leaveWritten(position, (mark & AGAIN) != 0, chunkOf(position), batch);
    }

    private long leaveWritten(long position, boolean again, RecordChunk chunk, LeavingBatch batch) {
        int start = start(position);
        if (follows(position) && !batch.isAt(chunk, start)) {
            int end = end(position);
            Message message = chunk.message(named[index(position)], start, end);
            batch.add(position, again, message, chunk, end);
            return position + 1;
        }
        long to = again ? position : lastOfRun(position, chunk, batch);
        batch.add(position, again, chunk, start, end(to), (int) (to - position + 1));
        return to + 1;
    }

    /** Up to where everything leaves together that did not leave before. */
    private long lastOfRun(long position, RecordChunk chunk, LeavingBatch batch) {
        long upTo = Math.min(Math.min(last, chunk.last), position + batch.recordsLeft() - 1);
        int start = start(position);
        int longest = batch.bytesLeft();
        long to = position;
        while (to < upTo && goesWith(to + 1) && end(to) - start < longest) {
            to++;
        }
        endNamesAt(to);
        return to;
    }

    /** Something leaves: what is added behind the last leaves with something else. */
    private void endNamesAt(long leaving) {
        if (leaving == last) {
            names.end();
        }
    }

    /** Written, and neither done nor sent to an earlier start. */
    private boolean goesWith(long position) {
        return (marks[index(position)] & ~(ONCE | FOR_TRANSIENT)) == WRITTEN;
    }

    /** Whether it is written without its names. */
    private boolean follows(long position) {
        return named[index(position)] != start(position);
    }

    private int start(long position) {
        return places[index(position)] >>> SIZE_BITS;
    }

    /** Where it ends in its chunk. */
    private int end(long position) {
        return start(position) + size(places[index(position)]);
    }

    private static int size(int place) {
        return place & (1 << SIZE_BITS) - 1;
    }

    private RecordChunk chunkOf(long position) {
        RecordChunk chunk = leaving.first <= position ? leaving : head;
        RecordChunk after;
        while (chunk.last < position && (after = chunk.next) != null) {
            chunk = after;
        }
        leaving = chunk;
        return chunk;
    }

    /**
     * What was sent to an earlier start of the node goes to the next one with the mark; but for
     * what is to come once, or was for sessions that have ended with that start: it is done.
     *
     * @return whether it is that
     */
    boolean goesAnew(long position) {
        OutEntry entry = entry(position);
        if (entry != null) {
            entry.again = true;
            return entry.once || entry.forTransient;
        }
        marks[index(position)] |= AGAIN;
        return (marks[index(position)] & (ONCE | FOR_TRANSIENT)) != 0;
    }

    // ---------------------------------------------------------------- what is done

    /**
     * Whether it is a message of QoS 1 or 2 that somebody there was to get, and is not answered.
     */
    boolean isOpenMessage(long position) {
        OutEntry entry = entry(position);
        return entry == null
                ? (marks[index(position)] & (ONCE | DONE)) == 0
                : entry.isOpenMessage();
    }

    /**
     * The message for durable sessions of slots at the node, if it is not answered and has QoS 1 or
     * 2.
     */
    @Nullable UnansweredMessage forSessions(long position, BitSet slots) {
        OutEntry entry = entry(position);
        if (entry != null) {
            return entry.forSessions(slots);
        }
        if ((marks[index(position)] & (ONCE | DONE | FOR_TRANSIENT)) != 0) {
            return null;
        }
        RecordChunk chunk = chunkOf(position);
        int start = start(position);
        Message message =
                follows(position)
                        ? chunk.message(named[index(position)], start, end(position))
                        : chunk.message(start, end(position));
        boolean isAgain = (marks[index(position)] & AGAIN) != 0;
        return new UnansweredMessage(message, slots, receipt(position), isAgain, false);
    }

    /** Whether it is a message that no shared group of the node is to have. */
    boolean isForSessionsAlone(long position) {
        OutEntry entry = entry(position);
        return entry == null || entry.isForSessionsAlone();
    }

    /** Whether shared groups of the node are to have a message in it. */
    boolean isForGroups(long position) {
        OutEntry entry = entry(position);
        return entry != null && entry.isForGroups();
    }

    /** The first from there on that has something to tell when it is answered. */
    long nextAwaited(long from, long to) {
        long at = from;
        while (at <= to && ring[index(at)] == null) {
            at++;
        }
        return at;
    }

    /** Answered, or not to be sent: tells whoever waits for what is written. */
    void end(long position, ReasonCode reason) {
        int at = index(position);
        marks[at] |= DONE;
        Object waiting = ring[at];
        ring[at] = null;
        if (waiting instanceof Receipt receipt) {
            if (reason.isError()) {
                receipt.reason = reason;
            }
            receipt.targetDone(true);
        }
    }

    boolean isDone(long position) {
        Object kept = at(position);
        return kept instanceof OutEntry entry ? entry.done : (marks[index(position)] & DONE) != 0;
    }

    /**
     * Takes out the first, which is done.
     *
     * @return bytes that it no longer counts for
     */
    int removeFirst() {
        int at = index(first);
        ring[at] = null;
        int mark = marks[at];
        marks[at] = 0;
        first++;
        if (mark == 0) {
            return ENTRY_BYTES;
        }
        int size = size(places[at]);
        unused += size;
        if (head.last < first) {
            dropChunk();
        }
        return size + WRITTEN_BYTES;
    }

    /** All records of the first chunk are gone. */
    private void dropChunk() {
        RecordChunk dropped = head;
        RecordChunk after = dropped.next;
        unused -= dropped.capacity();
        dropped.next = null; // An old one that nobody needs would keep all that follow.
        names.end();
        if (after != null) {
            head = after;
            spares.give(dropped);
        } else if (dropped.isSmall() && !dropped.isRead()) {
            dropped.clear();
        } else {
            head = RecordChunk.first();
            tail = head;
            spares.give(dropped);
        }
        if (leaving == dropped) {
            leaving = head;
        }
    }
}

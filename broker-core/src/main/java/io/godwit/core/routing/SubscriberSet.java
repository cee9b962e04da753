package io.godwit.core.routing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a filter that has had more than one, or a group: an array that only grows at its
 * end, in chunks once it is large, so that no change copies more than one chunk.
 *
 * <p><i>Concurrency.</i> One writer. A reader takes {@link #chunks()} up to {@link #size()} and may
 * keep both: below that size an entry is only ever cleared, or replaced by the same session's newer
 * subscription. A hole is not filled again, since a session that left and came back while a fan-out
 * is under way would be seen twice. Holes go when a chunk is mostly holes: then what is left of it
 * is appended at the end of a new set, which shares the other chunks; whoever reads the older set
 * never looks that far.
 *
 * <p><i>Memory.</i> 4 bytes per slot; above {@link #INDEXED_FROM} sessions another 8 to 16 for the
 * writer's table.
 */
final class SubscriberSet {
    /** Entries of a chunk; a set of one chunk may have less room. */
    static final int CHUNK = 1 << 10;

    private static final int CHUNK_SHIFT = 10;
    private static final VarHandle ENTRY =
            MethodHandles.arrayElementVarHandle(Subscription[].class);
    private static final int SLOTS_MIN = 4;
    private static final int INDEXED_FROM = 16;

    /** The chunks; all but the last are full. */
    private final @Nullable Subscription[][] chunks;

    private volatile int size;

    /** By chunk, how many entries are not null; writer only. */
    private final int[] live;

    /**
     * Finds subscriptions by session; null while there are few. Handed from set to set; writer
     * only.
     */
    private @Nullable SessionTable bySession;

    private SubscriberSet(@Nullable Subscription[][] chunks, int[] live) {
        this.chunks = chunks;
        this.live = live;
    }

    static SubscriberSet of(Subscription first) {
        SubscriberSet set = ofOneChunk(SLOTS_MIN);
        set.append(first);
        return set;
    }

    private static SubscriberSet ofOneChunk(int room) {
        return new SubscriberSet(new Subscription[][] {new Subscription[room]}, new int[1]);
    }

    /**
     * The chunks themselves, no copies, of which only the first {@link #size()} entries count; any
     * thread.
     */
    @Nullable Subscription[][] chunks() {
        return chunks;
    }

    /** The i-th entry of several chunks. */
    static @Nullable Subscription at(@Nullable Subscription[][] chunks, int i) {
        return chunks[i >>> CHUNK_SHIFT][i & CHUNK - 1];
    }

    /** How many entries of the chunks count; any thread. */
    int size() {
        return size;
    }

    /** The subscription of a session, or null; writer only. */
    @Nullable Subscription find(SessionRef session) {
        SessionTable table = bySession;
        if (table != null) {
            return table.find(session);
        }
        for (Subscription s : chunks[0]) {
            if (s != null && s.session.equals(session)) {
                return s;
            }
        }
        return null;
    }

    /**
     * The set with a subscription, in place of an older one of its session.
     *
     * @return this, or the set that takes its place
     */
    SubscriberSet with(Subscription s) {
        Subscription older = find(s.session);
        if (older != null) {
            place(s, older.chunk(), older.slot);
            older.chunk = null;
            if (bySession != null) {
                bySession.replace(older, s);
            }
            return this;
        }
        SubscriberSet set = isFull() ? withRoom() : this;
        set.append(s);
        set.index(s);
        return set;
    }

    /**
     * The set without a subscription that {@link #find} returned.
     *
     * @return this, or the set that takes its place; null when nobody is left
     */
    @Nullable SubscriberSet without(Subscription s) {
        @Nullable Subscription[] chunk = s.chunk();
        int at = indexOf(chunk);
        ENTRY.setRelease(chunk, s.slot, null);
        s.chunk = null;
        live[at]--;
        if (bySession != null) {
            bySession.remove(s);
        }
        if (chunks.length == 1) {
            if (live[0] == 0) {
                return null;
            }
            return chunk.length > INDEXED_FROM && live[0] * 4 < chunk.length ? copied() : this;
        }
        return isSparse(at) ? withoutChunk(at) : this;
    }

    private int indexOf(@Nullable Subscription[] chunk) {
        int i = 0;
        while (chunks[i] != chunk) {
            i++;
        }
        return i;
    }

    private boolean isFull() {
        return size == (chunks.length - 1) * CHUNK + chunks[chunks.length - 1].length;
    }

    /** Whether a chunk of several is full, and mostly of holes. */
    private boolean isSparse(int chunk) {
        return live[chunk] * 4 < CHUNK && (chunk < chunks.length - 1 || isFull());
    }

    /** A set with the same subscriptions that has room for one more. */
    private SubscriberSet withRoom() {
        int last = chunks.length - 1;
        if (last == 0 && (chunks[0].length < CHUNK || live[0] * 4 < CHUNK * 3)) {
            return copied();
        }
        return isSparse(last) ? withoutChunk(last) : withChunks(chunks.length, 1);
    }

    /** A copy of the one chunk without its holes, and with room for half as many again. */
    private SubscriberSet copied() {
        int room = live[0] + (live[0] >> 1) + 2;
        SubscriberSet set = ofOneChunk(Math.min(CHUNK, Math.max(SLOTS_MIN, room)));
        set.bySession = bySession;
        set.appendAll(chunks[0]);
        return set;
    }

    /** The set without a full chunk: what is left of it goes to the end. */
    private SubscriberSet withoutChunk(int gone) {
        int last = chunks.length - 1;
        int room = gone == last ? 0 : (last + 1) * CHUNK - size;
        SubscriberSet set = withChunks(gone, room < live[gone] ? 1 : 0);
        set.appendAll(chunks[gone]);
        return set;
    }

    /**
     * @param without chunk that is left out, or the number of chunks to leave out none; it is full
     * @param more empty chunks at the end
     */
    private SubscriberSet withChunks(int without, int more) {
        int kept = chunks.length - (without < chunks.length ? 1 : 0);
        @Nullable Subscription[][] now = Arrays.copyOf(chunks, kept + more);
        int[] nowLive = Arrays.copyOf(live, kept + more);
        for (int i = without; i < kept; i++) {
            now[i] = chunks[i + 1];
            nowLive[i] = live[i + 1];
        }
        for (int i = kept; i < now.length; i++) {
            now[i] = new Subscription[CHUNK];
            nowLive[i] = 0;
        }
        SubscriberSet set = new SubscriberSet(now, nowLive);
        set.bySession = bySession;
        set.size = size - (chunks.length - kept) * CHUNK;
        return set;
    }

    private void appendAll(@Nullable Subscription[] from) {
        for (Subscription s : from) {
            if (s != null) {
                append(s);
            }
        }
    }

    /** Appends a subscription, for which there is room. */
    private void append(Subscription s) {
        int at = size;
        int chunk = at >>> CHUNK_SHIFT;
        place(s, chunks[chunk], at & CHUNK - 1);
        live[chunk]++;
        size = at + 1;
    }

    private static void place(Subscription s, @Nullable Subscription[] chunk, int slot) {
        s.chunk = chunk;
        s.slot = slot;
        ENTRY.setRelease(chunk, slot, s);
    }

    private void index(Subscription s) {
        SessionTable table = bySession;
        if (table != null) {
            table.add(s);
        } else if (size >= INDEXED_FROM) {
            table = new SessionTable();
            for (Subscription each : chunks[0]) {
                if (each != null) {
                    table.add(each);
                }
            }
            bySession = table;
        }
    }
}

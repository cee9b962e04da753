package io.godwit.cluster.replication;

import io.godwit.core.id.HybridId;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.CopyStore;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.FillReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Fills the copy of one follower: what the queues of its copy sets held before its stream began.
 * One piece after the other is read at a moment of the journal, and put into the stream at the
 * place of that moment. A set is whole when the follower has confirmed its last piece.
 *
 * <pre>
 * idle      a set waits      the store finds its queues
 * queues    found            a piece is asked for
 * piece     read             put into the stream; a pause that keeps the rate; the next piece
 * piece     failed           a longer pause; the same piece
 * </pre>
 */
final class CopyFill {
    private static final int QUEUES = 256;
    private static final int MESSAGES = 2_000;
    private static final long PIECE_BYTES = 1 << 20;
    private static final long RETRY_MS = 1_000;

    /** While so much is not confirmed, no more is read. */
    private static final long UNCONFIRMED_BYTES = 8 << 20;

    private final CopyStream stream;
    private final CopyStore store;
    private final Executor owner;
    private final CopySettings settings;
    private final CopyRules rules;
    private final BitSet demoted;
    private final ArrayDeque<Integer> waiting = new ArrayDeque<>();

    /** Queues that the follower has told of so far. */
    private final List<Long> known = new ArrayList<>();

    /** Names the queues that have ended here and that the follower still has copies of. */
    private long[] ended = {};

    /** Sets whose last piece is in the stream. */
    private final ArrayDeque<Last> last = new ArrayDeque<>();

    private record Last(int copySet, long position) {}

    private int copySet;
    private boolean isReading;

    /** Whether a piece could not be read: perhaps it has queues that this node leads no more. */
    private boolean findsAgain;

    /** Queues of the set that is filled now; null: none is. */
    private long @Nullable [] queueIds;

    private int next;
    private int lastQueues;
    private @Nullable FillAsk ask;
    private long pauseMs;
    private long filledBytes;
    private long filledQueues;
    private long ranMs;

    /**
     * @param demoted copy sets of which nobody becomes whole now; changed by others
     */
    CopyFill(
            CopyStream stream,
            CopyStore store,
            Executor owner,
            CopySettings settings,
            CopyRules rules,
            BitSet demoted) {
        this.rules = rules;
        this.demoted = demoted;
        this.stream = stream;
        this.store = store;
        this.owner = owner;
        this.settings = settings;
    }

    /** Has a copy set filled when those before it are. */
    void add(int set) {
        waiting.add(set);
        stream.askForHas();
    }

    /** Has a copy set filled from the beginning: it has queues that it did not have. */
    void again(int set) {
        remove(set);
        add(set);
    }

    /** Takes queues that the follower has copies of. Those that have ended here will end there. */
    void has(long[] more, int flags) {
        if ((flags & CopyMessages.HAS_FIRST) != 0) {
            known.clear(); // An earlier answer was cut short.
        }
        LongStream.of(more).forEach(known::add);
        if ((flags & CopyMessages.HAS_LAST) != 0) {
            long[] all = known.stream().mapToLong(Long::longValue).toArray();
            known.clear();
            store.endedOf(all, found -> owner.execute(() -> onEnded(found)));
        }
    }

    private void onEnded(long[] found) {
        stream.hasTold();
        if (found.length > 0 && !stream.isEnded()) {
            ended = found;
            waiting.addFirst(CopySets.NONE);
        }
    }

    /** Fills a copy set no more. */
    void remove(int set) {
        waiting.remove((Integer) set);
        last.removeIf(each -> each.copySet == set);
        if (copySet == set && queueIds != null) {
            queueIds = null; // A piece under way goes into the stream all the same.
            ask = null;
        }
    }

    /** Whether nothing is left to be read. */
    boolean isIdle() {
        return waiting.isEmpty() && queueIds == null && !isReading && last.isEmpty();
    }

    /** Bytes that it has put into the stream. */
    long filledBytes() {
        return filledBytes;
    }

    /**
     * Estimates how long it takes to fill what is left, from the pace so far.
     *
     * @param queues how many queues each copy set has
     */
    long leftMs(int[] queues) {
        long[] of = queueIds;
        long left = of == null ? 0 : of.length - next;
        for (int set : waiting) {
            left += set == CopySets.NONE ? ended.length : queues[set];
        }
        return filledQueues == 0 ? left : left * ranMs / filledQueues;
    }

    /**
     * Goes on if it can.
     *
     * @param ms for so long this node has run since the last call
     * @param mayRead false during an alarm: nothing more is read
     * @return whether a copy set has become whole
     */
    boolean passed(long ms, boolean mayRead) {
        pauseMs = Math.max(0, pauseMs - ms);
        ranMs += isIdle() ? 0 : ms;
        boolean isMoreWhole = false;
        while (!last.isEmpty() && last.element().position <= stream.confirmed()) {
            int set = last.remove().copySet;
            if (set != CopySets.NONE && !demoted.get(set)) {
                stream.whole.set(set);
                isMoreWhole = true;
            }
        }
        goOn(mayRead);
        return isMoreWhole;
    }

    private void goOn(boolean mayRead) {
        boolean isSlow =
                stream.bytes() > UNCONFIRMED_BYTES || !stream.isResumed() || stream.asksForHas();
        if (isReading || stream.isEnded() || pauseMs > 0 || !mayRead || isSlow) {
            return;
        }
        if (queueIds == null) {
            Integer set = waiting.poll();
            if (set != null && set == CopySets.NONE) {
                copySet = set;
                queueIds = ended;
                next = 0;
                ask = null;
                read();
            } else if (set != null) {
                copySet = set;
                isReading = true;
                store.queuesOf(set, found -> owner.execute(() -> found(found)));
            }
        } else if (findsAgain) {
            findsAgain = false;
            isReading = true;
            findAgain();
        } else {
            read();
        }
    }

    private void found(long[] found) {
        isReading = false;
        if (!stream.sets.get(copySet) || waiting.contains(copySet)) {
            return; // It was removed meanwhile, or is to be filled anew.
        }
        queueIds = found;
        next = 0;
        ask = null;
        if (found.length == 0) {
            setRead();
        } else {
            read();
        }
    }

    private void setRead() {
        queueIds = null;
        last.add(new Last(copySet, stream.last()));
    }

    private void read() {
        long[] of = queueIds;
        if (of == null || stream.isEnded()) {
            return;
        }
        FillAsk piece = ask;
        if (piece == null) {
            int end = Math.min(of.length, next + QUEUES);
            piece = new FillAsk(Arrays.copyOfRange(of, next, end), MESSAGES, PIECE_BYTES);
            lastQueues = end - next;
            next = end;
            ask = piece;
        }
        isReading = true;
        store.readFill(
                piece,
                new FillReader() {
                    @Override
                    public void onMoment() {
                        if (rules.holds(CopyRule.MOMENT_PAGES)) {
                            owner.execute(stream::holdBack);
                        }
                    }

                    @Override
                    public void onRead(List<byte[]> bodies, @Nullable FillAsk rest) {
                        owner.execute(() -> onPiece(bodies, rest));
                    }

                    @Override
                    public void onFailed(Throwable cause) {
                        owner.execute(CopyFill.this::onFailed);
                    }
                });
    }

    private void onPiece(List<byte[]> bodies, @Nullable FillAsk rest) {
        isReading = false;
        if (stream.isEnded()) {
            return;
        }
        stream.fill(copySet, bodies);
        long bytes = bodies.stream().mapToLong(each -> each.length).sum();
        filledBytes += bytes;
        pauseMs =
                settings.fillBytesPerSecond() == 0
                        ? 0
                        : bytes * 1_000 / settings.fillBytesPerSecond();
        long[] of = queueIds;
        if (of == null) {
            return; // The set was removed meanwhile.
        }
        ask = rest;
        filledQueues += rest == null ? lastQueues : 0;
        if (rest == null && next >= of.length) {
            setRead();
        }
    }

    private void onFailed() {
        isReading = false;
        if (!stream.isEnded()) {
            stream.fill(copySet, List.of()); // What was held back goes on.
            pauseMs = RETRY_MS;
            findsAgain = true;
        }
    }

    private void findAgain() {
        Consumer<long[]> then = found -> owner.execute(() -> foundAgain(found));
        if (copySet == CopySets.NONE) {
            store.endedOf(ended, then);
        } else {
            store.queuesOf(copySet, then);
        }
    }

    /** Leaves out queues that another node has taken over since they were found. */
    private void foundAgain(long[] found) {
        isReading = false;
        long[] of = queueIds;
        if (of == null || waiting.contains(copySet)) {
            queueIds = null; // The set was removed meanwhile, or is to be filled anew.
            ask = null;
            return;
        }
        FillAsk piece = ask;
        if (piece != null) {
            long[] left = among(piece.queueIds(), found);
            boolean isSameFirst = left.length > 0 && left[0] == piece.queueIds()[0];
            HybridId above = isSameFirst ? piece.above() : HybridId.NONE;
            ask =
                    left.length == 0
                            ? null
                            : new FillAsk(left, above, piece.messagesMax(), piece.bytesMax());
        }
        of = among(Arrays.copyOfRange(of, next, of.length), found);
        queueIds = of;
        next = 0;
        if (ask == null && of.length == 0) {
            setRead();
        } else {
            read();
        }
    }

    /**
     * @param found rising without a sign
     */
    private static long[] among(long[] those, long[] found) {
        Set<Long> there = new HashSet<>(LongStream.of(found).boxed().toList());
        return LongStream.of(those).filter(there::contains).toArray();
    }
}

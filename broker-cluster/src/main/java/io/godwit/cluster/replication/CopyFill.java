package io.godwit.cluster.replication;

import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.id.HybridId;
import io.godwit.core.operation.PartEncoder;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.CopyStore;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.FillReader;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Fills the copy of one follower: what the queues of its copy sets held before its stream began.
 * One piece after the other is read at a moment of the journal, and put into the stream at the
 * place of that moment. A set is whole when the follower has confirmed its last piece.
 *
 * <p>Queues that the follower has already are left out. It tells the digests of its copies, behind
 * everything that was in the stream when it was asked; at the moment of the piece the store
 * compares them with those of its own queues. Parts in between do no harm: each says how something
 * stands from then on. A digest counts by the link alone by which it came, since the follower may
 * lose what it told of when it dies; that it has not is confirmed with the last part of the set.
 *
 * <p>Queues that this node has taken over may be at the follower under their former leader. The
 * stream says first that this node leads them ({@link CopyStore#adoptedOf}). From there on these
 * copies follow this stream alone, and are compared like all others.
 *
 * <pre>
 * a set is added             its adopted queues are named, then the follower is asked what it has
 * idle      a set waits      the store finds its queues
 * queues    found            a piece is asked for
 * piece     read             put into the stream; a pause that keeps the rate; the next piece
 * piece     failed           a longer pause; the same piece
 * the link changes           the follower is asked anew; sets that are not whole wait again
 * </pre>
 */
final class CopyFill {
    private static final int QUEUES = 256;
    private static final int MESSAGES = 2_000;
    private static final long PIECE_BYTES = 1 << 20;
    private static final long RETRY_MS = 1_000;

    /** While so much is not confirmed, no more is read. */
    private static final long UNCONFIRMED_BYTES = 8 << 20;

    private final int self;
    private final CopyStream stream;
    private final CopyStore store;
    private final Executor owner;
    private final CopySettings settings;
    private final CopyRules rules;
    private final Supplier<BitSet> led;
    private final BitSet demoted;
    private final ArrayDeque<Integer> waiting = new ArrayDeque<>();

    /** Sets that were added, and whose adopted queues are not named yet. */
    private final BitSet unnamed = new BitSet();

    /** Whether sets were added, and the follower is to be asked what it has. */
    private boolean asks;

    /** The link by which the follower was asked; null: it was not. */
    private @Nullable PeerLink askedBy;

    /** Position of the stream when the follower was asked: it answers behind that. */
    private long askedAt;

    /** The copies that the follower has told of; not changed any more. */
    private ToldCopies told = new ToldCopies();

    /** Collects the copies of an answer that is still arriving. */
    private ToldCopies arriving = new ToldCopies();

    /**
     * Names the queues of which the follower still has copies as this node's, and that have ended
     * here, or that this node has never led: their former leader made them before it heard of the
     * take-over.
     */
    private long[] notLed = {};

    /** Sets whose last piece is in the stream. */
    private final ArrayDeque<Last> last = new ArrayDeque<>();

    private record Last(int copySet, long position) {}

    private int copySet;
    private boolean isReading;
    private boolean mayRead;

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
    private long leftOut;
    private long ranMs;

    /**
     * @param self server id of this node
     * @param led knows the slots that this node leads by its table
     * @param demoted copy sets of which nobody becomes whole now; changed by others
     */
    CopyFill(
            int self,
            CopyStream stream,
            CopyStore store,
            Executor owner,
            CopySettings settings,
            CopyRules rules,
            Supplier<BitSet> led,
            BitSet demoted) {
        this.self = self;
        this.rules = rules;
        this.led = led;
        this.demoted = demoted;
        this.stream = stream;
        this.store = store;
        this.owner = owner;
        this.settings = settings;
    }

    /** Has a copy set filled when those before it are. */
    void add(int set) {
        waiting.add(set);
        unnamed.set(set);
        asks = true;
    }

    /** Has a copy set filled from the beginning: it has queues that it did not have. */
    void again(int set) {
        remove(set);
        add(set);
    }

    /** Takes queues that the follower has copies of. Those not led here will end there. */
    void has(PeerLink from, CopyMessages.Has more) {
        if (from != askedBy) {
            return;
        }
        if (more.position() < askedAt) {
            asks |= more.isFirst(); // Parts that it may have had before are yet to come.
            return;
        }
        stream.tells();
        if (more.isFirst()) {
            arriving = new ToldCopies(); // An earlier answer was cut short.
        }
        arriving.add(more);
        if (more.isLast()) {
            told = arriving;
            arriving = new ToldCopies();
            store.notLedOf(told.queueIds(), found -> owner.execute(() -> onNotLed(from, found)));
        }
    }

    private void onNotLed(PeerLink from, long[] found) {
        if (from != askedBy) {
            return;
        }
        stream.hasTold();
        waiting.remove((Integer) CopySets.NONE);
        if (found.length > 0 && !stream.isEnded()) {
            notLed = found;
            waiting.addFirst(CopySets.NONE);
        }
    }

    /** Has the follower asked anew, and fills all sets again that are not whole. */
    private void askAgain() {
        askedBy = null;
        stream.hasTold();
        asks = true;
        last.forEach(each -> waiting.add(each.copySet));
        last.clear();
        if (queueIds != null) {
            waiting.addFirst(copySet);
            queueIds = null; // A piece under way goes into the stream all the same.
            ask = null;
        }
        waiting.removeIf(each -> each == CopySets.NONE);
    }

    /** Fills a copy set no more. */
    void remove(int set) {
        waiting.remove((Integer) set);
        unnamed.clear(set);
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

    /** Returns how many queues it has left out. */
    long leftOut() {
        return leftOut;
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
            left += set == CopySets.NONE ? notLed.length : queues[set];
        }
        return filledQueues == 0 ? left : left * ranMs / filledQueues;
    }

    /**
     * Goes on if it can.
     *
     * @param ms for so long this node has run since the last call
     * @param isCalm false during an alarm: nothing more is read
     * @return whether a copy set has become whole
     */
    boolean passed(long ms, boolean isCalm) {
        mayRead = isCalm;
        if (askedBy != null && askedBy != stream.link() && !isIdle()) {
            askAgain();
        }
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
        goOn();
        if (!told.isEmpty() && isIdle()) {
            told = new ToldCopies();
        }
        return isMoreWhole;
    }

    private void goOn() {
        boolean isSlow = stream.bytes() > UNCONFIRMED_BYTES || !stream.isResumed();
        if (isReading || stream.isEnded() || pauseMs > 0 || !mayRead || isSlow) {
            return;
        }
        if (!unnamed.isEmpty()) {
            nameAdopted();
        } else if (asks) {
            asks = false;
            askedBy = stream.link();
            askedAt = stream.last();
            stream.askForHas();
        } else if (stream.asksForHas()) {
            return;
        } else if (queueIds == null) {
            Integer set = waiting.poll();
            if (set != null && set == CopySets.NONE) {
                copySet = set;
                queueIds = notLed;
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

    /**
     * Says which queues this node has adopted, before the follower is asked what it has of this
     * node's: it may have copies of them, under their former leader.
     */
    private void nameAdopted() {
        int set = unnamed.nextSetBit(0);
        unnamed.clear(set);
        isReading = true;
        store.adoptedOf(set, bodies -> owner.execute(() -> onAdopted(set, bodies)));
    }

    private void onAdopted(int set, List<byte[]> bodies) {
        isReading = false;
        if (!stream.isEnded()) {
            put(set, bodies);
            goOn();
        }
    }

    private void put(int set, List<byte[]> bodies) {
        stream.fill(set, bodies);
        long bytes = bodies.stream().mapToLong(each -> each.length).sum();
        filledBytes += bytes;
        pauseMs =
                settings.fillBytesPerSecond() == 0
                        ? 0
                        : bytes * 1_000 / settings.fillBytesPerSecond();
    }

    private void found(long[] found) {
        isReading = false;
        if (!stream.sets.get(copySet) || waiting.contains(copySet)) {
            return; // It was removed meanwhile, or is to be filled anew.
        }
        if (asks) {
            waiting.addFirst(copySet); // By what the follower is yet to tell.
            return;
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
        stream.fill(copySet, List.of(PartEncoder.nothing(self)));
        last.add(new Last(copySet, stream.last()));
    }

    private FillAsk.Copied copied() {
        ToldCopies copies = told;
        return rules.holds(CopyRule.EQUAL_LEFT_OUT)
                ? copies::isSame
                : (queueId, digest) -> copies.has(queueId);
    }

    private void read() {
        long[] of = queueIds;
        if (of == null || stream.isEnded()) {
            return;
        }
        FillAsk piece = ask;
        if (piece == null) {
            int end = Math.min(of.length, next + QUEUES);
            piece =
                    new FillAsk(
                            Arrays.copyOfRange(of, next, end),
                            HybridId.NONE,
                            MESSAGES,
                            PIECE_BYTES,
                            copied(),
                            copySet == CopySets.NONE ? led.get() : null);
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
                    public void onRead(List<byte[]> bodies, int equal, @Nullable FillAsk rest) {
                        owner.execute(() -> onPiece(bodies, equal, rest));
                    }

                    @Override
                    public void onFailed(Throwable cause) {
                        owner.execute(CopyFill.this::onFailed);
                    }
                });
    }

    private void onPiece(List<byte[]> bodies, int equal, @Nullable FillAsk rest) {
        isReading = false;
        if (stream.isEnded()) {
            return;
        }
        put(copySet, bodies);
        leftOut += equal;
        long[] of = queueIds;
        if (of == null) {
            return; // The set was removed meanwhile.
        }
        ask = rest;
        filledQueues += rest == null ? lastQueues : 0;
        if (rest == null && next >= of.length) {
            setRead();
        }
        if (bodies.isEmpty()) {
            goOn(); // Nothing was sent that the rate would have to slow down.
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
            store.notLedOf(notLed, then);
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
            ask = left.length == 0 ? null : piece.rest(left, above);
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

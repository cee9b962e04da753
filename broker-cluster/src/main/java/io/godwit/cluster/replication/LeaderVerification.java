package io.godwit.cluster.replication;

import io.godwit.cluster.replication.LeaderVerdict.Difference;
import io.godwit.cluster.replication.LeaderVerdict.FollowerVerdict;
import io.godwit.cluster.replication.VerifyMessages.Described;
import io.godwit.cluster.replication.VerifyMessages.Mark;
import io.godwit.cluster.replication.VerifyMessages.Outcome;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.CopyStore;
import io.godwit.core.store.QueueDigest;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Compares what this node leads with the copies of its followers, once. Its store describes the
 * queues at one moment of the journal, and each follower its copies at a mark that stands in its
 * stream at the place of that moment.
 *
 * <pre>
 * begin       the store is asked
 * moment      a mark goes into each stream whose follower has whole sets
 * described   by the store and by each follower that has not failed: slots are compared
 * differ      the same is done once more, {@value #PASSES} times in all; what differs each time
 *             differs
 * </pre>
 *
 * <p>More than once, since an entry whose PUBREC has come may count as released a moment before the
 * journal says so. What a copy really lacks differs each time.
 *
 * <p>On the shard that owns the copies.
 */
final class LeaderVerification {
    private static final int PASSES = 3;
    private static final BitSet ALL_SETS = new BitSet();

    static {
        ALL_SETS.set(1, CopySets.LAST + 1);
    }

    /** The copy at one follower. */
    private static final class Comparison {
        final CopyStream stream;

        /** The link by which the mark went. */
        @Nullable PeerLink link;

        BitSet sets = new BitSet();
        SlotDigests copied = new SlotDigests();
        boolean isDescribed;

        /** Slots that have differed in each pass. */
        @Nullable BitSet differing;

        /** Why it can't be compared; null: it can. */
        @Nullable String reason;

        long queues;
        List<Difference> first = List.of();

        Comparison(CopyStream stream) {
            this.stream = stream;
        }

        boolean isOpen() {
            return reason == null && !isDescribed;
        }

        void fail(String why) {
            BitSet before = differing;
            reason =
                    before == null
                            ? why
                            : before.cardinality()
                                    + " slots differed, and could not be looked at again: "
                                    + why;
        }
    }

    private final CopyStore store;
    private final Executor owner;
    private final DigestTurn turn;
    private final Collection<CopyStream> streams;
    private final int copies;
    private final int setsMissing;
    private final long limitMs;
    private final Consumer<LeaderVerdict> then;
    private final Map<Integer, Comparison> comparisons = new TreeMap<>();
    private long number;
    private int pass;

    /** Holds the digests of this node's own queues in this pass; null until they are read. */
    private @Nullable SlotDigests led;

    private boolean isMarked;
    private boolean isOver;
    private long ageMs;

    /**
     * @param streams to all followers, as they are
     * @param copies that each queue is to have
     * @param setsMissing copy sets that have fewer whole copies
     * @param number of the first pass; {@value #PASSES} numbers are used
     * @param then told once
     */
    LeaderVerification(
            CopyStore store,
            Executor owner,
            DigestTurn turn,
            Collection<CopyStream> streams,
            int copies,
            int setsMissing,
            long number,
            long limitMs,
            Consumer<LeaderVerdict> then) {
        this.store = store;
        this.owner = owner;
        this.turn = turn;
        this.streams = streams;
        this.copies = copies;
        this.setsMissing = setsMissing;
        this.number = number - 1;
        this.limitMs = limitMs;
        this.then = then;
    }

    boolean isOver() {
        return isOver;
    }

    /** Returns a number that a later verification may begin with. */
    long nextNumber() {
        return number + 1;
    }

    /** Begins the next pass. */
    void begin() {
        if (!turn.begin()) {
            fail("another comparison is under way");
            return;
        }
        number++;
        pass++;
        led = null;
        isMarked = false;
        store.describeAll(new Led(number));
    }

    private final class Led extends SlotDigestReader {
        private final long of;

        Led(long of) {
            super(QueueDigest.THIS_NODE, ALL_SETS);
            this.of = of;
        }

        @Override
        public void onMoment() {
            execute(LeaderVerification.this::mark);
        }

        @Override
        void onDigests(SlotDigests sums) {
            turn.end();
            execute(() -> {
                led = sums;
                look();
            });
        }

        @Override
        public void onFailed(Throwable cause) {
            turn.end();
            execute(() -> fail("its store could not read what it has"));
        }

        private void execute(Runnable task) {
            owner.execute(() -> {
                if (!isOver && of == number) {
                    task.run();
                }
            });
        }
    }

    /** Marks the moment in each stream that is to be compared. */
    private void mark() {
        isMarked = true;
        for (CopyStream each : streams) {
            if (pass == 1) {
                comparisons.put(each.server, new Comparison(each));
            }
            Comparison of = comparisons.get(each.server);
            if (of != null && of.stream == each && of.reason == null && isDue(of)) {
                mark(of);
            }
        }
        for (Comparison each : comparisons.values()) {
            if (each.stream.isEnded() && each.reason == null && isDue(each)) {
                each.fail("its copy began anew");
            }
        }
        look();
    }

    private static boolean isDue(Comparison of) {
        BitSet differing = of.differing;
        return differing == null || !differing.isEmpty();
    }

    private void mark(Comparison of) {
        CopyStream stream = of.stream;
        PeerLink link = stream.link();
        of.isDescribed = false;
        if (!stream.isResumed() || link == null) {
            of.fail("it is out of reach");
        } else if (stream.whole.isEmpty()) {
            of.fail("its copy is being filled");
        } else {
            of.link = link;
            of.sets = (BitSet) stream.whole.clone();
            of.copied = new SlotDigests();
            stream.mark(new Mark(number, of.sets));
        }
    }

    /** Takes what a follower has; an answer may be several messages. */
    void onDescribed(PeerLink from, Described answer) {
        Comparison of = comparisons.get(from.peer().server());
        if (isOver
                || of == null
                || !of.isOpen()
                || of.link != from
                || answer.start() != of.stream.start
                || answer.verification() != number) {
            return;
        }
        if (answer.outcome() != Outcome.DESCRIBED) {
            of.fail(answer.outcome().text);
        } else {
            for (int slot : answer.slots()) {
                of.copied.add(slot, answer.digests().queues(slot), answer.digests().digest(slot));
            }
            of.isDescribed = answer.isLast();
        }
        look();
    }

    /** Ends the pass if nothing is missing any more. */
    private void look() {
        SlotDigests here = led;
        boolean isOpen = comparisons.values().stream().anyMatch(Comparison::isOpen);
        if (here == null || !isMarked || isOpen || isOver) {
            return;
        }
        boolean isAgain = false;
        for (Comparison each : comparisons.values()) {
            if (each.reason == null && isDue(each)) {
                compare(each, here);
                isAgain |= isDue(each);
            }
        }
        if (isAgain && pass < PASSES) {
            begin();
        } else {
            end("");
        }
    }

    private static void compare(Comparison of, SlotDigests here) {
        BitSet now = here.differing(of.copied, of.sets);
        BitSet before = of.differing;
        if (before != null) {
            now.and(before);
        }
        of.differing = now;
        of.queues = here.queuesOf(of.sets);
        of.first =
                now.stream()
                        .limit(LeaderVerdict.NAMED_MAX)
                        .mapToObj(slot ->
                                new Difference(slot, here.queues(slot), of.copied.queues(slot)))
                        .toList();
    }

    /**
     * Time has passed: what can't come any more is not waited for.
     *
     * @param ms for so long this node has run
     */
    void tick(long ms) {
        ageMs += ms;
        boolean isLate = ageMs >= limitMs;
        for (Comparison each : comparisons.values()) {
            if (each.isOpen() && isMarked && isDue(each)) {
                if (each.stream.isEnded()) {
                    each.fail("its copy began anew");
                } else if (each.stream.link() != each.link) {
                    each.fail("its link broke");
                } else if (isLate) {
                    each.fail("it did not answer in time");
                }
            }
        }
        look();
        if (isLate) {
            fail("its store did not answer in time");
        }
    }

    private void fail(String failure) {
        for (Comparison each : comparisons.values()) {
            if (each.reason == null && isDue(each)) {
                each.fail(failure);
            }
        }
        end(comparisons.isEmpty() ? failure : "");
    }

    private void end(String failure) {
        if (isOver) {
            return;
        }
        isOver = true;
        List<FollowerVerdict> followers = new ArrayList<>();
        for (Comparison each : comparisons.values()) {
            BitSet differing = each.differing;
            followers.add(
                    each.reason != null || differing == null
                            ? FollowerVerdict.notCompared(
                                    each.stream.server, each.reason == null ? failure : each.reason)
                            : new FollowerVerdict(
                                    each.stream.server,
                                    each.sets.cardinality(),
                                    each.queues,
                                    differing.cardinality(),
                                    each.first,
                                    ""));
        }
        then.accept(new LeaderVerdict(copies, setsMissing, followers, failure));
    }
}

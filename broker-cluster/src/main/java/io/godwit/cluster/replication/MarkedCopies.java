package io.godwit.cluster.replication;

import io.godwit.cluster.replication.VerifyMessages.Described;
import io.godwit.cluster.replication.VerifyMessages.Mark;
import io.godwit.cluster.replication.VerifyMessages.Outcome;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.CopyStore;
import io.godwit.core.time.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * Describes this node's copies at a mark in their leader's stream.
 *
 * <pre>
 * mark         no description is under way     later parts are held back; the open commit ends
 * committed    the store is asked
 * moment       of the store's description      parts go on
 * described    the leader is told
 * late         no moment within {@value #HOLD_MS} ms, or the store fails: parts go on, and the
 *              leader is told so
 * </pre>
 *
 * On the shard that has the stream.
 */
final class MarkedCopies {
    /** Parts are held back for so long at most: far less than a follower has before it is gone. */
    static final long HOLD_MS = 1_000;

    /** A stream that stands at a mark. */
    interface Held {
        /** Lets the parts behind the mark go on. */
        void goOn();
    }

    private final Shard shard;
    private final CopyStore store;
    private final Executor executor;
    private final DigestTurn turn;

    /** Answers that links had no room for yet. */
    private final Map<PeerLink, ArrayDeque<Described>> telling = new HashMap<>();

    MarkedCopies(Shard shard, CopyStore store, Executor executor, DigestTurn turn) {
        this.shard = shard;
        this.store = store;
        this.executor = executor;
        this.turn = turn;
    }

    /**
     * Begins to describe the copies of a leader, if nothing else is described. Everything before
     * the mark was applied.
     *
     * @param stream is not to go on before it is told to
     * @return false when the stream may go on at once
     */
    boolean describe(PeerLink to, long start, Mark mark, Held stream) {
        if (!turn.begin()) {
            tell(to, start, mark, Outcome.BUSY);
            return false;
        }
        Description made = new Description(to, start, mark, stream);
        shard.timers().arm(made.limit, shard.nowMs() + HOLD_MS);
        shard.afterCommitHere(made::onCommit);
        return true;
    }

    /** Tells a leader that nothing was described. */
    void tell(PeerLink to, long start, Mark mark, Outcome outcome) {
        Described none =
                new Described(
                        start, mark.verification(), outcome, true, new SlotDigests(), List.of());
        telling.computeIfAbsent(to, any -> new ArrayDeque<>()).add(none);
        tellMore(to);
    }

    private void tell(PeerLink to, long start, Mark mark, SlotDigests digests) {
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < SlotDigests.COUNT; slot++) {
            if (digests.queues(slot) > 0) {
                slots.add(slot);
            }
        }
        ArrayDeque<Described> answer = telling.computeIfAbsent(to, any -> new ArrayDeque<>());
        for (int from = 0; from == 0 || from < slots.size(); from += VerifyMessages.SLOTS_MAX) {
            int end = Math.min(slots.size(), from + VerifyMessages.SLOTS_MAX);
            answer.add(
                    new Described(
                            start,
                            mark.verification(),
                            Outcome.DESCRIBED,
                            end == slots.size(),
                            digests,
                            slots.subList(from, end)));
        }
        tellMore(to);
    }

    /** The link has room: goes on to tell. */
    void tellMore(PeerLink to) {
        ArrayDeque<Described> left = telling.get(to);
        while (left != null && !left.isEmpty() && to.hasRoom(TrafficClass.APPENDS)) {
            if (!to.offer(left.element())) {
                break;
            }
            left.remove();
        }
        if (left != null && (left.isEmpty() || to.state() == LinkState.DOWN)) {
            telling.remove(to);
        }
    }

    /** The link has ended, and the comparison with it. */
    void onDown(PeerLink link) {
        telling.remove(link);
    }

    private final class Description extends SlotDigestReader {
        private final PeerLink to;
        private final long start;
        private final Mark mark;
        private final Held stream;
        private final Timer limit = Timer.of(nowMs -> goOn(Outcome.LATE));
        private boolean isHeld = true;

        /** The store came to the moment while the stream stood at the mark. */
        private boolean isInPlace;

        Description(PeerLink to, long start, Mark mark, Held stream) {
            super(to.peer().server(), mark.sets());
            this.to = to;
            this.start = start;
            this.mark = mark;
            this.stream = stream;
        }

        void onCommit(boolean isKept) {
            if (isHeld && isKept) {
                store.describeAll(this);
            } else {
                turn.end();
                goOn(Outcome.FAILED);
            }
        }

        @Override
        public void onMoment() {
            executor.execute(() -> {
                isInPlace = isHeld;
                letGo();
            });
        }

        @Override
        void onDigests(SlotDigests sums) {
            executor.execute(() -> {
                turn.end();
                if (isInPlace) {
                    tell(to, start, mark, sums);
                }
            });
        }

        @Override
        public void onFailed(Throwable cause) {
            executor.execute(() -> {
                turn.end();
                if (isInPlace) {
                    isInPlace = false;
                    tell(to, start, mark, Outcome.FAILED);
                } else {
                    goOn(Outcome.FAILED);
                }
            });
        }

        /** Parts go on although nothing was described at the mark. */
        private void goOn(Outcome outcome) {
            if (isHeld) {
                tell(to, start, mark, outcome);
                letGo();
            }
        }

        private void letGo() {
            if (isHeld) {
                isHeld = false;
                shard.timers().cancel(limit);
                stream.goOn();
            }
        }
    }
}

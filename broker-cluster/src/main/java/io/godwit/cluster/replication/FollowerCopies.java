package io.godwit.cluster.replication;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.shard.Shard;
import io.godwit.core.store.CopyStore;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The copies that one shard has of other nodes' queues: applies the parts of their streams, in
 * order, and confirms them. All streams of one node come to one shard. On that shard's thread.
 */
final class FollowerCopies {
    /** The stream of one leader. */
    private static final class Arriving {
        long start;
        long received;
        long confirmed;

        /** The link that brought the last message of it: a commit may end after its own link. */
        @Nullable PeerLink link;

        /** Waits for the commit that is open. */
        @Nullable Applied applied;

        /** Holds what comes behind a mark until it may go on; null: nothing is held back. */
        @Nullable ArrayDeque<Runnable> held;

        Arriving(long start, long position) {
            this.start = start;
            this.received = position;
            this.confirmed = position;
        }
    }

    /** Parts that one commit has. */
    private static final class Applied {
        final long commit;
        final PeerLink from;
        long position;
        int bytes;

        Applied(long commit, PeerLink from) {
            this.commit = commit;
            this.from = from;
        }
    }

    private final Shard shard;
    private final CopyStore store;
    private final Executor executor;
    private final CopySettings.Confirm confirm;
    private final CopyRules rules;
    private final MarkedCopies marks;
    private final Map<Integer, Arriving> streams = new HashMap<>();

    /** Whether this node has an alarm: its leaders are to stop their publishers. */
    private boolean isFull;

    /** Whether this node stops: its leaders are to choose others. */
    private boolean isLeaving;

    /** An opening of a leader's stream that was answered. */
    private record Opened(long start, long number) {}

    /** The streams that leaders have opened, by the link that each came by. */
    private final Map<PeerLink, Opened> opened = new HashMap<>();

    /** Holds the slots that each leader claimed when it opened its stream last, by server id. */
    private final Map<Integer, BitSet> claims = new HashMap<>();

    /** Leaders of whose streams nothing counts, by server id, until they open one again. */
    private final Set<Integer> fenced = new HashSet<>();

    /** An answer to a leader that has asked which copies there are. */
    private static final class Telling {
        final long start;
        final long position;
        final long[] queueIds;

        /** How many of the queues are told of, or described. */
        int next;

        /** Waits for room; null: nothing does. */
        CopyMessages.@Nullable Has message;

        Telling(long start, long position, long[] queueIds) {
            this.start = start;
            this.position = position;
            this.queueIds = queueIds;
        }
    }

    /** Holds what is told to leaders now, piece by piece. */
    private final Map<PeerLink, Telling> telling = new HashMap<>();

    FollowerCopies(
            Shard shard,
            CopyStore store,
            Executor executor,
            CopySettings.Confirm confirm,
            CopyRules rules,
            DigestTurn turn) {
        marks = new MarkedCopies(shard, store, executor, turn);
        this.store = store;
        this.executor = executor;
        this.rules = rules;
        this.shard = shard;
        this.confirm = confirm;
    }

    /** Takes the position up to which a stream was applied before this start. */
    void applied(int server, long start, long position) {
        streams.put(server, new Arriving(start, position));
    }

    /**
     * Applies and confirms nothing more of a leader whose sessions are taken over, until it opens
     * its stream again. One that has opened its stream without a claim to the slots goes on: it
     * knows of the take-over, and would not open it again.
     *
     * @param slots that are taken over
     * @param then run when everything that was applied of it is committed
     */
    void fence(int leader, BitSet slots, Runnable then) {
        BitSet claim = claims.get(leader);
        if (claim == null || claim.intersects(slots)) {
            fence(leader, then);
        } else {
            whenApplied(then);
        }
    }

    /**
     * Applies and confirms nothing more of a leader until it opens its stream again.
     *
     * @param then run when everything that was applied of it is committed
     */
    void fence(int leader, Runnable then) {
        if (rules.holds(CopyRule.FENCE)) {
            fenced.add(leader);
        }
        whenApplied(then);
    }

    private void whenApplied(Runnable then) {
        shard.enter();
        shard.afterCommitHere(isKept -> {
            if (isKept) {
                then.run();
            }
        });
    }

    /**
     * A leader asks how far its stream has come; it knows of all take-overs that are known here.
     *
     * @param number of the opening, which the answer has
     * @param claim slots that it leads; not to be changed
     */
    void onOpen(PeerLink from, long start, long number, boolean asksForHas, BitSet claim) {
        opened.put(from, new Opened(start, number));
        claims.put(from.peer().server(), claim);
        fenced.remove(from.peer().server());
        Arriving stream = streams.get(from.peer().server());
        if (stream != null && stream.start == start) {
            stream.link = from;
        }
        tellPosition(from, start);
        if (asksForHas) {
            findCopies(from, start);
        }
    }

    /** Finds the queues of a leader that there are copies of, behind all parts that came before. */
    private void findCopies(PeerLink to, long start) {
        Arriving stream = streams.get(to.peer().server());
        if (stream != null && stream.held != null) {
            stream.held.add(() -> findCopies(to, start));
            return;
        }
        long position = stream == null || stream.start != start ? 0 : stream.received;
        shard.afterCommitHere(isKept -> {
            if (isKept) {
                store.copiesOf(
                        to.peer().server(),
                        queueIds ->
                                executor.execute(() -> {
                                    Telling made = new Telling(start, position, queueIds);
                                    telling.put(to, made); // In place of what is told to it now.
                                    describe(to, made);
                                }));
            }
        });
    }

    /** Describes the next copies that a leader is to be told of. Parts go on meanwhile. */
    private void describe(PeerLink to, Telling of) {
        int from = of.next;
        int end = Math.min(of.queueIds.length, from + CopyMessages.HAS_MAX);
        of.next = end;
        long[] piece = Arrays.copyOfRange(of.queueIds, from, end);
        int flags =
                (from == 0 ? CopyMessages.HAS_FIRST : 0)
                        | (end == of.queueIds.length ? CopyMessages.HAS_LAST : 0);
        if (piece.length == 0) {
            tell(to, of, new CopyMessages.Has(of.start, of.position, flags, piece, List.of()));
            return;
        }
        store.describeCopies(
                piece,
                digests ->
                        executor.execute(() ->
                                tell(
                                        to,
                                        of,
                                        new CopyMessages.Has(
                                                of.start, of.position, flags, piece, digests))));
    }

    private void tell(PeerLink to, Telling of, CopyMessages.Has message) {
        if (telling.get(to) == of) {
            of.message = message;
            tellMore(to);
        }
    }

    /** The link has room: goes on to tell what it has copies of. */
    void tellMore(PeerLink to) {
        marks.tellMore(to);
        Telling of = telling.get(to);
        CopyMessages.Has message = of == null ? null : of.message;
        if (of == null || message == null) {
            return;
        }
        if (to.state() == LinkState.DOWN) {
            telling.remove(to);
        } else if (to.hasRoom(TrafficClass.APPENDS) && to.offer(message)) {
            of.message = null;
            if (message.isLast()) {
                telling.remove(to);
            } else {
                describe(to, of);
            }
        }
    }

    /** The link has ended: what it was owed is asked for again. */
    void onDown(PeerLink link) {
        telling.remove(link);
        opened.remove(link);
        marks.onDown(link);
    }

    /**
     * A leader's stream stands at a mark: what this node has of it is described.
     *
     * @param position of the part before
     */
    void onMark(PeerLink from, long start, long position, VerifyMessages.Mark mark) {
        Arriving stream = streams.get(from.peer().server());
        if (fenced.contains(from.peer().server())) {
            marks.tell(from, start, mark, VerifyMessages.Outcome.ELSEWHERE);
        } else if (stream != null && stream.held != null) {
            stream.held.add(() -> onMark(from, start, position, mark));
        } else if (stream == null || stream.start != start || stream.received != position) {
            marks.tell(from, start, mark, VerifyMessages.Outcome.ELSEWHERE);
        } else {
            stream.held = new ArrayDeque<>();
            if (!marks.describe(from, start, mark, () -> goOn(stream))) {
                stream.held = null;
            }
        }
    }

    private static void goOn(Arriving stream) {
        ArrayDeque<Runnable> held = stream.held;
        stream.held = null;
        if (held != null) {
            held.forEach(Runnable::run);
        }
    }

    /**
     * Applies a part.
     *
     * @param length of the message, whose credit goes back when the part is committed
     */
    void onPart(PeerLink from, long start, long position, byte[] body, int length) {
        int server = from.peer().server();
        if (fenced.contains(server)) {
            from.taken(TrafficClass.APPENDS, length);
            return;
        }
        Arriving stream = streams.get(server);
        if (stream != null && stream.held != null) {
            stream.held.add(() -> onPart(from, start, position, body, length));
            return;
        }
        boolean isFirst = position == 1 || !rules.holds(CopyRule.POSITIONS);
        if ((stream == null || start > stream.start) && isFirst) {
            stream = new Arriving(start, 0);
            streams.put(server, stream);
        }
        boolean isNext =
                stream != null
                        && start == stream.start
                        && (position == stream.received + 1 || !rules.holds(CopyRule.POSITIONS));
        if (stream == null || !isNext) {
            // Of a stream that has ended, or a part that has come before.
            from.taken(TrafficClass.APPENDS, length);
            return;
        }
        try {
            shard.store().apply(server, start, position, body);
        } catch (IndexOutOfBoundsException e) {
            from.broken();
            return;
        }
        stream.received = position;
        stream.link = from;
        noteApplied(stream, from, position, length);
    }

    private void noteApplied(Arriving stream, PeerLink from, long position, int length) {
        long commit = shard.store().openCommit();
        Applied applied = stream.applied;
        if (applied == null || applied.commit != commit || applied.from != from) {
            Applied made = new Applied(commit, from);
            applied = made;
            stream.applied = made;
            if (confirm == CopySettings.Confirm.RECEIVED) {
                shard.atTurnEnd(() -> confirm(stream, made));
            }
            shard.afterCommitHere(isKept -> onCommit(stream, made, isKept));
        }
        applied.position = position;
        applied.bytes += length;
    }

    private void onCommit(Arriving stream, Applied applied, boolean isKept) {
        if (isKept) {
            applied.from.taken(TrafficClass.APPENDS, applied.bytes);
            confirm(stream, applied);
        }
    }

    private void confirm(Arriving stream, Applied applied) {
        if (applied.position > stream.confirmed) {
            stream.confirmed = applied.position;
            PeerLink to = stream.link;
            if (to != null) {
                tellPosition(to, stream.start);
            }
        }
    }

    private void tellPosition(PeerLink to, long start) {
        if (fenced.contains(to.peer().server())) {
            return;
        }
        Opened last = opened.get(to);
        long number = last == null || last.start != start ? 0 : last.number;
        int flags = (isFull ? CopyMessages.AT_FULL : 0) | (isLeaving ? CopyMessages.AT_LEAVES : 0);
        Arriving stream = streams.get(to.peer().server());
        if (stream == null || stream.start != start) {
            to.offer(new CopyMessages.At(start, number, 0, 0, flags));
        } else {
            to.offer(new CopyMessages.At(start, number, stream.received, stream.confirmed, flags));
        }
    }

    /** An alarm of disk or memory has begun, or ended: leaders hear of it at once. */
    void full(boolean full) {
        isFull = full;
        tellPositions();
    }

    /** This node stops: leaders hear of it at once, and choose others. */
    void leave() {
        isLeaving = true;
        tellPositions();
    }

    private void tellPositions() {
        opened.forEach((link, last) -> tellPosition(link, last.start));
    }
}

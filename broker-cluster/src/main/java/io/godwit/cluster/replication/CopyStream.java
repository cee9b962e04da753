package io.godwit.cluster.replication;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.TrafficClass;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stream of parts to one follower: each has a position, without gaps, and is kept until the
 * follower has confirmed it.
 *
 * <pre>
 * no link   parts wait
 * link      open is said; parts wait for the answer
 * resumed   parts go, from the first that the follower has not received
 * ended     the follower is gone, or can't go on where it is: nothing counts any more
 * </pre>
 *
 * While a piece of a fill is read, later parts are held back, since they belong behind it.
 */
final class CopyStream {
    private static final long ASK_AGAIN_MS = 200;

    /** Each message of the answer has many queues, so it may take longer. */
    private static final long HAS_AGAIN_MS = 3_000;

    final int server;

    /** Names the stream among all streams of this node. */
    final long start;

    /** The copy sets that the follower follows. */
    final BitSet sets = new BitSet();

    /** The copy sets of which it has everything, also from before the stream. */
    final BitSet whole = new BitSet();

    private final ArrayDeque<StreamPart> unconfirmed = new ArrayDeque<>();
    private final ArrayDeque<StreamPart> unsent = new ArrayDeque<>();
    private final ArrayDeque<StreamPart> heldBack = new ArrayDeque<>();
    private final CopyRules rules;
    private boolean isHolding;
    private @Nullable PeerLink link;
    private boolean isResumed;
    private boolean asksForHas;
    private boolean isEnded;
    private boolean isFull;
    private long last;
    private long confirmed;
    private long bytes;
    private long awayMs;
    private long stalledMs;

    /** Counts how often it was opened, on a link or with a claim. */
    private long openings;

    /** How long ago the follower was asked how far the stream has come. */
    private long openedMs;

    /** The slots that this node leads, as it said last. */
    private BitSet claim = new BitSet();

    CopyStream(int server, long start, CopyRules rules) {
        this.rules = rules;
        this.server = server;
        this.start = start;
    }

    /** Takes a part, which goes as soon as it can. */
    void add(StreamPart part) {
        bytes += part.isMark() ? 0 : part.bytes();
        if (isHolding) {
            heldBack.add(part);
        } else {
            append(part);
        }
    }

    private void append(StreamPart part) {
        part.start = start;
        if (part.isMark()) {
            part.position = last;
            unsent.add(part);
            return;
        }
        part.position = ++last;
        unconfirmed.add(part);
        unsent.add(part);
    }

    /** Puts a mark behind everything that was added. It is lost with the link. */
    void mark(VerifyMessages.Mark mark) {
        add(new StreamPart(mark));
        send();
    }

    /** Holds later parts back: a piece that is being read belongs before them. */
    void holdBack() {
        isHolding = true;
    }

    /** Puts the piece in its place, and lets go what was held back. */
    void fill(int copySet, List<byte[]> bodies) {
        isHolding = false;
        for (byte[] body : bodies) {
            add(new StreamPart(copySet, body, null));
        }
        for (StreamPart each = heldBack.poll(); each != null; each = heldBack.poll()) {
            append(each);
        }
        send();
    }

    /** Sends what may go now. */
    void send() {
        PeerLink to = link;
        while (to != null && isResumed && !unsent.isEmpty() && to.hasRoom(TrafficClass.APPENDS)) {
            if (!to.offer(unsent.element())) {
                return;
            }
            unsent.remove();
        }
    }

    /**
     * Begins to go by a link.
     *
     * @param claimed slots that this node leads
     */
    void onUp(PeerLink up, BitSet claimed) {
        link = up;
        open(claimed);
    }

    /** Asks the follower how far the stream has come; parts wait for the answer. */
    void open(BitSet claimed) {
        claim = claimed;
        openings++;
        isResumed = false;
        ask(false);
    }

    private void ask(boolean forHas) {
        openedMs = 0;
        if (link != null) {
            link.offer(new CopyMessages.Open(start, openings, forHas, claim));
        }
    }

    /** Asks again if there was no answer for a while: the follower knew of a take-over. */
    void askAgain(long ms) {
        openedMs += ms;
        if (!isResumed && link != null && openedMs >= ASK_AGAIN_MS) {
            ask(false);
        } else if (asksForHas && openedMs >= HAS_AGAIN_MS) {
            ask(true);
        }
    }

    /** Asks the follower of which queues it has copies, in place of an earlier question. */
    void askForHas() {
        asksForHas = true;
        ask(true);
    }

    /** The follower is telling of which queues it has copies. */
    void tells() {
        openedMs = 0;
    }

    /** The follower has told of which queues it has copies. */
    void hasTold() {
        asksForHas = false;
    }

    boolean asksForHas() {
        return asksForHas;
    }

    void onDown(PeerLink down) {
        if (link == down) {
            link = null;
            isResumed = false;
        }
    }

    /**
     * Takes what the follower says.
     *
     * @param opened number of the opening that it has answered last
     * @return false when it can't go on where it is: the stream is to begin anew
     */
    boolean onAt(PeerLink from, long opened, long received, long confirmedNow, boolean hasAlarm) {
        if (from != link) {
            return true;
        }
        isFull = hasAlarm;
        confirm(confirmedNow);
        if (isResumed || opened != openings) {
            return true;
        }
        boolean hasLost = received < confirmed || received > last;
        if (hasLost && rules.holds(CopyRule.POSITIONS)) {
            return false;
        }
        isResumed = true;
        unsent.clear();
        for (StreamPart each : unconfirmed) {
            if (each.position > received) {
                unsent.add(each);
            }
        }
        send();
        return true;
    }

    private void confirm(long position) {
        if (position > confirmed) {
            stalledMs = 0;
        }
        StreamPart first = unconfirmed.peekFirst();
        while (first != null && first.position <= position) {
            unconfirmed.removeFirst();
            confirmed = first.position;
            over(first);
            first = unconfirmed.peekFirst();
        }
    }

    private void over(StreamPart part) {
        bytes -= part.bytes();
        if (part.awaited != null) {
            part.awaited.missing--;
        }
    }

    /**
     * The follower follows a copy set no more: nobody waits for what it has not confirmed of it.
     */
    void unfollow(int copySet) {
        sets.clear(copySet);
        whole.clear(copySet);
        for (Deque<StreamPart> of : List.of(unconfirmed, heldBack)) {
            for (StreamPart each : of) {
                AwaitedParts awaited = each.awaited;
                if (each.copySet == copySet && awaited != null) {
                    awaited.missing--;
                    each.awaited = null;
                }
            }
        }
    }

    /**
     * Ends the stream.
     *
     * @return the parts that somebody waits for and that the follower has not confirmed, in order
     */
    List<StreamPart> end() {
        isEnded = true;
        List<StreamPart> left = new ArrayList<>();
        for (Deque<StreamPart> from : List.of(unconfirmed, heldBack)) {
            for (StreamPart each : from) {
                if (each.awaited != null) {
                    left.add(each);
                }
            }
            from.clear();
        }
        unsent.clear();
        bytes = 0;
        link = null;
        isResumed = false;
        return left;
    }

    /**
     * Notes that this node has run for so long.
     *
     * @param hasEnded whether the follower is known to have ended, and it alone
     * @return whether the follower is gone: it was away, or has confirmed nothing, for too long, or
     *     too much is kept for it
     */
    boolean passed(long ms, CopySettings settings, boolean hasEnded) {
        boolean isAway = !isResumed || link == null || link.state() != LinkState.UP;
        awayMs = isAway ? awayMs + ms : 0;
        stalledMs = unconfirmed.isEmpty() ? 0 : stalledMs + ms;
        return awayMs >= (hasEnded ? CopySettings.ENDED_MS : settings.goneMs())
                || stalledMs >= settings.goneMs()
                || bytes > settings.retainedBytes();
    }

    /** The follower stays, though it is away: its time to confirm begins when it is back. */
    void waitOn() {
        stalledMs = 0;
    }

    /** Whether the follower has an alarm, and wants as little as possible. */
    boolean isFull() {
        return isFull;
    }

    boolean isEnded() {
        return isEnded;
    }

    /** Whether parts go to the follower now. */
    boolean isResumed() {
        return isResumed;
    }

    /** Returns the link to the follower; null when there is none. */
    @Nullable PeerLink link() {
        return link;
    }

    /** Position of the last part. */
    long last() {
        return last;
    }

    /** Position up to which the follower has confirmed. */
    long confirmed() {
        return confirmed;
    }

    /** Bytes of the parts that are kept for the follower. */
    long bytes() {
        return bytes;
    }

    int unconfirmedParts() {
        return unconfirmed.size() + heldBack.size();
    }
}

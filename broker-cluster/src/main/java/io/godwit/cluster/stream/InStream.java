package io.godwit.cluster.stream;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.message.CameBefore;
import io.godwit.core.message.Message;
import io.godwit.core.routing.RouteTarget;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.Sliced;
import io.godwit.core.time.Timer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream of another node's start as it arrives: each record is handled once, in order, one after
 * the other, and answered when everyone here has what it brings.
 *
 * <p>Owned by the shard at which it arrives.
 */
public final class InStream {
    private static final Logger LOG = LoggerFactory.getLogger(InStream.class);

    /**
     * Work of one slice, records handled and targets told: some tenths of a millisecond. Each slice
     * is a turn with an answer of its own, if anybody waits for it.
     */
    private static final int SLICE = 2_000;

    /** Whether there is room again is looked at so often. */
    private static final long LOOK_MS = 20;

    /** Handles records. */
    public interface Handler {
        /**
         * Handles a record, or begins to.
         *
         * @param again an earlier start of either node may have brought it
         * @param receipt to be told to await whatever has to have it before it is answered
         * @return work to be run to its end before the next record; null when there is none
         */
        @Nullable Sliced handle(
                NodeStart from, StreamRecord record, boolean again, Arrival receipt);
    }

    /** What a handler returns that needs to know more: {@link Arrival#resume} follows. */
    public static final Sliced LATER = () -> false;

    private static final class Arrived {
        final StreamBatch batch;
        final PeerLink link;
        final int length;

        Arrived(StreamBatch batch, PeerLink link, int length) {
            this.batch = batch;
            this.link = link;
            this.length = length;
        }
    }

    private final NodeStart from;
    private final int number;
    private final Shard shard;
    private final Handler handler;
    private final SourceGate gate;
    private final Supplier<List<SourceGate.Closing>> takeovers;
    private final BooleanSupplier isFull;
    private final boolean dropsSeen;
    private final Unanswered unanswered;
    private final ArrayDeque<Arrived> waiting = new ArrayDeque<>(0);
    private final CameUpTo cameUpTo = new CameUpTo();
    private long seen;
    private boolean busy;
    private boolean isOpened;

    /** The last that was seen and is answered. */
    private long lastAwaited;

    /** A slice follows in which more is handled. */
    private boolean goesOn;

    /** There was room when this batch began, or was gone on with: that does for all of it. */
    private boolean hasRoom;

    /** What is left of the slice, of all that comes in one turn. */
    private int left = SLICE;

    /**
     * @param from whose stream
     * @param takeovers those of this node's start until now
     * @param isFull whether there is no room for more: then nothing is handled, and the link gets
     *     back nothing of what came, until there is
     * @param isTargetFull whether whoever publishes to a target has to wait
     * @param dropsSeen always, but in the simulator
     * @param whenToAnswer asks for {@link #answers} at the end of the turn
     */
    public InStream(
            NodeStart from,
            int number,
            Shard shard,
            Handler handler,
            Supplier<List<SourceGate.Closing>> takeovers,
            BooleanSupplier isFull,
            Predicate<RouteTarget> isTargetFull,
            boolean dropsSeen,
            Runnable whenToAnswer) {
        this.isFull = isFull;
        this.dropsSeen = dropsSeen;
        this.from = from;
        this.number = number;
        this.shard = shard;
        this.handler = handler;
        this.takeovers = takeovers;
        this.gate = new SourceGate();
        this.unanswered =
                new Unanswered(
                        from,
                        number,
                        this::resume,
                        new FullTargets(shard, isTargetFull, whenToAnswer),
                        whenToAnswer);
    }

    /** Its node has started anew: what has not been handled comes again. */
    public void close() {
        waiting.clear();
        unanswered.close();
    }

    /** Whose stream it is. */
    public NodeStart from() {
        return from;
    }

    /**
     * A message of it has come.
     *
     * @param length that the link wants back when it is handled
     */
    public void on(StreamMessage message, PeerLink link, int length) {
        switch (message) {
            case StreamOpen open -> {
                if (!isOpened) {
                    isOpened = true;
                    gate.begin(takeovers.get(), open.entered(), open.closed());
                }
                open(open.answered());
                link.taken(open.type().traffic(), length);
            }
            case StreamBatch batch -> {
                waiting.add(new Arrived(batch, link, length));
                drain();
            }
            case Answers answers -> throw new IllegalArgumentException("not to a stream's end");
        }
    }

    private void open(long answered) {
        // Up to there nothing comes any more, also what was for an earlier start of this node
        // alone.
        seen = Math.max(seen, answered);
        unanswered.open(answered, seen);
        cameUpTo.heard(answered);
        show();
    }

    /** Leaves out durable sessions of slots that this node takes over. */
    public void close(SourceGate.Closing takeover) {
        gate.close(takeover);
    }

    /** The link has ended. */
    public void onDown() {
        cameUpTo.linkEnded();
    }

    private void drain() {
        handleWaiting();
        show();
        if (!goesOn) {
            unanswered.pause();
        }
    }

    private void show() {
        cameUpTo.show(lastAwaited, unanswered.isOpen(), shard.nowMs());
    }

    /**
     * Adds up to where it has been seen, if something of that may come again. Any thread.
     *
     * @param nowMs a shard's time
     */
    public void addTo(CameBefore.Builder came, long nowMs) {
        long upTo = number == StreamName.SHARED ? 0 : cameUpTo.mayComeAgain(nowMs);
        if (upTo > 0) {
            came.add(from.server(), from.start(), number, upTo);
        }
    }

    /** Whether something may come again up to a position that was seen. Any thread. */
    public boolean mayComeAgain(long upTo, long nowMs) {
        return cameUpTo.mayComeAgain(upTo, nowMs);
    }

    /** Whether it is that of the number. Any thread. */
    public boolean is(int stream) {
        return number == stream;
    }

    private void handleWaiting() {
        while (!busy) {
            Arrived head = waiting.peek();
            if (head == null) {
                return;
            }
            StreamBatch batch = head.batch;
            if (batch.isNew() && !isNext(batch) || batch.isAtEnd()) {
                waiting.remove();
                head.link.taken(batch.type().traffic(), head.length);
                continue;
            }
            if (left <= 0 || shard.hasMuchToFlush()) {
                busy = true;
                goesOn = true;
                shard.slice(() -> {
                    left = SLICE;
                    goesOn = false;
                    goOn();
                    return true;
                });
                return;
            }
            if (!hasRoom || batch.isNew()) {
                hasRoom = !isFull.getAsBoolean();
            }
            if (!hasRoom) {
                goOnLater();
                return;
            }
            StreamRecord record = nextOf(head);
            if (record == null) {
                return;
            }
            long position = batch.position();
            if (position > seen || !dropsSeen) {
                seen = Math.max(seen, position);
                left -= begin(position, record, batch.isAgain());
            }
        }
    }

    /** Null when it can't be read: then its link ends, and all comes again from there on. */
    private @Nullable StreamRecord nextOf(Arrived head) {
        try {
            return head.batch.next();
        } catch (RuntimeException e) {
            LOG.error("Stream {} of node {}: a record can't be read", number, from, e);
            waiting.clear();
            head.link.broken();
            return null;
        }
    }

    private boolean isNext(StreamBatch batch) {
        unanswered.forgetTold(batch.answered);
        cameUpTo.heard(batch.answered);
        if (batch.before <= seen && !batch.isEmpty()) {
            return true;
        }
        if (batch.before > seen) {
            LOG.warn(
                    "Stream {} of node {} continues after {} but was seen up to {}: what arrives"
                            + " is dropped until the next link",
                    number,
                    from,
                    batch.before,
                    seen);
        }
        return false;
    }

    private void goOnLater() {
        busy = true;
        shard.timers().arm(Timer.of(nowMs -> goOn()), shard.nowMs() + LOOK_MS);
    }

    private void goOn() {
        busy = false;
        hasRoom = false;
        drain();
    }

    /**
     * @return how much of a slice it took
     */
    private int begin(long position, StreamRecord record, boolean again) {
        if (!again
                && record instanceof StreamRecord.Publish publish
                && publish.message().qos == 0) {
            return beginQos0(position, record, publish.message());
        }
        Unanswered.Slot slot = unanswered.add(position, qos(record));
        lastAwaited = position;
        if (record instanceof StreamRecord.Enter enter) {
            gate.enter(enter.takeover(), enter.slots());
            run(slot, null);
            return 1;
        }
        slot.gate = gate.gate();
        Sliced work = handler.handle(from, record, again, slot);
        if (work == LATER) {
            busy = true;
            return 1;
        }
        run(slot, work);
        return work == null ? 1 : work.cost();
    }

    /** Nobody is awaited: when it is routed it is done, and has no slot before. */
    private int beginQos0(long position, StreamRecord record, Message message) {
        unanswered.nobody.gate = gate.gate();
        Sliced work = handler.handle(from, record, false, unanswered.nobody);
        if (work == null || work.slice()) {
            unanswered.routed(message);
        } else {
            runLater(unanswered.add(position, 0), work);
        }
        return work == null ? 1 : work.cost();
    }

    private void resume(Unanswered.Slot slot, @Nullable Sliced work) {
        if (run(slot, work)) {
            goOn();
        }
    }

    /**
     * @return whether the next record may be handled at once
     */
    private boolean run(Unanswered.Slot slot, @Nullable Sliced work) {
        if (work == null || work.slice()) {
            unanswered.handled(slot);
            return true;
        }
        runLater(slot, work);
        return false;
    }

    private void runLater(Unanswered.Slot slot, Sliced work) {
        busy = true;
        shard.slice(() -> {
            if (!work.slice()) {
                return false;
            }
            unanswered.handled(slot);
            goOn();
            return true;
        });
    }

    private static int qos(StreamRecord record) {
        return switch (record) {
            case StreamRecord.Publish publish -> publish.message().qos;
            case StreamRecord.RetainedPublish publish -> publish.message().qos;
            case StreamRecord.GroupPublish publish -> publish.message().qos;
            case StreamRecord.PassedOn publish -> publish.message().qos == 2 ? 2 : 1;
            case StreamRecord.Redirected publish -> publish.message().qos;
            default -> 1;
        };
    }

    /** What is to be told now, at the end of a turn. */
    public StreamMessage answers() {
        left = SLICE;
        show();
        return unanswered.answers(seen);
    }
}

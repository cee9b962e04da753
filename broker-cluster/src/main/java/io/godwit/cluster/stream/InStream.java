package io.godwit.cluster.stream;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.message.Message;
import io.godwit.core.routing.RouteTarget;
import io.godwit.core.shard.FreshQueue;
import io.godwit.core.shard.Shard;
import io.godwit.core.shard.Sliced;
import io.godwit.core.time.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
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

    /**
     * Bytes of messages of QoS 0 that are answered together while more is here: nobody waits for an
     * answer, which wakes five threads of two nodes, but the sender keeps them until then.
     */
    private static final int ANSWER_BYTES = 512 << 10;

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

    /** A record that was seen; of publishes the receipt that its targets tell. */
    private final class Slot extends Arrival {
        final long position;
        boolean done;

        /** It went to this one, which held more than its part. */
        private @Nullable RouteTarget fed;

        Slot(long position, int qos) {
            super(qos);
            this.position = position;
        }

        @Override
        public NodeStart from() {
            return from;
        }

        @Override
        public boolean isAwaited() {
            return !isClosed;
        }

        @Override
        public void onDone() {
            InStream.this.done(this);
        }

        @Override
        public void feeds(RouteTarget target) {
            if (qos > 0) {
                fed = target;
            }
        }

        @Override
        public void resume(@Nullable Sliced work) {
            if (run(this, work)) {
                goOn();
            }
        }
    }

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
    private final Runnable whenToAnswer;
    private final BooleanSupplier isFull;
    private final boolean dropsSeen;
    private final FullTargets fullTargets;
    private final ArrayDeque<Arrived> waiting = new ArrayDeque<>(0);

    /** Seen and not answered by {@link #upTo} yet, in order. */
    private final FreshQueue<Slot> open = new FreshQueue<>();

    /** Done behind others that are not, or with a reason; not told yet. */
    private final List<Slot> toTell = new ArrayList<>(0);

    /** Refused, until the sender has heard. */
    private final ArrayDeque<Slot> refused = new ArrayDeque<>(0);

    /** What publishes of QoS 0 are handled with, of which nothing is awaited. */
    private final Slot nobody = new Slot(0, 0);

    private long seen;
    private long upTo;
    private boolean busy;

    /** A slice follows in which more is handled. */
    private boolean goesOn;

    private boolean opened;

    /** Nobody waits for answers any more. */
    private volatile boolean isClosed;

    /** Bytes of messages of QoS 0 since the last answer. */
    private int unanswered;

    /** What is left of the slice, of all that comes in one turn. */
    private int left = SLICE;

    /**
     * @param from whose stream
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
        this.whenToAnswer = whenToAnswer;
        this.fullTargets = new FullTargets(shard, isTargetFull, whenToAnswer);
    }

    /** Its node has started anew: what has not been handled comes again. */
    public void close() {
        isClosed = true;
        waiting.clear();
        fullTargets.clear();
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
        if (!opened) {
            opened = true;
            upTo = seen;
            return;
        }
        // What was answered on the former link may have been lost with it.
        fullTargets.clear();
        forgetTold(answered);
        toTell.clear();
        toTell.addAll(refused);
        open.forEach(slot -> {
            if (slot.done) {
                toTell.add(slot);
            }
        });
        whenToAnswer.run();
    }

    private void forgetTold(long answered) {
        while (!refused.isEmpty() && refused.peek().position <= answered) {
            refused.remove();
        }
    }

    private void drain() {
        handleWaiting();
        if (!goesOn && unanswered > 0) {
            whenToAnswer.run();
        }
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
            if (isFull.getAsBoolean()) {
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
        forgetTold(batch.answered);
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
        Slot slot = new Slot(position, qos(record));
        open.add(slot);
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
        Sliced work = handler.handle(from, record, false, nobody);
        if (work == null || work.slice()) {
            unanswered += message.accountedBytes();
            if (unanswered >= ANSWER_BYTES) {
                whenToAnswer.run();
            }
        } else {
            Slot slot = new Slot(position, 0);
            open.add(slot);
            runLater(slot, work);
        }
        return work == null ? 1 : work.cost();
    }

    /**
     * @return whether the next record may be handled at once
     */
    private boolean run(Slot slot, @Nullable Sliced work) {
        if (work == null || work.slice()) {
            handled(slot);
            return true;
        }
        runLater(slot, work);
        return false;
    }

    private void runLater(Slot slot, Sliced work) {
        busy = true;
        shard.slice(() -> {
            if (!work.slice()) {
                return false;
            }
            handled(slot);
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
            default -> 1;
        };
    }

    private void handled(Slot slot) {
        slot.allTold();
        if (slot.routed()) {
            done(slot);
        }
    }

    private void done(Slot slot) {
        if (slot.hasFailed()) {
            return; // The store has failed: this start answers nothing more.
        }
        slot.done = true;
        if (slot.fed != null) {
            fullTargets.add(slot.fed, slot.position);
        }
        boolean error = slot.reason.isError();
        if (error) {
            refused.add(slot);
        }
        if (error || slot != open.peek()) {
            toTell.add(slot);
        }
        Slot first;
        while ((first = open.peek()) != null && first.done) {
            upTo = first.position;
            open.poll();
        }
        whenToAnswer.run();
    }

    /** What is to be told now, at the end of a turn. */
    public StreamMessage answers() {
        left = SLICE;
        unanswered = 0;
        Slot first = open.peek();
        // Between those that are awaited there are some that nobody waits for.
        upTo = first == null ? seen : Math.max(upTo, first.position - 1);
        toTell.removeIf(slot -> slot.position <= upTo && !slot.reason.isError());
        long[] positions = new long[toTell.size()];
        byte[] reasons = new byte[toTell.size()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = toTell.get(i).position;
            reasons[i] = (byte) toTell.get(i).reason.code();
        }
        toTell.clear();
        return new Answers(
                number, upTo, positions, reasons, fullTargets.takeFull(), fullTargets.takeEased());
    }
}

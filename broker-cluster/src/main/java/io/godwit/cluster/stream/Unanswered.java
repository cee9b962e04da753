package io.godwit.cluster.stream;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.message.CameBefore;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.RouteTarget;
import io.godwit.core.shard.FreshQueue;
import io.godwit.core.shard.Sliced;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** What an {@link InStream} has seen, and its node has not been told that everyone here has it. */
final class Unanswered {
    /**
     * Bytes of messages of QoS 0 that are answered together while more is here: nobody waits for an
     * answer, which wakes five threads of two nodes, but the sender keeps them until then.
     */
    private static final int ANSWER_BYTES = 512 << 10;

    /** A record that was seen; of publishes the receipt that its targets tell. */
    final class Slot extends Arrival {
        final long position;
        private boolean done;

        /** It went to this one, which held more than its part. */
        private @Nullable RouteTarget fed;

        private Slot(long position, int qos) {
            super(qos);
            this.position = position;
        }

        @Override
        public NodeStart from() {
            return from;
        }

        @Override
        public boolean isAmong(CameBefore before) {
            return number != StreamName.SHARED
                    && before.has(from.server(), from.start(), number, position);
        }

        @Override
        public void onDone() {
            Unanswered.this.done(this);
        }

        @Override
        public void feeds(RouteTarget target) {
            if (qos > 0) {
                fed = target;
            }
        }

        @Override
        public void giveBack(TopicFilter group, int taker) {
            super.giveBack(group, taker);
            Answers.GivenBack told = new Answers.GivenBack(position, taker, group);
            givenBack.add(told);
            toGiveBack.add(told);
            whenToAnswer.run();
        }

        @Override
        public void resume(@Nullable Sliced work) {
            whenKnown.accept(this, work);
        }
    }

    private final NodeStart from;
    private final int number;
    private final BiConsumer<Slot, @Nullable Sliced> whenKnown;
    private final FullTargets fullTargets;
    private final Runnable whenToAnswer;

    /** Not answered by {@link #upTo} yet, in order. */
    private final FreshQueue<Slot> open = new FreshQueue<>();

    /** Done behind others that are not, or with a reason; not told yet. */
    private final List<Slot> toTell = new ArrayList<>(0);

    /** Refused, until the sender has heard. */
    private final ArrayDeque<Slot> refused = new ArrayDeque<>(0);

    /** Given back, until the sender has heard; and what of it is not told yet. */
    private final List<Answers.GivenBack> givenBack = new ArrayList<>(0);

    private final List<Answers.GivenBack> toGiveBack = new ArrayList<>(0);

    /** What publishes of QoS 0 are handled with, of which nothing is awaited. */
    final Slot nobody = new Slot(0, 0);

    private long upTo;
    private boolean opened;

    /** Bytes of messages of QoS 0 since the last answer. */
    private int bytes;

    /**
     * @param from whose stream
     * @param number of the stream
     * @param whenKnown goes on with a record of which more had to be known first
     * @param whenToAnswer asks for {@link #answers} at the end of the turn
     */
    Unanswered(
            NodeStart from,
            int number,
            BiConsumer<Slot, @Nullable Sliced> whenKnown,
            FullTargets fullTargets,
            Runnable whenToAnswer) {
        this.from = from;
        this.number = number;
        this.whenKnown = whenKnown;
        this.fullTargets = fullTargets;
        this.whenToAnswer = whenToAnswer;
    }

    // ---------------------------------------------------------------- links

    /** The node has started anew. */
    void close() {
        fullTargets.clear();
    }

    /**
     * A link has opened.
     *
     * @param answered up to there the sender has heard it
     * @param seen up to there nothing comes any more
     */
    void open(long answered, long seen) {
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
        toGiveBack.clear();
        toGiveBack.addAll(givenBack);
        open.forEach(slot -> {
            if (slot.done) {
                toTell.add(slot);
            }
        });
        whenToAnswer.run();
    }

    /** The sender has heard the answers up to there. */
    void forgetTold(long answered) {
        while (!refused.isEmpty() && refused.peek().position <= answered) {
            refused.remove();
        }
        givenBack.removeIf(each -> each.position() <= answered);
    }

    // ---------------------------------------------------------------- what is seen

    /** A record has come. */
    Slot add(long position, int qos) {
        Slot slot = new Slot(position, qos);
        open.add(slot);
        return slot;
    }

    /** A message of QoS 0 is routed, and had no slot before. */
    void routed(Message message) {
        bytes += message.accountedBytes();
        if (bytes >= ANSWER_BYTES) {
            whenToAnswer.run();
        }
    }

    /** Nothing more is here at the moment: what nobody waits for is answered, too. */
    void pause() {
        if (bytes > 0) {
            whenToAnswer.run();
        }
    }

    /** Whether something is here that somebody is still to have. */
    boolean isOpen() {
        return open.peek() != null;
    }

    /** Every target of a record was told. */
    void handled(Slot slot) {
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

    // ---------------------------------------------------------------- what is told

    /**
     * What is to be told now.
     *
     * @param seen up to there everything has come
     */
    Answers answers(long seen) {
        bytes = 0;
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
        List<Answers.GivenBack> back = List.copyOf(toGiveBack);
        toGiveBack.clear();
        return new Answers(
                number,
                upTo,
                positions,
                reasons,
                fullTargets.takeFull(),
                fullTargets.takeEased(),
                back);
    }
}

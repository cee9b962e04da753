package io.godwit.cluster.stream;

import io.godwit.core.publish.SlotGate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Knows for durable sessions of which slots the messages of one source are not routed here: this
 * node takes these slots over from a leader that is gone, and the source has not entered them yet.
 * It has sent the same messages to the former leader, and sends again from there what was not
 * answered.
 *
 * <p>A source is a stream of another node, or a shard's own publishers.
 */
public final class SourceGate {
    /**
     * Slots that are taken over.
     *
     * @param takeover number among those of this start, from 1 on
     * @param slots not to be changed
     */
    public record Closing(int takeover, BitSet slots) {}

    /** Those of which some slots are still closed. */
    private final List<Closing> closings = new ArrayList<>(0);

    /** Slots that the source had entered at an earlier start, until they are taken over here. */
    private final BitSet entered = new BitSet(0);

    private @Nullable SlotGate gate;

    /** Returns what the source's messages pass now; null in peace. */
    public @Nullable SlotGate gate() {
        return gate;
    }

    /**
     * Notes what a new stream says of its source.
     *
     * @param takeovers of this start until now
     * @param before slots that the source had entered before the first record that comes
     * @param later slots that it enters by a record which comes
     */
    public void begin(List<Closing> takeovers, BitSet before, BitSet later) {
        entered.or(before);
        takeovers.forEach(this::close);
        if (!later.isEmpty()) {
            closings.add(new Closing(0, later));
        }
        look();
    }

    /** Closes slots that are taken over; but for those that the source had entered before. */
    public void close(Closing takeover) {
        BitSet slots = (BitSet) takeover.slots().clone();
        slots.andNot(entered);
        entered.andNot(takeover.slots());
        if (!slots.isEmpty()) {
            closings.add(new Closing(takeover.takeover(), slots));
            look();
        }
    }

    /**
     * Opens slots that the source has entered.
     *
     * @param takeover that it has heard of; 0 when that was one of an earlier start
     */
    public void enter(int takeover, BitSet slots) {
        if (takeover == 0) {
            entered.or(slots);
        }
        for (int i = closings.size() - 1; i >= 0; i--) {
            Closing closed = closings.get(i);
            if (takeover == 0 || closed.takeover() <= takeover) {
                BitSet left = (BitSet) closed.slots().clone();
                left.andNot(slots);
                closings.set(i, new Closing(closed.takeover(), left));
                if (closed.takeover() > 0) {
                    entered.andNot(closed.slots()); // The next one is not that of a restart.
                }
            }
        }
        closings.removeIf(closed -> closed.slots().isEmpty());
        look();
    }

    private void look() {
        gate = SlotGate.without(closed());
    }

    /** Returns the slots that are closed now. */
    BitSet closed() {
        BitSet closed = new BitSet();
        closings.forEach(each -> closed.or(each.slots()));
        return closed;
    }
}

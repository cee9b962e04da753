package io.godwit.cluster.leadership;

import io.godwit.cluster.transport.NodeStart;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Shows who leads each slot, as one node knows it at a moment. Never changes; any thread reads. */
public final class SlotLeaders {
    /** Where a slot is led, seen from one node. */
    public enum State {
        /** This node acts for it. */
        LED,
        /** Another node leads it, and is heard. */
        ELSEWHERE,
        /** This node has taken it over, and loads its sessions. */
        LOADING,
        /** It has a leader that does not act now: it is out of reach, or only just starting. */
        OFFLINE,
        /** No leader of it is known. */
        UNKNOWN;

        private static final State[] ALL = values();
    }

    private final @Nullable Epoch[] epochs;
    private final byte[] states;
    private final BitSet granting;
    private final @Nullable NodeStart[] standIns;
    private final BitSet older;

    /** Groups the slots; null: nobody has asked yet. */
    private volatile @Nullable SlotGroups groups;

    /**
     * @param states ordinals
     * @param granting those of the slots led here in which claims may be granted
     * @param standIns by slot
     * @param older slots in which this node may have sessions of before a take-over
     */
    SlotLeaders(
            @Nullable Epoch[] epochs,
            byte[] states,
            BitSet granting,
            @Nullable NodeStart[] standIns,
            BitSet older) {
        this.epochs = epochs;
        this.states = states;
        this.granting = granting;
        this.standIns = standIns;
        this.older = older;
    }

    /** Returns the view of a node that knows nothing yet. */
    public static SlotLeaders unknown(int slots) {
        byte[] states = new byte[slots];
        Arrays.fill(states, (byte) State.UNKNOWN.ordinal());
        return new SlotLeaders(
                new Epoch[slots], states, new BitSet(), new NodeStart[slots], new BitSet());
    }

    public State state(int slot) {
        return State.ALL[states[slot]];
    }

    /** Returns the highest epoch that is known of a slot; null: none. */
    public @Nullable Epoch epoch(int slot) {
        return epochs[slot];
    }

    /** Returns the slots that this node acts for; a copy. */
    public BitSet led() {
        return (BitSet) groups().led().clone();
    }

    /** Whether this node acts for a slot. */
    public boolean acts(int slot) {
        return states[slot] == State.LED.ordinal();
    }

    /**
     * Whether this node may grant claims in a slot: it acts for it, and every live member has told
     * what it has since its link opened, or was waited for long enough.
     */
    public boolean grants(int slot) {
        return granting.get(slot);
    }

    /** Returns the incarnation that leads a slot and is heard; null: none, or it is loaded here. */
    public @Nullable NodeStart leader(int slot) {
        Epoch epoch = epochs[slot];
        boolean isReachable = states[slot] <= State.ELSEWHERE.ordinal();
        return epoch == null || !isReachable ? null : epoch.leader();
    }

    /**
     * Returns who grants transient connections with Clean Start in a slot whose leader is out of
     * reach: the first live member of its order.
     *
     * @return null: the leader is heard, or starts, or has not been away for long
     */
    public @Nullable NodeStart standIn(int slot) {
        return standIns[slot];
    }

    /** Counts the slots that a node leads, and is heard. */
    public int countLedBy(int server) {
        int count = 0;
        for (int slot = 0; slot < states.length; slot++) {
            NodeStart leader = leader(slot);
            count += leader != null && leader.server() == server ? 1 : 0;
        }
        return count;
    }

    /**
     * Whether each slot has a leader, none is led by a server, and each that was taken over was
     * loaded.
     *
     * @param loadedBy of a slot the server id of the node that has loaded it last; 0: nobody
     */
    public boolean leadsNothing(int server, IntUnaryOperator loadedBy) {
        for (int slot = 0; slot < epochs.length; slot++) {
            Epoch epoch = epochs[slot];
            if (epoch == null
                    || epoch.server() == server
                    || epoch.from() != 0 && loadedBy.applyAsInt(slot) != epoch.server()) {
                return false;
            }
        }
        return true;
    }

    /** Returns the slots that a server leads, whether it acts for them or not; a copy. */
    public BitSet ledBy(int server) {
        return groups().ledBy(server);
    }

    /**
     * Returns the slots in which this node may have sessions of before a take-over by another one,
     * which are no copies yet; not to be changed.
     */
    public BitSet older() {
        return older;
    }

    /** Counts the slots in a state. */
    public int count(State state) {
        return groups().count(state);
    }

    private SlotGroups groups() {
        SlotGroups made = groups;
        if (made == null) {
            made = SlotGroups.of(epochs, states);
            groups = made;
        }
        return made;
    }

    public int size() {
        return states.length;
    }

    /** Whether this node acts for slots in which it may not grant claims yet. */
    boolean waits() {
        return granting.cardinality() < count(State.LED);
    }

    /** Returns the slots whose epoch, state, granting or stand-in differs in another view. */
    public BitSet differing(SlotLeaders other) {
        BitSet differ = (BitSet) granting.clone();
        differ.xor(other.granting);
        for (int slot = 0; slot < states.length; slot++) {
            if (states[slot] != other.states[slot]
                    || !Objects.equals(epochs[slot], other.epochs[slot])
                    || !Objects.equals(standIns[slot], other.standIns[slot])) {
                differ.set(slot);
            }
        }
        return differ;
    }

    boolean isSame(SlotLeaders other) {
        return Arrays.equals(states, other.states)
                && granting.equals(other.granting)
                && older.equals(other.older)
                && Arrays.equals(standIns, other.standIns)
                && Arrays.equals(epochs, other.epochs);
    }
}

package io.godwit.cluster.leadership;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Set;

/**
 * Knows in which slots this node may have sessions of before a take-over by another node, which
 * goes on with them. They become copies of its own, and until then this node neither acts for the
 * slot nor loads it, nor takes anything into its copies of the slot.
 */
final class OlderSessions {
    /** No row of the slot was on this node's disk, or it is damaged: its leader has to say. */
    private static final int UNKNOWN = -1;

    private final int self;
    private final Set<LeadershipRule> rules;

    /** By slot: how many take-overs the sessions know that are here and not left. */
    private final int[] served;

    private final BitSet left = new BitSet();

    /** Slots whose sessions are being left, or may still seem to be there. */
    private final BitSet underWay = new BitSet();

    /** Holds the slots of {@link #underWay} whose older sessions are left already. */
    private final BitSet done = new BitSet();

    /**
     * Slots of {@link #left} whose older sessions, all but those of claims, have been left once.
     */
    private final BitSet leftOnce = new BitSet();

    /**
     * @param self server id of this node
     */
    OlderSessions(int self, int slots, Set<LeadershipRule> rules) {
        this.self = self;
        this.rules = rules;
        served = new int[slots];
        Arrays.fill(served, UNKNOWN);
    }

    /** Takes up the table that was on the disk at the start. */
    void onLoaded(SlotTable table) {
        for (int slot = 0; slot < served.length; slot++) {
            Epoch epoch = table.get(slot);
            if (epoch != null) {
                served[slot] = epoch.server() == self ? epoch.takeovers() : 0;
                onRow(slot, epoch);
            }
        }
    }

    /** Notes that an epoch is the highest one of a slot now. */
    void onRow(int slot, Epoch epoch) {
        boolean isOwn = epoch.server() == self;
        boolean isKnown = served[slot] != UNKNOWN;
        boolean tookOver = isOwn && epoch.from() != 0;
        if (isKnown && !tookOver && epoch.takeovers() > served[slot]) {
            left.set(slot, rules.contains(LeadershipRule.OLDER_YIELDED));
            leftOnce.clear(slot);
        }
        if (isKnown || isOwn) {
            served[slot] = Math.max(served[slot], epoch.takeovers());
        }
    }

    /** Whether there may be some in a slot. */
    boolean isLeft(int slot) {
        return left.get(slot);
    }

    /** Whether there may be some in any slot. */
    boolean isSomeLeft() {
        return !left.isEmpty();
    }

    /** Returns the slots in which there may be some; a copy. */
    BitSet left() {
        return (BitSet) left.clone();
    }

    /**
     * Begins to leave them.
     *
     * @param among slots in which that may begin
     * @return those of them in which it was not under way
     */
    BitSet begin(BitSet among) {
        BitSet begins = left();
        begins.and(among);
        begins.andNot(underWay);
        underWay.or(begins);
        return begins;
    }

    /** Returns the slots in which they are being left; a copy. */
    BitSet underWay() {
        return (BitSet) underWay.clone();
    }

    /** Notes that those of slots that were there are left. */
    void end(BitSet slots) {
        done.or(slots);
        leftOnce.or(slots);
    }

    /** Returns the slots in which those that were there are still to be left; a copy. */
    BitSet served() {
        BitSet slots = left();
        slots.andNot(leftOnce);
        return slots;
    }

    /** Lets those be left that are there all the same: a claim was under way. */
    void lookAgain() {
        underWay.andNot(done);
        done.clear();
    }

    /**
     * Notes that there are none in slots.
     *
     * @return whether that is news
     */
    boolean none(BitSet slots) {
        boolean isNews = left.intersects(slots);
        left.andNot(slots);
        underWay.andNot(slots);
        leftOnce.andNot(slots);
        return isNews;
    }
}

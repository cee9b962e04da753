package io.godwit.core.routing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One level of the filters that have a wildcard. Changed by the index's writer only, read by
 * anyone.
 *
 * <p><i>Concurrency.</i> Several children are an open-addressing table by level. A child is
 * published by release and never moves under a reader: one that is removed leaves {@link #DEAD} in
 * its slot, and a table that is too full, or too empty, is replaced.
 *
 * <p><i>Memory.</i> 48 bytes, its level's bytes when these are more than 8, and 6 to 16 bytes per
 * child. The table is nothing but the array, since what a walk costs is the cache lines it touches.
 */
final class TrieNode {
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(TrieNode[].class);
    private static final int SLOTS_MIN = 4;

    /** In a slot whose child was removed; is no level. */
    private static final TrieNode DEAD = new TrieNode(-1, new byte[0]);

    /** {@link Levels#number} of its level. */
    private final long number;

    /** Its level, when the number is only a hash; an own copy. */
    private final byte @Nullable [] level;

    /** Null, a {@link TrieNode} when it is the only one, or an array of slots. */
    private volatile @Nullable Object children;

    /** The child for {@code +}. */
    private volatile @Nullable TrieNode plus;

    /** The filter that ends here. */
    private volatile @Nullable FilterEntry filter;

    /** The filter that ends here with {@code /#}. */
    private volatile @Nullable FilterEntry multi;

    /** Children; writer only. */
    private int live;

    /** Slots that are not null; writer only. */
    private int used;

    private TrieNode(long number, byte @Nullable [] level) {
        this.number = number;
        this.level = level;
    }

    /** The root, or a node for {@code +}. */
    TrieNode() {
        this(0, null);
    }

    /** A node for the level in these bytes. */
    TrieNode(byte[] bytes, int from, int to) {
        this(
                Levels.number(bytes, from, to),
                to - from > Levels.PACKED_MAX ? Arrays.copyOfRange(bytes, from, to) : null);
    }

    /**
     * The child for a level. Any thread.
     *
     * @param levelNumber {@link Levels#number} of it
     */
    @Nullable TrieNode child(byte[] bytes, int from, int to, long levelNumber) {
        Object held = children;
        if (held == null) {
            return null;
        }
        if (held instanceof TrieNode only) {
            return only.isLevel(bytes, from, to, levelNumber) ? only : null;
        }
        TrieNode[] slots = (TrieNode[]) held;
        return at(slots, find(slots, bytes, from, to, levelNumber));
    }

    /** Any thread. */
    @Nullable TrieNode plus() {
        return plus;
    }

    void plus(@Nullable TrieNode node) {
        plus = node;
    }

    /** Any thread. */
    @Nullable FilterEntry filter() {
        return filter;
    }

    void filter(@Nullable FilterEntry entry) {
        filter = entry;
    }

    /** Any thread. */
    @Nullable FilterEntry multi() {
        return multi;
    }

    void multi(@Nullable FilterEntry entry) {
        multi = entry;
    }

    /** Adds a child for a level that has none. */
    void addChild(TrieNode child) {
        Object held = children;
        if (held == null) {
            children = child;
            live = 1;
        } else if (held instanceof TrieNode only) {
            TrieNode[] slots = new TrieNode[SLOTS_MIN];
            live = 0;
            used = 0;
            insert(slots, only);
            insert(slots, child);
            children = slots;
        } else {
            TrieNode[] slots = (TrieNode[]) held;
            if ((used + 1) * 3 > slots.length * 2) {
                slots = resized(slots, live + 1);
            }
            insert(slots, child);
            children = slots;
        }
    }

    /** Removes the child for a level. */
    void removeChild(byte[] bytes, int from, int to) {
        live--;
        Object held = children;
        if (live == 0 || held == null) {
            children = null;
            return;
        }
        TrieNode[] slots = (TrieNode[]) held;
        int i = find(slots, bytes, from, to, Levels.number(bytes, from, to));
        SLOT.setRelease(slots, i, DEAD);
        if (slots.length > 64 && live * 8 < slots.length) {
            children = resized(slots, live);
        }
    }

    /** Whether more than one filter or child keeps it. */
    boolean isFork() {
        int kept = live;
        kept += plus == null ? 0 : 1;
        kept += filter == null ? 0 : 1;
        kept += multi == null ? 0 : 1;
        return kept > 1;
    }

    boolean isEmpty() {
        return filter == null && multi == null && plus == null && children == null;
    }

    private boolean isLevel(byte[] bytes, int from, int to, long levelNumber) {
        if (number != levelNumber) {
            return false;
        }
        byte[] own = level;
        return own == null
                ? to - from <= Levels.PACKED_MAX
                : Arrays.equals(own, 0, own.length, bytes, from, to);
    }

    /** The slot of a level, or the empty one where the search ended. */
    private static int find(TrieNode[] slots, byte[] bytes, int from, int to, long levelNumber) {
        int mask = slots.length - 1;
        int i = Levels.hash(levelNumber) & mask;
        TrieNode node = at(slots, i);
        while (node != null && !node.isLevel(bytes, from, to, levelNumber)) {
            i = i + 1 & mask;
            node = at(slots, i);
        }
        return i;
    }

    private void insert(TrieNode[] slots, TrieNode child) {
        int mask = slots.length - 1;
        int i = Levels.hash(child.number) & mask;
        while (slots[i] != null && slots[i] != DEAD) {
            i = i + 1 & mask;
        }
        used += slots[i] == null ? 1 : 0;
        live++;
        SLOT.setRelease(slots, i, child);
    }

    private TrieNode[] resized(TrieNode[] slots, int expected) {
        int length = SLOTS_MIN;
        while (length < expected * 2) {
            length *= 2;
        }
        TrieNode[] copy = new TrieNode[length];
        live = 0;
        used = 0;
        for (TrieNode node : slots) {
            if (node != null && node != DEAD) {
                insert(copy, node);
            }
        }
        return copy;
    }

    private static @Nullable TrieNode at(TrieNode[] slots, int i) {
        return (TrieNode) SLOT.getAcquire(slots, i);
    }
}

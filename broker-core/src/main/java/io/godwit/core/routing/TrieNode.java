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
final class TrieNode<E> {
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(TrieNode[].class);
    private static final int SLOTS_MIN = 4;

    /** Stands in a slot whose child was removed; it is no level. */
    private static final TrieNode<?> DEAD = new TrieNode<>(-1, new byte[1]);

    /** The {@link Levels#number} of the node's level. */
    private final long number;

    /** The level's bytes, when the number is only a hash; a copy of its own. */
    private final byte @Nullable [] level;

    /** The children: null, a {@link TrieNode} when it is the only one, or an array of slots. */
    private volatile @Nullable Object children;

    /** The child for {@code +}. */
    private volatile @Nullable TrieNode<E> plus;

    /** The entry of the filter that ends here. */
    private volatile @Nullable E filter;

    /** The entry of the filter that ends here with {@code /#}. */
    private volatile @Nullable E multi;

    /** How many children there are; writer only. */
    private int live;

    /** How many slots are not null; writer only. */
    private int used;

    private TrieNode(long number, byte @Nullable [] level) {
        this.number = number;
        this.level = level;
    }

    /** The root, or a node for {@code +}. */
    TrieNode() {
        this(0, null);
    }

    /**
     * A node for the level in these bytes.
     *
     * @param number {@link Levels#number} of it
     */
    TrieNode(byte[] bytes, int from, int to, long number) {
        this(number, to - from > Levels.PACKED_MAX ? Arrays.copyOfRange(bytes, from, to) : null);
    }

    /**
     * The child for a level. Any thread.
     *
     * @param levelNumber {@link Levels#number} of it
     */
    @Nullable TrieNode<E> child(byte[] bytes, int from, int to, long levelNumber) {
        Object held = children;
        if (held == null) {
            return null;
        }
        if (held instanceof TrieNode<?> only) {
            return only.isLevel(bytes, from, to, levelNumber) ? own(only) : null;
        }
        TrieNode<E>[] slots = own((TrieNode<?>[]) held);
        return at(slots, find(slots, bytes, from, to, levelNumber));
    }

    /** The child for {@code +}; any thread. */
    @Nullable TrieNode<E> plus() {
        return plus;
    }

    void plus(@Nullable TrieNode<E> node) {
        plus = node;
    }

    /** The entry of the filter that ends here; any thread. */
    @Nullable E filter() {
        return filter;
    }

    void filter(@Nullable E entry) {
        filter = entry;
    }

    /** The entry of the filter that ends here with {@code /#}; any thread. */
    @Nullable E multi() {
        return multi;
    }

    void multi(@Nullable E entry) {
        multi = entry;
    }

    /** Adds a child for a level that has none. */
    void addChild(TrieNode<E> child) {
        Object held = children;
        if (held == null) {
            children = child;
            live = 1;
        } else if (held instanceof TrieNode<?> only) {
            TrieNode<E>[] slots = array(SLOTS_MIN);
            live = 0;
            used = 0;
            insert(slots, own(only));
            insert(slots, child);
            children = slots;
        } else {
            TrieNode<E>[] slots = own((TrieNode<?>[]) held);
            if ((used + 1) * 3 > slots.length * 2) {
                slots = resized(slots, live + 1);
            }
            insert(slots, child);
            children = slots;
        }
    }

    /** Removes the child for a level. */
    void removeChild(byte[] bytes, int from, int to, long levelNumber) {
        live--;
        Object held = children;
        if (live == 0 || held == null) {
            children = null;
            return;
        }
        TrieNode<E>[] slots = own((TrieNode<?>[]) held);
        int i = find(slots, bytes, from, to, levelNumber);
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
    private static <E> int find(
            TrieNode<E>[] slots, byte[] bytes, int from, int to, long levelNumber) {
        int mask = slots.length - 1;
        int i = Levels.slot(levelNumber) & mask;
        TrieNode<E> node = at(slots, i);
        while (node != null && !node.isLevel(bytes, from, to, levelNumber)) {
            i = i + 1 & mask;
            node = at(slots, i);
        }
        return i;
    }

    private void insert(TrieNode<E>[] slots, TrieNode<E> child) {
        int mask = slots.length - 1;
        int i = Levels.slot(child.number) & mask;
        while (slots[i] != null && slots[i] != DEAD) {
            i = i + 1 & mask;
        }
        used += slots[i] == null ? 1 : 0;
        live++;
        SLOT.setRelease(slots, i, child);
    }

    private TrieNode<E>[] resized(TrieNode<E>[] slots, int expected) {
        int length = SLOTS_MIN;
        while (length < expected * 2) {
            length *= 2;
        }
        TrieNode<E>[] copy = array(length);
        live = 0;
        used = 0;
        for (TrieNode<E> node : slots) {
            if (node != null && node != DEAD) {
                insert(copy, node);
            }
        }
        return copy;
    }

    @SuppressWarnings("unchecked") // the array is the caller's
    private static <E> @Nullable TrieNode<E> at(TrieNode<E>[] slots, int i) {
        return (TrieNode<E>) SLOT.getAcquire(slots, i);
    }

    @SuppressWarnings("unchecked") // only addChild() stores, and it takes nodes of E
    private TrieNode<E> own(TrieNode<?> child) {
        return (TrieNode<E>) child;
    }

    @SuppressWarnings("unchecked") // made by array()
    private TrieNode<E>[] own(TrieNode<?>[] slots) {
        return (TrieNode<E>[]) slots;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // there is no array of a generic type
    static <E> TrieNode<E>[] array(int length) {
        return new TrieNode[length];
    }
}

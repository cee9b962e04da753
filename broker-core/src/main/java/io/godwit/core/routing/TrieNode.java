package io.godwit.core.routing;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One level of the filters that have a wildcard. Changed by the index's writer only, read by
 * anyone; 40 bytes, and its level's bytes when these are more than 8.
 */
final class TrieNode {
    /** {@link Levels#number} of its level. */
    private final long number;

    /** Its level, when the number is only a hash; an own copy. */
    private final byte @Nullable [] level;

    /** Null, a {@link TrieNode} when it is the only one, or a {@link LevelTable}. */
    private volatile @Nullable Object children;

    /** The child for {@code +}. */
    private volatile @Nullable TrieNode plus;

    /** The filter that ends here. */
    private volatile @Nullable FilterEntry filter;

    /** The filter that ends here with {@code /#}. */
    private volatile @Nullable FilterEntry multi;

    /** The root, or a node for {@code +}. */
    TrieNode() {
        number = 0;
        level = null;
    }

    /** A node for the level in these bytes. */
    TrieNode(byte[] bytes, int from, int to) {
        number = Levels.number(bytes, from, to);
        level = to - from > Levels.PACKED_MAX ? Arrays.copyOfRange(bytes, from, to) : null;
    }

    long number() {
        return number;
    }

    boolean isLevel(byte[] bytes, int from, int to, long levelNumber) {
        if (number != levelNumber) {
            return false;
        }
        byte[] own = level;
        return own == null
                ? to - from <= Levels.PACKED_MAX
                : Arrays.equals(own, 0, own.length, bytes, from, to);
    }

    /**
     * The child for a level.
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
        return ((LevelTable) held).find(bytes, from, to, levelNumber);
    }

    @Nullable TrieNode plus() {
        return plus;
    }

    void plus(@Nullable TrieNode node) {
        plus = node;
    }

    @Nullable FilterEntry filter() {
        return filter;
    }

    void filter(@Nullable FilterEntry entry) {
        filter = entry;
    }

    @Nullable FilterEntry multi() {
        return multi;
    }

    void multi(@Nullable FilterEntry entry) {
        multi = entry;
    }

    void addChild(TrieNode child) {
        Object held = children;
        if (held == null) {
            children = child;
        } else if (held instanceof TrieNode only) {
            children = LevelTable.empty().put(only).put(child);
        } else {
            LevelTable table = (LevelTable) held;
            LevelTable now = table.put(child);
            if (now != table) {
                children = now;
            }
        }
    }

    /** Removes the child for a level. */
    void removeChild(byte[] bytes, int from, int to) {
        Object held = children;
        if (held instanceof TrieNode) {
            children = null;
        } else if (held != null) {
            LevelTable table = (LevelTable) held;
            LevelTable now = table.remove(bytes, from, to, Levels.number(bytes, from, to));
            if (now.size() == 0) {
                children = null;
            } else if (now != table) {
                children = now;
            }
        }
    }

    /** Whether more than one filter or child keeps it. */
    boolean isFork() {
        Object held = children;
        int kept = held == null ? 0 : held instanceof TrieNode ? 1 : ((LevelTable) held).size();
        kept += plus == null ? 0 : 1;
        kept += filter == null ? 0 : 1;
        kept += multi == null ? 0 : 1;
        return kept > 1;
    }

    boolean isEmpty() {
        return filter == null && multi == null && plus == null && children == null;
    }
}

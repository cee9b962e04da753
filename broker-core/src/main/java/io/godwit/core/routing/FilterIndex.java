package io.godwit.core.routing;

import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * Filters and what stands at each of them, found by the topics that they match. Filters without a
 * wildcard are found by one hash look-up, the others in a trie.
 *
 * <p><i>Concurrency.</i> One writer; any thread reads, by a {@link FilterMatcher} of its own,
 * without a lock and without a copy. Nodes are published by release and read by acquire; nothing
 * moves under a reader.
 *
 * @param <E> what stands at a filter: its subscribers, or the nodes that have some
 */
final class FilterIndex<E> {
    private final SegmentedTable<E> exact;
    private final WildcardTrie<E> wildcards;
    private volatile int size;

    /**
     * @param hash of filters and of their levels, which strangers choose
     */
    FilterIndex(KeyedHash hash) {
        exact = new SegmentedTable<>(hash);
        wildcards = new WildcardTrie<>(new Levels(hash));
    }

    /** The entry of a filter; null for none. */
    @Nullable E find(TopicFilter filter) {
        return filter.hasWildcard() ? wildcards.find(filter.bytes()) : exact.find(filter.bytes());
    }

    /**
     * Puts something else at a filter. Writer only.
     *
     * @param filter not a shared one
     * @param before what {@link #find} has returned
     * @param after null to remove the filter
     */
    void replace(TopicFilter filter, @Nullable E before, @Nullable E after) {
        if (after == before) {
            return;
        }
        byte[] bytes = filter.bytes();
        if (after == null) {
            size--;
            if (filter.hasWildcard()) {
                wildcards.remove(bytes);
            } else {
                exact.remove(bytes);
            }
            return;
        }
        size += before == null ? 1 : 0;
        if (filter.hasWildcard()) {
            wildcards.put(bytes, after);
        } else {
            exact.put(bytes, after);
        }
    }

    /** A matcher for one reading thread. */
    FilterMatcher<E> matcher() {
        return new FilterMatcher<>(this);
    }

    /** How many filters there are; any thread. */
    int size() {
        return size;
    }

    SegmentedTable<E> exact() {
        return exact;
    }

    WildcardTrie<E> wildcards() {
        return wildcards;
    }
}

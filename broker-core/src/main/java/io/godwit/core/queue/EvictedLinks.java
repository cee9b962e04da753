package io.godwit.core.queue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds the links to groups of entries that have left memory while their client is connected, until
 * they are read back. Bounded by the client's credit in these groups.
 */
final class EvictedLinks {
    /** By message id. */
    private final Map<Long, GroupLink> links = new LinkedHashMap<>();

    /**
     * @param messageId given at this node
     */
    void add(long messageId, GroupLink link) {
        links.put(messageId, link);
    }

    /** Returns the link of an entry that was read back; null for none. */
    @Nullable GroupLink take(long messageId) {
        return links.remove(messageId);
    }

    /** Takes out what is left: of entries that have expired, or were discarded, as rows. */
    void drain(Consumer<GroupLink> taker) {
        links.values().forEach(taker);
        links.clear();
    }
}

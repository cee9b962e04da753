package io.godwit.core.connection;

import io.godwit.core.packet.Topic;
import org.jspecify.annotations.Nullable;

/**
 * Topic Aliases that the broker uses towards one client: each new topic takes a free alias, then
 * that of the topic that was used least lately. The maxima are small, so a scan finds either.
 */
final class TopicAliases {
    private final @Nullable Topic[] topics;
    private final int[] usedAt;
    private int now;
    private boolean fresh;

    /**
     * @param max aliases at most, 1..65 535
     */
    TopicAliases(int max) {
        topics = new Topic[max];
        usedAt = new int[max];
    }

    /**
     * The alias of a topic, 1..max; {@link #isNew} tells whether the topic must stand beside it.
     */
    int aliasOf(Topic topic) {
        int oldest = 0;
        now++;
        for (int i = 0; i < topics.length; i++) {
            Topic known = topics[i];
            if (known == null) {
                oldest = i;
                break;
            }
            if (known.equals(topic)) {
                usedAt[i] = now;
                fresh = false;
                return i + 1;
            }
            if (usedAt[i] - usedAt[oldest] < 0) {
                oldest = i;
            }
        }
        topics[oldest] = topic;
        usedAt[oldest] = now;
        fresh = true;
        return oldest + 1;
    }

    /** Whether the last {@link #aliasOf} set the alias anew. */
    boolean isNew() {
        return fresh;
    }

    /** Takes an alias back: the packet that would have set it was not sent. */
    void forget(int alias) {
        topics[alias - 1] = null;
    }
}

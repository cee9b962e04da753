package io.godwit.cluster.routes;

import io.godwit.core.message.Digest;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.NodeRef;
import io.godwit.core.routing.TopicIndex;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The filters of one other node, as it has told them, and in the topic index. */
final class PeerFilters {
    private final NodeRef node;
    private final TopicIndex index;
    private final FilterDigest digest = new FilterDigest();
    private final Set<TopicFilter> known = new HashSet<>();

    /** While all of them come: what has come of them. */
    private @Nullable Set<TopicFilter> arriving;

    private boolean complete;

    PeerFilters(NodeRef node, TopicIndex index) {
        this.node = node;
        this.index = index;
    }

    /** Whether all of them have come once. */
    boolean isComplete() {
        return complete;
    }

    int size() {
        return known.size();
    }

    void change(TopicFilter filter, boolean added) {
        Set<TopicFilter> all = arriving;
        if (added) {
            if (all != null) {
                all.add(filter);
            }
            if (known.add(filter)) {
                digest.add(filter);
                index.addNode(filter, node);
            }
        } else {
            if (all != null) {
                all.remove(filter);
            }
            if (known.remove(filter)) {
                digest.remove(filter);
                index.removeNode(filter, node);
            }
        }
    }

    /** All of them come: those that do not are gone at the end, and not before. */
    void begin() {
        arriving = new HashSet<>();
    }

    void end() {
        Set<TopicFilter> all = arriving;
        if (all == null) {
            return;
        }
        arriving = null;
        complete = true;
        for (TopicFilter filter : Set.copyOf(known)) {
            if (!all.contains(filter)) {
                change(filter, false);
            }
        }
    }

    /** Whether they are those that the node has itself. */
    boolean isSame(Digest theirs) {
        return arriving != null || digest.value().isSame(theirs);
    }
}

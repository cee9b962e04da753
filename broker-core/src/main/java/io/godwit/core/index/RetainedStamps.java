package io.godwit.core.index;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Digest;
import io.godwit.core.packet.Topic;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The stamp of the last retained message, or deletion, of each topic, where several nodes hold all
 * of them: the later one wins. Owned by the shard that owns the retained store.
 *
 * <p>A deletion is remembered as a value, so that a node that was away does not bring back what was
 * deleted meanwhile; of these the oldest are forgotten when they are more than there may be
 * retained messages.
 */
public final class RetainedStamps {
    private final int deletedMax;
    private final Map<Topic, HybridId> kept = new LinkedHashMap<>();
    private final Map<Topic, HybridId> deleted = new LinkedHashMap<>();
    private final Digest digest = new Digest();

    RetainedStamps(int deletedMax) {
        this.deletedMax = deletedMax;
    }

    @Nullable HybridId of(Topic topic) {
        HybridId stamp = kept.get(topic);
        return stamp != null ? stamp : deleted.get(topic);
    }

    boolean isDeleted(Topic topic) {
        return deleted.containsKey(topic);
    }

    void kept(Topic topic, HybridId stamp) {
        forget(topic);
        kept.put(topic, stamp);
        add(topic, stamp);
    }

    void deleted(Topic topic, HybridId stamp) {
        forget(topic);
        deleted.put(topic, stamp);
        add(topic, stamp);
        if (deleted.size() > deletedMax) {
            forget(deleted.keySet().iterator().next());
        }
    }

    /** It has expired here, as it will everywhere, or there was no room for it. */
    void forget(Topic topic) {
        HybridId before = kept.remove(topic);
        if (before == null) {
            before = deleted.remove(topic);
        }
        if (before != null) {
            digest.remove(before.clock() + hash(topic), before.server(), Digest.IDLE, 0);
        }
    }

    private void add(Topic topic, HybridId stamp) {
        digest.add(stamp.clock() + hash(topic), stamp.server(), Digest.IDLE, 0);
    }

    /** The same on every node. */
    private static long hash(Topic topic) {
        long hash = 0xCBF2_9CE4_8422_2325L;
        for (byte each : topic.bytes()) {
            hash = (hash ^ each) * 0x100_0000_01B3L;
        }
        return hash;
    }

    /** Of all topics with their stamps, deletions included: equal on two nodes with the same. */
    public Digest digest() {
        return new Digest(digest.high(), digest.low());
    }

    /** All topics, those of deletions included, as they are now. */
    List<Topic> topics() {
        List<Topic> all = new ArrayList<>(kept.size() + deleted.size());
        all.addAll(kept.keySet());
        all.addAll(deleted.keySet());
        return all;
    }
}

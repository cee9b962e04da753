package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.core.packet.ClientId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Durable sessions that this node was granted and that are to be made here when their anchors know
 * of them. Few at a time: each has a connection that waits.
 */
final class ComingSessions {
    /** Numbers of the grants. */
    private final Map<ClientId, Long> changes = new LinkedHashMap<>(0);

    void add(ClientId clientId, long granted) {
        changes.put(clientId, granted);
    }

    /**
     * @return false when there was none
     */
    boolean remove(ClientId clientId) {
        return changes.remove(clientId) != null;
    }

    /** What anchors are told of one; null when there is none. */
    @Nullable Standing standing(ClientId clientId) {
        Long granted = changes.get(clientId);
        return granted == null ? null : new Standing.Home(granted, true);
    }

    List<ClientId> inSlot(int slot) {
        return changes.keySet().stream().filter(each -> Slots.of(each) == slot).toList();
    }
}

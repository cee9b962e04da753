package io.godwit.cluster.takeover;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The registrar of a node of the model: claims of a client id, one after the other. */
final class ModelRegistrar {
    private final Map<ClientId, Turns> byClientId = new HashMap<>();
    private long claims;

    /** Those who want one client id. */
    static final class Turns {
        private boolean busy;

        /** The connection that asks other nodes, with its claim; null when none does. */
        @Nullable ModelConnect asking;

        @Nullable ClaimId claim;
        private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    }

    /** Runs a task when those before it have said {@link #next}. */
    void turns(ClientId clientId, Runnable task) {
        Turns turns = byClientId.computeIfAbsent(clientId, id -> new Turns());
        if (turns.busy) {
            turns.waiting.add(task);
        } else {
            turns.busy = true;
            task.run();
        }
    }

    void next(ClientId clientId) {
        Turns turns = Objects.requireNonNull(byClientId.get(clientId));
        turns.asking = null;
        turns.claim = null;
        Runnable task = turns.waiting.poll();
        if (task == null) {
            byClientId.remove(clientId);
        } else {
            task.run();
        }
    }

    /** The connection whose turn it is asks other nodes. */
    ClaimId claim(ClientId clientId, NodeStart self, ModelConnect connect) {
        Turns turns = Objects.requireNonNull(byClientId.get(clientId));
        turns.asking = connect;
        turns.claim = new ClaimId(self, 0, ++claims);
        return turns.claim;
    }

    /** Finds the turns of a client id; null when it is nobody's. */
    @Nullable Turns find(ClientId clientId) {
        return byClientId.get(clientId);
    }

    /** The connection whose turn it is; null when none asks other nodes. */
    @Nullable ModelConnect asking(ClientId clientId) {
        return Objects.requireNonNull(find(clientId)).asking;
    }

    /** Whether it is somebody's turn. */
    boolean isBusy(ClientId clientId) {
        return byClientId.containsKey(clientId);
    }

    /** Forgets all, as a node that starts. */
    void clear() {
        byClientId.clear();
    }

    /** Refuses those who ask, since the node dies. */
    void refuseAll() {
        byClientId
                .values()
                .forEach(turns -> {
                    if (turns.asking != null) {
                        turns.asking.refused();
                    }
                });
        byClientId.clear();
    }
}

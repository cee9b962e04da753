package io.godwit.extension.service;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Shows the queues of sessions of all nodes of the cluster. All stages complete with {@link
 * ServiceFailedException} when there is no answer.
 */
public interface QueueService {
    /**
     * Counts what is in the queue of a session.
     *
     * @return empty: there is no session
     */
    CompletionStage<Optional<QueueInfo>> of(String clientId);

    /**
     * Reads what waits for a client, in its order, and takes nothing of it: at most 100 messages,
     * perhaps fewer or none although more follow. What is in flight, and what waits in a shared
     * group, is not among it. Fails with REFUSED when there is no session, or its client connects
     * meanwhile.
     *
     * @param payloadBytes of each payload, 0 to 16 384
     * @param from {@link Page#next} of the page before; empty: from the oldest on
     */
    CompletionStage<Page<WaitingMessage>> messages(
            String clientId, int payloadBytes, Optional<String> from);
}

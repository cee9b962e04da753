package io.godwit.extension.service;

import io.godwit.extension.Preview;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Shows the queues of sessions of all nodes of the cluster, and removes what waits in them. All
 * stages complete with {@link ServiceFailedException} when there is no answer.
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

    /**
     * Removes messages that wait for a client, as if its queue had discarded them: they are counted
     * as dropped, and their publishers are acknowledged. Completes when that is persisted. What is
     * in flight by now is not removed; what is not there any more counts in neither number. Fails
     * with REFUSED when there is no session, or an id is none.
     *
     * @param ids {@link WaitingMessage#id} of 1 to 100 messages
     */
    @Preview
    CompletionStage<RemovedMessages> remove(String clientId, List<String> ids);

    /**
     * Removes all that waits for a client until now, as {@link #remove} does. What comes meanwhile
     * stays, and so do messages of shared groups and what is in flight. When it fails, a part of it
     * may have been removed.
     */
    @Preview
    CompletionStage<RemovedMessages> purge(String clientId);
}

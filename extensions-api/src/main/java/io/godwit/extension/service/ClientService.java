package io.godwit.extension.service;

import io.godwit.extension.packet.ReasonCode;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Shows the clients and sessions of all nodes of the cluster, and ends them. All stages complete
 * with {@link ServiceFailedException} when there is no answer.
 */
public interface ClientService {
    /**
     * Finds the session of a client id, connected or not.
     *
     * @return empty: there is none
     */
    CompletionStage<Optional<ClientInfo>> find(String clientId);

    /**
     * Reads all sessions, node by node, a page for each call: at most 100, perhaps fewer or none
     * although more follow. A session that is there all the time and stays at its node is read
     * once. When a member of the cluster is out of reach its page fails; that of the next call with
     * the same beginning may not.
     *
     * @param from {@link Page#next} of the page before; empty: from the beginning
     */
    CompletionStage<Page<ClientInfo>> page(Optional<String> from);

    /**
     * Ends the connection of a client; its session stays.
     *
     * @param reason of the DISCONNECT that a 5.0 client gets; UNSPECIFIED_ERROR where that has no
     *     such reason
     * @param text the Reason String
     * @param publishesWill whether its Will is published, at once or after its delay
     * @return false: it was not connected
     */
    CompletionStage<Boolean> disconnect(
            String clientId, ReasonCode reason, String text, boolean publishesWill);

    /**
     * Ends the session of a client, with its connection if it has one (0x98), its subscriptions and
     * what waits for it; its Will is published. Completes when that is persisted.
     *
     * @return false: there was none
     */
    CompletionStage<Boolean> endSession(String clientId);
}

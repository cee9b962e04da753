package io.godwit.extension.setup;

import io.godwit.extension.client.Client;
import java.util.concurrent.CompletionStage;

/**
 * Sets up each client that connects, at the node that leads its session: after it was
 * authenticated, and before its will is authorized and its session begins. An exception, null, or
 * no answer in time keeps the client out with 0x88 (3.x: 3).
 *
 * <p>It is also asked about clients that are connected when it is registered, and when its
 * extension is replaced: some at a time, while they go on. One about which it does not answer keeps
 * what it had.
 */
@FunctionalInterface
public interface ClientInitializer {
    /** Begins the answer; it may come later, from any thread. */
    CompletionStage<ClientSetup> initialize(Client client) throws Exception;
}

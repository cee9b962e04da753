package io.godwit.extension.service;

import io.godwit.extension.Preview;
import io.godwit.extension.client.Client;
import io.godwit.extension.setup.ClientSetup;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Changes what this extension has set up for clients that are connected. Ask for it in {@code
 * start}: where no extension has it or a {@code ClientInitializer}, clients that are connected are
 * not known here.
 */
@Preview
public interface ClientSetups {
    /**
     * Puts another setup in the place of this extension's for a connection whose session this node
     * leads. It holds from the client's next packet on.
     *
     * @param client as it was shown on this connection
     * @return completes with true when it holds; with false when the connection has ended.
     *     Completes with {@link IllegalArgumentException} when the setup has a topic filter or a
     *     rule that is not allowed: then nothing has changed
     */
    CompletionStage<Boolean> replace(Client client, ClientSetup setup);

    /**
     * Returns what this extension has set up for a connection whose session this node leads, as it
     * holds now: {@link ClientSetup#change} makes another one of it for {@link #replace}. Empty
     * when it has set up nothing, or the connection has ended.
     *
     * @param client as it was shown on this connection
     */
    Optional<ClientSetup> current(Client client);
}

package io.godwit.core.review;

import io.godwit.core.auth.ConnectionSetup;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sets up connections for what is reviewed of them, at the node that serves them. It is called by
 * the threads of shards and must not block.
 */
public interface ConnectionSetups {
    /**
     * Begins to set up the connection of a client that was authenticated; it waits for that. An
     * answer comes for each, in bounded time.
     *
     * @param answer takes null when it is set up, or why its client is refused; from any thread; a
     *     second answer is ignored
     * @return what will be set up: {@link ConnectionSetup#ended} is called once it is not needed
     */
    ConnectionSetup connecting(
            Subject client,
            ProtocolVersion version,
            Connection connection,
            Consumer<@Nullable ReasonCode> answer);

    /** Takes a connection whose client is connected already: it is set up later, by a change. */
    ConnectionSetup connected(Subject client, ProtocolVersion version, Connection connection);

    /** A connection that was set up, or is being set up. */
    interface Connection {
        /**
         * Runs a change of its setup between two packets, by the thread of its shard; after that
         * its client's rules are asked again. It runs also when the connection has ended. Any
         * thread.
         */
        void change(Runnable change);
    }
}

package io.godwit.core.connection;

import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Peer;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;

/**
 * Refuses to authenticate again by a method that this node does not have: the node that the client
 * is connected to has it, and has authenticated the client.
 *
 * @param method its name
 */
record MissingMethod(String method) implements EnhancedAuthenticator {
    @Override
    public Exchange begin(Packet.Connect connect, Peer peer) {
        return (data, answer) ->
                answer.accept(new Step.Failure(ReasonCode.BAD_AUTHENTICATION_METHOD));
    }
}

package io.godwit.extension.intercept;

import io.godwit.extension.Preview;
import io.godwit.extension.client.Client;
import java.util.concurrent.CompletionStage;

/**
 * Sees the packets of one {@link PacketPoint}, and may change what that says. A packet can't be
 * dropped or refused here: such an answer is a failure. After a failure the packet goes on as it
 * was; an AUTH ends the connection with 0x83.
 *
 * @param <P> the packet
 */
@Preview
@FunctionalInterface
public interface PacketInterceptor<P> {
    /**
     * Begins the answer; it may come later, from any thread. For one connection calls come in the
     * order of its packets, each after the answer to the one before, those of all points together.
     * PUBLISHes do not wait for them, except for CONNACK, and neither do SUBSCRIBE and UNSUBSCRIBE.
     *
     * <p>A changed packet that is larger than the client takes goes out as it was. What a client's
     * version of MQTT does not have does not go out.
     *
     * @param client anonymous as long as it is not let in: then its client id is what it claims
     * @param packet as it is, or as the interceptor before has changed it
     */
    CompletionStage<Interception<P>> onPacket(Client client, P packet) throws Exception;
}

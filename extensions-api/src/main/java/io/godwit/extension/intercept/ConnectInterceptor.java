package io.godwit.extension.intercept;

import io.godwit.extension.client.Origin;
import io.godwit.extension.packet.ConnectPacket;
import java.util.concurrent.CompletionStage;

/**
 * Sees each CONNECT before anybody is asked who has sent it, and may change or stop it. An
 * exception, null, or no answer in time keeps the client out with 0x88 (3.x: 3).
 */
@FunctionalInterface
public interface ConnectInterceptor {
    /**
     * Begins the answer; it may come later, from any thread.
     *
     * <p>What it changes counts as if the client had sent it: authenticators and rules are asked
     * about it. CONNACK tells the client which session expiry and keep alive count; one of MQTT 3.x
     * is not told that its keep alive is another one. The receive maximum may be lowered only.
     * Version, Authentication Method and its data stay as they are; what only MQTT 5.0 has stays as
     * it is for clients of older versions. A dropped CONNECT closes the connection without CONNACK.
     *
     * @param connect as the client has sent it, or as the interceptor before has changed it
     */
    CompletionStage<Interception<ConnectPacket>> onConnect(Origin origin, ConnectPacket connect)
            throws Exception;
}

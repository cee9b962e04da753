package io.godwit.core.auth;

import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ReasonCode;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One authentication method of MQTT 5.0, 4.12 (SCRAM, Kerberos, ...). It may take its time. */
public interface EnhancedAuthenticator {
    /** The name of the Authentication Method. */
    String method();

    /**
     * The name of the {@link Authenticator} that it is a part of: it is asked where that one is;
     * empty: everywhere.
     */
    default String authenticator() {
        return "";
    }

    /**
     * Begins an exchange: on CONNECT, and again when the client re-authenticates.
     *
     * @param connect the CONNECT of this connection; when the client re-authenticates without its
     *     will, password and properties
     */
    Exchange begin(Packet.Connect connect, Peer peer);

    /** One exchange; steps never overlap. */
    interface Exchange {
        /**
         * @param data Authentication Data of CONNECT or AUTH, or null
         * @param answer called once for each step, from any thread
         */
        void step(byte @Nullable [] data, Consumer<Step> answer);
    }

    /** The authenticator's answer to a step. */
    sealed interface Step {
        /**
         * @param data goes out in AUTH 0x18
         */
        record Continue(byte @Nullable [] data) implements Step {}

        /**
         * @param data goes out in CONNACK, or in AUTH 0x00 after a re-authentication
         * @param identity after a re-authentication with the user name of before
         */
        record Success(byte @Nullable [] data, Identity identity) implements Step {}

        record Failure(ReasonCode reason) implements Step {}
    }
}

package io.godwit.extension.auth;

import io.godwit.extension.Answer;
import io.godwit.extension.packet.Bytes;
import io.godwit.extension.packet.ReasonCode;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One Authentication Method of MQTT 5.0 (4.12). An exception, null, or no answer in time keeps the
 * client out with 0x88; in a re-authentication it ends the connection with 0x83.
 */
@FunctionalInterface
public interface EnhancedAuthenticator {
    /**
     * Begins an exchange: on CONNECT, and again when the client re-authenticates.
     *
     * @param request of a client that re-authenticates without its will, password and properties
     */
    Exchange begin(AuthenticationRequest request) throws Exception;

    /** One exchange; its steps never overlap. */
    @FunctionalInterface
    interface Exchange {
        /**
         * Answers one step; the answer may come later, from any thread.
         *
         * @param data Authentication Data of CONNECT or AUTH; null: none
         */
        CompletionStage<Step> step(@Nullable Bytes data) throws Exception;
    }

    /** The answer to a step. */
    sealed interface Step extends Answer<Step> {
        /**
         * Asks the client for more.
         *
         * @param data goes out in AUTH 0x18; null: none
         */
        record Continue(@Nullable Bytes data) implements Step {}

        /**
         * Lets the client in.
         *
         * @param grant after a re-authentication with the user name of before
         * @param data goes out in CONNACK, or in AUTH 0x00; null: none
         */
        record Success(Grant grant, @Nullable Bytes data) implements Step {}

        /** Keeps the client out. */
        record Failure(ReasonCode reason) implements Step {}
    }
}

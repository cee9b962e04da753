package io.godwit.extension.auth;

import java.util.concurrent.CompletionStage;

/**
 * Finds out who a client is, by its CONNECT. An exception, null, or no answer in time keeps the
 * client out with 0x88 (3.x: 3); nobody else is asked then.
 */
@FunctionalInterface
public interface Authenticator {
    /** Begins the answer; it may come later, from any thread. */
    CompletionStage<AuthenticationResult> authenticate(AuthenticationRequest request)
            throws Exception;
}

package io.godwit.extension.auth;

import io.godwit.extension.Answer;
import io.godwit.extension.packet.ReasonCode;

/** The answer to the question who a client is. */
public sealed interface AuthenticationResult extends Answer<AuthenticationResult> {
    /** Lets the client in. */
    record Granted(Grant grant) implements AuthenticationResult {}

    /** Has the next authenticator asked: this one knows nothing of the client. */
    record PassedOn() implements AuthenticationResult {}

    /**
     * Keeps the client out; nobody else is asked.
     *
     * @param reason goes into CONNACK
     * @param text says why, to the log and to a 5.0 client; may be empty
     */
    record Refused(ReasonCode reason, String text) implements AuthenticationResult {}

    /** Lets the client in as the user of that name. */
    static AuthenticationResult granted(String userName) {
        return new Granted(Grant.to(userName).build());
    }

    /** Lets the client in. */
    static AuthenticationResult granted(Grant grant) {
        return new Granted(grant);
    }

    static AuthenticationResult passedOn() {
        return new PassedOn();
    }

    static AuthenticationResult refused(ReasonCode reason, String text) {
        return new Refused(reason, text);
    }
}

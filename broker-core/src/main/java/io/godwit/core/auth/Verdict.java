package io.godwit.core.auth;

import io.godwit.core.packet.ReasonCode;

/** The answer to a CONNECT's credentials. */
public sealed interface Verdict {
    /** Lets the client in. */
    record Granted(Identity identity) implements Verdict {}

    /** Has the next authenticator of the chain asked: this one knows nothing of the client. */
    record PassedOn() implements Verdict {}

    /**
     * Keeps the client out; nobody else is asked.
     *
     * @param reason NOT_AUTHORIZED, BAD_USER_NAME_OR_PASSWORD, BANNED, SERVER_UNAVAILABLE ...
     * @param text says why, to the log and to a 5.0 client; may be empty
     */
    record Refused(ReasonCode reason, String text) implements Verdict {
        public Refused(ReasonCode reason) {
            this(reason, "");
        }
    }
}

package io.godwit.extension.auth;

import io.godwit.extension.Answer;
import io.godwit.extension.packet.ReasonCode;
import java.time.Duration;

/** The answer to the question whether a client may do something. */
public sealed interface Authorization extends Answer<Authorization> {
    /**
     * Lets the client do it; nobody else is asked.
     *
     * @param validFor how long the same question of this connection need not be asked again; the
     *     broker remembers 1 000 answers of a connection at most
     */
    record Allowed(Duration validFor) implements Authorization {}

    /**
     * Refuses it; nobody else is asked.
     *
     * @param reason NOT_AUTHORIZED, QUOTA_EXCEEDED ...
     * @param validFor how long the same question of this connection need not be asked again
     */
    record Denied(ReasonCode reason, Duration validFor) implements Authorization {}

    /**
     * Leaves the question to the next authorizer, and behind the last one to the client's rules.
     *
     * @param validFor how long the same question of this connection need not be asked again
     */
    record Undecided(Duration validFor) implements Authorization {}

    static Authorization allowed() {
        return new Allowed(Duration.ZERO);
    }

    static Authorization denied() {
        return new Denied(ReasonCode.NOT_AUTHORIZED, Duration.ZERO);
    }

    static Authorization undecided() {
        return new Undecided(Duration.ZERO);
    }
}

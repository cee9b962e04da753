package io.godwit.extensions.http;

import io.godwit.extension.auth.Grant;
import io.godwit.extension.packet.ReasonCode;

/** Answers a question, as a server has done. */
sealed interface Verdict {
    /**
     * Lets the client do it.
     *
     * @param grant what comes with it; without anything when the question was not who the client is
     */
    record Allowed(Grant grant) implements Verdict {}

    /**
     * Refuses it.
     *
     * @param text says why; may be empty
     */
    record Refused(ReasonCode reason, String text) implements Verdict {}

    /** Leaves it to others. */
    record PassedOn() implements Verdict {}
}

package io.godwit.testkit;

import java.time.Duration;

/**
 * A call of an extension that has ended.
 *
 * @param extension its id
 * @param kind what it was called for, as the metrics name it: {@code authenticate}, {@code
 *     publish-interceptor}, {@code client-event} ...
 * @param clientId of the client that it was about; empty: of none, or not known
 * @param outcome {@link #ANSWERED}, or why it has failed, as the metrics name it: {@code
 *     exception}, {@code timeout}, {@code null}, {@code invalid}, {@code full}, {@code breaker},
 *     {@code stopped}
 * @param duration since it began; of one that did not begin, since it was to
 */
public record RecordedCall(
        String extension, String kind, String clientId, String outcome, Duration duration) {
    /** The outcome of a call that was answered. */
    public static final String ANSWERED = "answered";

    public boolean isAnswered() {
        return outcome.equals(ANSWERED);
    }
}

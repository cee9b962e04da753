package io.godwit.server.extension.call;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * How the calls of one extension are doing.
 *
 * @param waiting calls without an answer
 * @param waitingBytes bytes of these calls
 * @param stuckThreads threads whose call has not returned for 30 s and still has not
 * @param eventsDropped events for which there was no place
 * @param cpuSeconds that its platform threads have used, or {@link #NOT_MEASURED}
 * @param isFailed whether all calls fail until the extension is started anew
 */
public record CallsState(
        String extension,
        int waiting,
        long waitingBytes,
        int stuckThreads,
        long eventsDropped,
        boolean isFailed,
        List<OfKind> kinds,
        double cpuSeconds) {
    /** Stands for the CPU time of virtual threads. */
    public static final double NOT_MEASURED = -1;

    public CallsState {
        kinds = List.copyOf(kinds);
    }

    /**
     * Counts of one kind of call, since the extension was started.
     *
     * @param passed failed calls that were passed over, as the extension has said
     * @param late answers that came after the first one, or after the call had failed
     * @param seconds sum of the time from the begin of answered calls to the answer
     */
    public record OfKind(
            CallKind kind,
            long answered,
            Map<CallFailure, Long> failures,
            long passed,
            long late,
            double seconds,
            boolean isBreakerOpen) {
        public OfKind {
            failures = Collections.unmodifiableMap(new EnumMap<>(failures));
        }

        /** Returns how many calls have failed of one cause. */
        public long failed(CallFailure cause) {
            return failures.getOrDefault(cause, 0L);
        }
    }
}

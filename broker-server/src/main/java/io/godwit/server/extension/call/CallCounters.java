package io.godwit.server.extension.call;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the calls of one kind. Any thread. */
final class CallCounters {
    private final LongAdder answered = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder passed = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final Map<CallFailure, LongAdder> failures = new EnumMap<>(CallFailure.class);

    CallCounters() {
        for (CallFailure each : CallFailure.values()) {
            failures.put(each, new LongAdder());
        }
    }

    void answered(long tookNanos) {
        answered.increment();
        nanos.add(tookNanos);
    }

    void failed(CallFailure cause) {
        counter(cause).increment();
    }

    /** Counts a failed call that was passed over, as its extension has said. */
    void passed() {
        passed.increment();
    }

    /** Counts an answer that came after the first, or too late. */
    void late() {
        late.increment();
    }

    private LongAdder counter(CallFailure cause) {
        LongAdder counter = failures.get(cause);
        if (counter == null) {
            throw new IllegalStateException("no counter of " + cause);
        }
        return counter;
    }

    CallsState.OfKind state(CallKind kind, boolean isBreakerOpen) {
        Map<CallFailure, Long> failed = new EnumMap<>(CallFailure.class);
        for (CallFailure each : CallFailure.values()) {
            failed.put(each, counter(each).sum());
        }
        return new CallsState.OfKind(
                kind,
                answered.sum(),
                failed,
                passed.sum(),
                late.sum(),
                nanos.sum() / 1e9,
                isBreakerOpen);
    }
}

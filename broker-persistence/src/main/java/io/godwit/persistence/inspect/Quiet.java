package io.godwit.persistence.inspect;

import io.godwit.core.store.ExpiredRow;
import io.godwit.core.store.StoreListener;
import io.godwit.core.time.TimeSource;
import io.godwit.persistence.work.Worker;
import io.godwit.persistence.work.Workers;
import java.util.List;

/** What a store needs that is opened, replayed and closed again, and never works for a broker. */
final class Quiet {
    static final Workers WORKERS =
            new Workers(
                    Worker.NEVER, Worker.NEVER, List.of(Worker.NEVER), Worker.NEVER, Worker.NEVER);

    static final StoreListener LISTENER =
            new StoreListener() {
                @Override
                public void onExpired(long queueId, List<ExpiredRow> rows) {}

                @Override
                public void onDiskAlarm(boolean full) {}

                @Override
                public void onFailed(Throwable cause) {}
            };

    private Quiet() {}

    /** Time that stands still. */
    static TimeSource at(long wallMs) {
        return new TimeSource() {
            @Override
            public long monotonicMs() {
                return 0;
            }

            @Override
            public long nanos() {
                return 0;
            }

            @Override
            public long wallMs() {
                return wallMs;
            }
        };
    }
}

package io.godwit.server.extension.call;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import io.micrometer.core.instrument.distribution.HistogramSupport;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.noop.NoopDistributionSummary;
import io.micrometer.core.instrument.noop.NoopLongTaskTimer;
import io.micrometer.core.instrument.noop.NoopTimer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the meters that one extension has registered. There is no registry before it asks for one.
 * Gauges ask the extension's code, so they are read in a thread of its executor. Any thread.
 */
public final class OwnMeters implements AutoCloseable {
    /** Series that an extension may have. */
    static final int SERIES_MAX = 1_000;

    /** The tag that says whose a series is. */
    static final String EXTENSION = "extension";

    private static final Logger log = LoggerFactory.getLogger(OwnMeters.class);
    private static final MetricSnapshots NOTHING = new MetricSnapshots();

    private final String id;
    private final Executor executor;
    private final LongAdder refused = new LongAdder();

    /** Guarded by this. */
    private @Nullable Bounded registry;

    private @Nullable CompletableFuture<MetricSnapshots> reading;
    private boolean isRefusalLogged;
    private boolean isFailureLogged;
    private boolean isClosed;

    /**
     * @param executor the extension's
     */
    OwnMeters(String id, Executor executor) {
        this.id = id;
        this.executor = executor;
    }

    String id() {
        return id;
    }

    /** Returns what takes the extension's meters. */
    synchronized MeterRegistry registry() {
        Bounded made = registry;
        if (made == null) {
            made = new Bounded();
            registry = made;
            if (isClosed) {
                made.close();
            }
        }
        return made;
    }

    /** Returns how often a meter was refused, since there were too many series. */
    long refused() {
        return refused.sum();
    }

    /**
     * Begins to read the meters.
     *
     * @return fails when they can't be read, or are still being read for who has asked before
     */
    synchronized CompletableFuture<MetricSnapshots> read() {
        Bounded from = registry;
        if (from == null || isClosed) {
            return CompletableFuture.completedFuture(NOTHING);
        }
        if (reading != null && !reading.isDone()) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException("the meters are still being read"));
        }
        CompletableFuture<MetricSnapshots> begun = new CompletableFuture<>();
        reading = begun;
        try {
            executor.execute(() -> {
                try {
                    begun.complete(from.getPrometheusRegistry().scrape());
                } catch (RuntimeException failure) {
                    begun.completeExceptionally(failure);
                } catch (Error failure) { // Gauges are the extension's code.
                    begun.completeExceptionally(failure);
                    throw failure;
                }
            });
        } catch (RejectedExecutionException busyOrStopped) {
            begun.completeExceptionally(busyOrStopped);
        }
        return begun;
    }

    /** Logs that the meters are missing, once. */
    void onUnreadable(String why) {
        synchronized (this) {
            if (isFailureLogged) {
                return;
            }
            isFailureLogged = true;
        }
        log.warn("Extension {}: meters of it are not on /metrics: {}", id, why);
    }

    private void refuse() {
        refused.increment();
        synchronized (this) {
            if (isRefusalLogged) {
                return;
            }
            isRefusalLogged = true;
        }
        log.warn(
                "Extension {} has {} series of metrics, and may have no more: further meters do"
                        + " nothing",
                id,
                SERIES_MAX);
    }

    /** Gives the meters up; what the extension still holds of them does nothing that is shown. */
    @Override
    public synchronized void close() {
        isClosed = true;
        if (registry != null) {
            registry.close();
            registry.clear();
        }
    }

    /** Takes meters as long as there is a place for their series. */
    private final class Bounded extends PrometheusMeterRegistry {
        /** Count, sum and maximum. */
        private static final int OF_DISTRIBUTION = 3;

        /** Series of each meter; under the lock that Micrometer has while it adds one. */
        private final Map<Meter.Id, Integer> seriesOf = new HashMap<>();

        private volatile int series;

        Bounded() {
            super(PrometheusConfig.DEFAULT, new PrometheusRegistry(), Clock.SYSTEM);
            config().meterFilter(
                            new MeterFilter() {
                                @Override
                                public MeterFilterReply accept(Meter.Id meter) {
                                    if (series + least(meter.getType()) <= SERIES_MAX) {
                                        return MeterFilterReply.NEUTRAL;
                                    }
                                    refuse();
                                    return MeterFilterReply.DENY;
                                }

                                @Override
                                public Meter.Id map(Meter.Id meter) {
                                    return meter.withTag(Tag.of(EXTENSION, id));
                                }
                            })
                    .onMeterAdded(added -> count(added.getId(), seriesOf(added)))
                    .onMeterRemoved(removed -> count(removed.getId(), 0));
        }

        private static int least(Meter.Type type) {
            return switch (type) {
                case COUNTER, GAUGE, OTHER -> 1;
                case TIMER, LONG_TASK_TIMER, DISTRIBUTION_SUMMARY -> OF_DISTRIBUTION;
            };
        }

        private static int seriesOf(Meter meter) {
            if (meter instanceof HistogramSupport distribution) {
                HistogramSnapshot now = distribution.takeSnapshot();
                int buckets = now.histogramCounts().length;
                return OF_DISTRIBUTION + withLast(buckets) + now.percentileValues().length;
            }
            int count = 0;
            for (Measurement unused : meter.measure()) {
                count++;
            }
            return count;
        }

        /** Adds the bucket that has no end. */
        private static int withLast(int buckets) {
            return buckets == 0 ? 0 : buckets + 1;
        }

        private synchronized void count(Meter.Id meter, int now) {
            Integer before = now == 0 ? seriesOf.remove(meter) : seriesOf.put(meter, now);
            series += now - (before == null ? 0 : before);
        }

        /** Whether there is a place for buckets and percentiles. Meters without one count, too. */
        private boolean fits(DistributionStatisticConfig asked) {
            double[] percentiles = asked.getPercentiles();
            int more =
                    withLast(asked.getHistogramBuckets(true).size())
                            + (percentiles == null ? 0 : percentiles.length);
            boolean fits = more == 0 || series + OF_DISTRIBUTION + more <= SERIES_MAX;
            if (!fits) {
                refuse();
            }
            return fits;
        }

        @Override
        protected Timer newTimer(
                Meter.Id meter, DistributionStatisticConfig config, PauseDetector pauses) {
            return fits(config) ? super.newTimer(meter, config, pauses) : new NoopTimer(meter);
        }

        @Override
        public DistributionSummary newDistributionSummary(
                Meter.Id meter, DistributionStatisticConfig config, double scale) {
            return fits(config)
                    ? super.newDistributionSummary(meter, config, scale)
                    : new NoopDistributionSummary(meter);
        }

        @Override
        protected LongTaskTimer newLongTaskTimer(
                Meter.Id meter, DistributionStatisticConfig config) {
            return fits(config)
                    ? super.newLongTaskTimer(meter, config)
                    : new NoopLongTaskTimer(meter);
        }
    }
}

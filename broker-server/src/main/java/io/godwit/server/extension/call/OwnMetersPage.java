package io.godwit.server.extension.call;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows the meters of all extensions on {@code /metrics}. What two of them have under one name is
 * one metric, as the text's format asks for. An extension whose meters can't be read in time is
 * left out of that answer.
 */
public final class OwnMetersPage implements MeterBinder, MultiCollector {
    /** Stands before each name, so that none is a name of the broker's. */
    private static final String PREFIX = "godwit_extension_own_";

    private static final long TIMEOUT_MS = 1_000;

    private final Supplier<List<OwnMeters>> meters;

    /**
     * @param meters of the running extensions, the one with the highest priority first
     */
    public OwnMetersPage(Supplier<List<OwnMeters>> meters) {
        this.meters = meters;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        if (registry instanceof PrometheusMeterRegistry prometheus) {
            prometheus.getPrometheusRegistry().register(this);
        }
    }

    private record Part(OwnMeters of, MetricSnapshot snapshot) {}

    @Override
    public MetricSnapshots collect() {
        List<OwnMeters> all = meters.get();
        MetricSnapshots.Builder to = MetricSnapshots.builder();
        if (all.isEmpty()) {
            return to.build();
        }
        byName(all)
                .forEach((name, parts) -> {
                    MetricSnapshot made = merged(name, parts);
                    if (made != null) {
                        to.metricSnapshot(made);
                    }
                });
        CounterSnapshot.Builder refused =
                CounterSnapshot.builder()
                        .name("godwit_extension_meters_refused")
                        .help("Meters of extensions for whose series there was no place.");
        for (OwnMeters each : all) {
            refused.dataPoint(
                    new CounterDataPointSnapshot(
                            each.refused(), Labels.of(OwnMeters.EXTENSION, each.id()), null, 0));
        }
        return to.metricSnapshot(refused.build()).build();
    }

    private static Map<String, List<Part>> byName(List<OwnMeters> all) {
        List<CompletableFuture<MetricSnapshots>> begun = all.stream().map(OwnMeters::read).toList();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
        Map<String, List<Part>> parts = new TreeMap<>();
        for (int i = 0; i < begun.size(); i++) {
            OwnMeters of = all.get(i);
            try {
                long left = Math.max(0, deadline - System.nanoTime());
                for (MetricSnapshot each : begun.get(i).get(left, TimeUnit.NANOSECONDS)) {
                    String name = each.getMetadata().getPrometheusName();
                    parts.computeIfAbsent(name, unused -> new ArrayList<>())
                            .add(new Part(of, each));
                }
            } catch (TimeoutException e) {
                of.onUnreadable("they were not read within " + TIMEOUT_MS + " ms");
            } catch (ExecutionException e) {
                of.onUnreadable(String.valueOf(e.getCause()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return parts;
            }
        }
        return parts;
    }

    /** Returns null when it is nothing that can be shown. */
    private static @Nullable MetricSnapshot merged(String name, List<Part> parts) {
        MetricSnapshot first = parts.getFirst().snapshot();
        MetricMetadata metadata = new MetricMetadata(PREFIX + name, first.getMetadata().getHelp());
        try {
            return switch (first) {
                case CounterSnapshot it ->
                        new CounterSnapshot(
                                metadata,
                                points(
                                        parts,
                                        CounterSnapshot.class,
                                        CounterSnapshot::getDataPoints));
                case GaugeSnapshot it ->
                        new GaugeSnapshot(
                                metadata,
                                points(parts, GaugeSnapshot.class, GaugeSnapshot::getDataPoints));
                case HistogramSnapshot it ->
                        new HistogramSnapshot(
                                metadata,
                                points(
                                        parts,
                                        HistogramSnapshot.class,
                                        HistogramSnapshot::getDataPoints));
                case SummarySnapshot it ->
                        new SummarySnapshot(
                                metadata,
                                points(
                                        parts,
                                        SummarySnapshot.class,
                                        SummarySnapshot::getDataPoints));
                case InfoSnapshot it ->
                        new InfoSnapshot(
                                metadata,
                                points(parts, InfoSnapshot.class, InfoSnapshot::getDataPoints));
                case UnknownSnapshot it ->
                        new UnknownSnapshot(
                                metadata,
                                points(
                                        parts,
                                        UnknownSnapshot.class,
                                        UnknownSnapshot::getDataPoints));
                default -> null;
            };
        } catch (IllegalArgumentException bad) { // A filter of an extension has made series alike.
            parts.forEach(each -> each.of().onUnreadable(name + ": " + bad.getMessage()));
            return null;
        }
    }

    private static <S extends MetricSnapshot, P extends DataPointSnapshot> List<P> points(
            List<Part> parts, Class<S> type, Function<S, List<P>> points) {
        List<P> all = new ArrayList<>();
        for (Part each : parts) {
            if (type.isInstance(each.snapshot())) {
                all.addAll(points.apply(type.cast(each.snapshot())));
            } else {
                each.of()
                        .onUnreadable(
                                each.snapshot().getMetadata().getPrometheusName()
                                        + " is a metric of another type at another extension");
            }
        }
        return all;
    }
}

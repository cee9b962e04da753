package io.godwit.server.extension.call;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * What {@code /metrics} shows of the calls of extensions. It is read when it is asked for:
 * extensions come and go. Without one nothing is shown.
 */
public final class CallMeters implements MeterBinder, MultiCollector {
    private static final String PREFIX = "godwit_extension_";
    private static final String EXTENSION = "extension";
    private static final String KIND = "kind";

    private final Supplier<List<CallsState>> states;

    /**
     * @param states of the running extensions
     */
    public CallMeters(Supplier<List<CallsState>> states) {
        this.states = states;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        if (registry instanceof PrometheusMeterRegistry prometheus) {
            prometheus.getPrometheusRegistry().register(this);
        }
    }

    @Override
    public MetricSnapshots collect() {
        List<CallsState> all = states.get();
        MetricSnapshots.Builder to = MetricSnapshots.builder();
        if (all.isEmpty()) {
            return to.build();
        }
        to.metricSnapshot(
                counter(
                        all,
                        "calls",
                        "Calls of extensions that were answered, by kind.",
                        CallsState.OfKind::answered));
        to.metricSnapshot(failures(all));
        to.metricSnapshot(
                counter(
                        all,
                        "calls_passed",
                        "Failed calls of extensions that were passed over, by kind.",
                        CallsState.OfKind::passed));
        to.metricSnapshot(
                counter(
                        all,
                        "answers_late",
                        "Answers of extensions that came too late or a second time, by kind.",
                        CallsState.OfKind::late));
        to.metricSnapshot(
                counter(
                        all,
                        "call_time_seconds",
                        "Time that answered calls of extensions have taken, by kind.",
                        CallsState.OfKind::seconds));
        GaugeSnapshot.Builder breakers =
                GaugeSnapshot.builder()
                        .name(PREFIX + "breaker_open")
                        .help("1 while the breaker of a kind of calls is open.");
        for (CallsState each : all) {
            for (CallsState.OfKind kind : each.kinds()) {
                breakers.dataPoint(
                        new GaugeDataPointSnapshot(
                                kind.isBreakerOpen() ? 1 : 0, labels(each, kind), null));
            }
        }
        to.metricSnapshot(breakers.build());
        to.metricSnapshot(
                gauge(all, "waiting_calls", "Calls without an answer.", CallsState::waiting));
        to.metricSnapshot(
                gauge(
                        all,
                        "waiting_bytes",
                        "Bytes of calls without an answer.",
                        CallsState::waitingBytes));
        to.metricSnapshot(
                gauge(
                        all,
                        "threads_stuck",
                        "Threads whose call has not returned for 30 s.",
                        CallsState::stuckThreads));
        CounterSnapshot.Builder dropped =
                CounterSnapshot.builder()
                        .name(PREFIX + "events_dropped")
                        .help("Events for which there was no place.");
        for (CallsState each : all) {
            dropped.dataPoint(
                    new CounterDataPointSnapshot(
                            each.eventsDropped(), Labels.of(EXTENSION, each.extension()), null, 0));
        }
        to.metricSnapshot(dropped.build());
        CounterSnapshot.Builder cpu =
                CounterSnapshot.builder()
                        .name(PREFIX + "cpu_seconds")
                        .help(
                                "CPU time of the threads of calls and tasks, unless they are virtual.");
        for (CallsState each : all) {
            if (each.cpuSeconds() != CallsState.NOT_MEASURED) {
                cpu.dataPoint(
                        new CounterDataPointSnapshot(
                                each.cpuSeconds(),
                                Labels.of(EXTENSION, each.extension()),
                                null,
                                0));
            }
        }
        to.metricSnapshot(cpu.build());
        return to.build();
    }

    private static CounterSnapshot counter(
            List<CallsState> all,
            String name,
            String help,
            ToDoubleFunction<CallsState.OfKind> value) {
        CounterSnapshot.Builder to = CounterSnapshot.builder().name(PREFIX + name).help(help);
        for (CallsState each : all) {
            for (CallsState.OfKind kind : each.kinds()) {
                to.dataPoint(
                        new CounterDataPointSnapshot(
                                value.applyAsDouble(kind), labels(each, kind), null, 0));
            }
        }
        return to.build();
    }

    private static CounterSnapshot failures(List<CallsState> all) {
        CounterSnapshot.Builder to =
                CounterSnapshot.builder()
                        .name(PREFIX + "calls_failed")
                        .help("Calls of extensions that failed, by kind and cause.");
        for (CallsState each : all) {
            for (CallsState.OfKind kind : each.kinds()) {
                for (CallFailure cause : CallFailure.values()) {
                    Labels labels = labels(each, kind).add("cause", cause.tag());
                    to.dataPoint(new CounterDataPointSnapshot(kind.failed(cause), labels, null, 0));
                }
            }
        }
        return to.build();
    }

    private static GaugeSnapshot gauge(
            List<CallsState> all, String name, String help, ToDoubleFunction<CallsState> value) {
        GaugeSnapshot.Builder to = GaugeSnapshot.builder().name(PREFIX + name).help(help);
        for (CallsState each : all) {
            to.dataPoint(
                    new GaugeDataPointSnapshot(
                            value.applyAsDouble(each),
                            Labels.of(EXTENSION, each.extension()),
                            null));
        }
        return to.build();
    }

    private static Labels labels(CallsState extension, CallsState.OfKind kind) {
        return Labels.of(EXTENSION, extension.extension(), KIND, kind.kind().tag());
    }
}

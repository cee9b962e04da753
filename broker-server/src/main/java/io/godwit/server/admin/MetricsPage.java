package io.godwit.server.admin;

import io.godwit.core.load.MemoryClass;
import io.godwit.core.metrics.Metric;
import io.godwit.core.node.Broker;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.store.Store;
import io.godwit.core.store.StoreMetric;
import io.godwit.server.listener.Admission;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.internal.PlatformDependent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * {@code /metrics}: every {@link Metric} of the core, summed over the shards, every {@link
 * StoreMetric}, and gauges. Reading is all that it costs the shards. No tag grows with clients or
 * topics. The text is made on a thread of its own, once for all who ask while it is made: health is
 * not to wait for it.
 */
final class MetricsPage implements AutoCloseable {
    static final String PREFIX = "godwit.";
    private static final String DROPPED = "dropped.";
    private static final String REJECTED = "clients.rejected.";
    private static final String NO_PROTOCOL = "none";
    private static final String MICROS = ".micros";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final String OPEN_METRICS =
            "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private static final long STOP_MS = 1_000;
    private static final long TIMEOUT_MS = 5_000;
    private static final double MICROS_PER_SECOND = 1e6;

    private final Broker broker;
    private final Store store;
    private final Admission admission;
    private final AdminRefusals refusals;
    private final AdminTimes times;
    private final String node;
    private final @Nullable ClusterView cluster;
    private final List<MeterBinder> meters;
    private final ExecutorService own =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("admin-metrics").factory());

    private final SharedAnswer prometheus = shared(PROMETHEUS);
    private final SharedAnswer openMetrics = shared(OPEN_METRICS);

    private @Nullable PrometheusMeterRegistry registry;
    private @Nullable JvmGcMetrics gc;

    MetricsPage(
            Broker broker,
            Store store,
            Admission admission,
            AdminRefusals refusals,
            AdminTimes times,
            String node,
            @Nullable ClusterView cluster,
            List<MeterBinder> meters) {
        this.meters = meters;
        this.node = node;
        this.cluster = cluster;
        this.refusals = refusals;
        this.times = times;
        this.broker = broker;
        this.store = store;
        this.admission = admission;
    }

    /** Makes the registry, which takes long enough to be kept out of the start. Any thread. */
    void prepare() {
        own.execute(this::registry);
    }

    private SharedAnswer shared(String contentType) {
        return new SharedAnswer(
                () -> page(contentType), own, TIMEOUT_MS, "the metrics were not read in time");
    }

    /**
     * Answers in OpenMetrics' format when that is accepted, else in Prometheus' own. On the admin
     * thread.
     *
     * @param accept the header of the request; empty when it has none
     */
    CompletableFuture<HttpAnswer> answer(String accept) {
        return (acceptsOpenMetrics(accept) ? openMetrics : prometheus).ask();
    }

    /** Whether a media range names the format, and does not give it the quality 0. */
    static boolean acceptsOpenMetrics(String accept) {
        for (String range : accept.toLowerCase(Locale.ROOT).split(",", -1)) {
            String[] parts = range.split(";", -1);
            if (parts[0].strip().equals("application/openmetrics-text")) {
                return Arrays.stream(parts).noneMatch(each -> each.strip().matches("q=0(\\.0*)?"));
            }
        }
        return false;
    }

    private HttpAnswer page(String contentType) {
        return new HttpAnswer(
                HttpResponseStatus.OK,
                contentType,
                registry().scrape(contentType).getBytes(StandardCharsets.UTF_8));
    }

    private PrometheusMeterRegistry registry() {
        PrometheusMeterRegistry made = registry;
        if (made == null) {
            made = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            for (Metric metric : Metric.values()) {
                bind(made, metric);
            }
            for (StoreMetric metric : StoreMetric.values()) {
                if (metric != StoreMetric.SYNCS) { // its histogram has them
                    bind(made, metric);
                }
            }
            bindNode(made);
            for (int i = 0; i < broker.shards(); i++) {
                ShardGauges.bind(made, broker.shard(i));
            }
            if (cluster != null) {
                cluster.bindTo(made);
            }
            for (MeterBinder each : meters) {
                each.bindTo(made);
            }
            bindJvm(made);
            made.getPrometheusRegistry().register(new TimeMetrics(broker, store, times, node));
            registry = made;
        }
        return made;
    }

    // ---------------------------------------------------------------- counters

    private void bind(PrometheusMeterRegistry to, Metric metric) {
        boolean drop = metric.metricName().startsWith(DROPPED);
        if (metric.metricName().startsWith(REJECTED)) {
            String cause = metric.metricName().substring(REJECTED.length()).replace('.', '-');
            counter(to, metric, "clients.rejected", Tags.of("cause", cause), null, true);
            return;
        }
        if (!metric.perProtocol() && !drop) {
            counter(to, metric, metric.metricName(), Tags.empty(), null, true);
            return;
        }
        // All drops are one family, told apart by their cause.
        String name = drop ? "dropped" : metric.metricName();
        Tags tags = Tags.empty();
        if (drop) {
            String cause = metric.metricName().substring(DROPPED.length()).replace('.', '-');
            tags = tags.and("cause", cause);
        }
        counter(to, metric, name, tags.and("protocol", NO_PROTOCOL), null, false);
        if (metric.perProtocol()) {
            for (ProtocolVersion version : ProtocolVersion.values()) {
                counter(to, metric, name, tags.and("protocol", version.tag()), version, false);
            }
        }
    }

    private void counter(
            PrometheusMeterRegistry to,
            Metric metric,
            String name,
            Tags tags,
            @Nullable ProtocolVersion version,
            boolean total) {
        FunctionCounter.builder(PREFIX + name, broker, b -> sum(b, metric, version, total))
                .description(meaning(metric))
                .tags(tags)
                .register(to);
    }

    private static String meaning(Metric metric) {
        if (metric.metricName().startsWith(DROPPED)) {
            return "Messages that were not delivered, by cause.";
        }
        return metric.metricName().startsWith(REJECTED)
                ? "Connections that the broker refused or closed, by cause."
                : metric.meaning();
    }

    private void bind(PrometheusMeterRegistry to, StoreMetric metric) {
        String name = PREFIX + metric.key();
        double unit = 1;
        if (name.endsWith(MICROS)) { // Prometheus counts time in seconds
            name = name.substring(0, name.length() - MICROS.length()) + ".seconds";
            unit = MICROS_PER_SECOND;
        }
        double divisor = unit;
        ToDoubleFunction<Store> value = from -> from.value(metric) / divisor;
        if (metric.isGauge()) {
            Gauge.builder(name, store, value).description(metric.meaning()).register(to);
        } else {
            FunctionCounter.builder(name, store, value).description(metric.meaning()).register(to);
        }
    }

    private static double sum(
            Broker broker, Metric metric, @Nullable ProtocolVersion version, boolean total) {
        long sum = 0;
        for (int i = 0; i < broker.shards(); i++) {
            var counters = broker.shard(i).counters();
            sum += total ? counters.total(metric) : counters.get(metric, version);
        }
        return sum;
    }

    // ---------------------------------------------------------------- gauges

    private void bindNode(PrometheusMeterRegistry to) {
        for (ProtocolVersion version : ProtocolVersion.values()) {
            node(
                    to,
                    "clients.connected",
                    "Connected clients.",
                    Tags.of("protocol", version.tag()),
                    b ->
                            sum(b, Metric.CONNECTS, version, false)
                                    - sum(b, Metric.CONNECTIONS_CLOSED, version, false));
        }
        node(
                to,
                "memory.accounted.bytes",
                "Bytes that the memory alarm counts: queues, partial packets, outgoing bytes.",
                Tags.empty(),
                b -> b.context().load().memory().accountedBytes());
        for (MemoryClass each : MemoryClass.values()) {
            node(
                    to,
                    "memory.account.bytes",
                    "Memory in bytes, by use.",
                    Tags.of("class", each.tag(), "memory", each.isHeap() ? "heap" : "direct"),
                    b -> b.context().load().memory().account(each));
        }
        node(
                to,
                "memory.network.bytes",
                "Bytes of network buffers, those kept for reuse included. Near"
                        + " godwit_memory_network_limit_bytes connections that need more are closed.",
                Tags.empty(),
                b -> Math.max(0, PlatformDependent.usedDirectMemory()));
        node(
                to,
                "memory.network.limit.bytes",
                "The most bytes that network buffers may take.",
                Tags.empty(),
                b -> PlatformDependent.maxDirectMemory());
        node(
                to,
                "memory.short",
                "1 while memory is short, and publishers to the subscribers that hold most of it wait.",
                Tags.empty(),
                b -> b.context().load().memory().isShort() ? 1 : 0);
        node(
                to,
                "subscribers.awaited",
                "Transient subscribers that are behind: clients that publish to no other subscriber wait.",
                Tags.empty(),
                b -> b.context().load().countBehind());
        node(
                to,
                "memory.alarm",
                "1 while publishers are stopped because memory is short.",
                Tags.empty(),
                b -> b.context().load().memory().isAlarm() ? 1 : 0);
        node(
                to,
                "queues.alarm",
                "1 while publishers are stopped because the node's durable queues are full.",
                Tags.empty(),
                b -> b.context().load().isQueuesFull() ? 1 : 0);
        FunctionCounter.builder(PREFIX + "refused.origin", admission, Admission::foreignPages)
                .description("WebSockets refused because the web page's origin is not allowed.")
                .register(to);
        for (AdminRefusal cause : AdminRefusal.values()) {
            FunctionCounter.builder(PREFIX + "admin.refused", refusals, r -> r.get(cause))
                    .description(
                            "Requests to the admin port that were refused or timed out, by cause.")
                    .tag("cause", cause.cause())
                    .register(to);
        }
        Gauge.builder(PREFIX + "connections", admission, Admission::connections)
                .description("Open connections, including those that have not sent CONNECT yet.")
                .register(to);
        Gauge.builder(PREFIX + "connections.limit", admission, Admission::connectionsMax)
                .description("The most connections allowed by limits.connections and open files.")
                .register(to);
    }

    private void node(
            PrometheusMeterRegistry to,
            String name,
            String meaning,
            Iterable<Tag> tags,
            ToDoubleFunction<Broker> value) {
        Gauge.builder(PREFIX + name, broker, value).description(meaning).tags(tags).register(to);
    }

    private void bindJvm(PrometheusMeterRegistry to) {
        new JvmMemoryMetrics().bindTo(to);
        new JvmThreadMetrics().bindTo(to);
        new ProcessorMetrics().bindTo(to);
        new FileDescriptorMetrics().bindTo(to);
        new UptimeMetrics().bindTo(to);
        JvmGcMetrics collections = new JvmGcMetrics();
        collections.bindTo(to);
        gc = collections;
    }

    /** Call when the admin thread has ended. */
    @Override
    public void close() {
        own.shutdown();
        try {
            if (!own.awaitTermination(STOP_MS, TimeUnit.MILLISECONDS)) {
                return; // it still reads what would be closed, and the process ends anyway
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        if (gc != null) {
            gc.close();
        }
        if (registry != null) {
            registry.close();
        }
    }
}

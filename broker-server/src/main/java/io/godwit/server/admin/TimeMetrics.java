package io.godwit.server.admin;

import io.godwit.core.metrics.Delay;
import io.godwit.core.metrics.TimeHistogram;
import io.godwit.core.node.Broker;
import io.godwit.core.store.Store;
import io.godwit.server.Version;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the histograms of {@code /metrics} and {@code godwit_build_info}. The shards count in
 * {@link TimeHistogram}s, which cost less than a meter of a registry; here they are only read.
 */
final class TimeMetrics implements MultiCollector {
    private static final String PREFIX = "godwit_";

    private final Broker broker;
    private final Store store;
    private final AdminTimes admin;
    private final String node;

    TimeMetrics(Broker broker, Store store, AdminTimes admin, String node) {
        this.broker = broker;
        this.store = store;
        this.admin = admin;
        this.node = node;
    }

    @Override
    public MetricSnapshots collect() {
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        all.metricSnapshot(build());
        all.metricSnapshot(
                histogram(
                                "publish_deliver_seconds",
                                "Time from reading a PUBLISH of a client of this node until it was"
                                        + " sent to a subscriber of this node, by the QoS of the"
                                        + " delivery. Not measured: deliveries with the RETAIN flag,"
                                        + " and messages that were read back from the disk.")
                        .dataPoint(ofShards(Delay.DELIVER_QOS0, "0"))
                        .dataPoint(ofShards(Delay.DELIVER_QOS1, "1"))
                        .dataPoint(ofShards(Delay.DELIVER_QOS2, "2"))
                        .build());
        all.metricSnapshot(
                histogram(
                                "publish_ack_seconds",
                                "Time from reading a PUBLISH until its PUBACK (QoS 1) or PUBREC"
                                        + " (QoS 2) was sent.")
                        .dataPoint(ofShards(Delay.ACK_QOS1, "1"))
                        .dataPoint(ofShards(Delay.ACK_QOS2, "2"))
                        .build());
        TimeHistogram syncs = store.syncTimes();
        all.metricSnapshot(
                histogram(
                                "store_sync_seconds",
                                "Time that the disk took for one sync of the journal.")
                        .dataPoint(point(syncs == null ? List.of() : List.of(syncs), Labels.EMPTY))
                        .build());
        HistogramSnapshot.Builder requests =
                histogram(
                        "admin_request_seconds",
                        "Time from reading a request to the admin port until its answer was"
                                + " written, by page.");
        for (AdminTimes.Page page : AdminTimes.Page.values()) {
            requests.dataPoint(point(List.of(admin.of(page)), Labels.of("page", page.tag())));
        }
        all.metricSnapshot(requests.build());
        return all.build();
    }

    private InfoSnapshot build() {
        return InfoSnapshot.builder()
                .name(PREFIX + "build")
                .help("Always 1; the labels name this node, its version and its Java.")
                .dataPoint(
                        new InfoDataPointSnapshot(
                                Labels.of(
                                        "node",
                                        node,
                                        "version",
                                        Version.current(),
                                        "java",
                                        Runtime.version().toString())))
                .build();
    }

    private static HistogramSnapshot.Builder histogram(String name, String help) {
        return HistogramSnapshot.builder().name(PREFIX + name).unit(Unit.SECONDS).help(help);
    }

    private HistogramDataPointSnapshot ofShards(Delay delay, String qos) {
        List<TimeHistogram> parts = new ArrayList<>();
        for (int i = 0; i < broker.shards(); i++) {
            parts.add(broker.shard(i).delays().histogram(delay));
        }
        return point(parts, Labels.of("qos", qos));
    }

    private static HistogramDataPointSnapshot point(List<TimeHistogram> parts, Labels labels) {
        int bounds = TimeHistogram.bounds();
        double[] upTo = new double[bounds + 1];
        long[] counts = new long[bounds + 1];
        double sum = 0;
        for (TimeHistogram part : parts) {
            sum += part.sumSeconds();
            for (int i = 0; i <= bounds; i++) {
                counts[i] += part.count(i);
            }
        }
        for (int i = 0; i <= bounds; i++) {
            upTo[i] = i < bounds ? TimeHistogram.boundSeconds(i) : Double.POSITIVE_INFINITY;
        }
        HistogramDataPointSnapshot.Builder point = HistogramDataPointSnapshot.builder();
        point.classicHistogramBuckets(ClassicHistogramBuckets.of(upTo, counts));
        point.sum(sum);
        point.labels(labels);
        return point.build();
    }
}

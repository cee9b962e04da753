package io.godwit.server.cluster;

import io.godwit.cluster.broker.BrokerCluster;
import io.godwit.cluster.leadership.SlotLeaders;
import io.godwit.cluster.membership.MembershipCounters;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.Refusal;
import io.godwit.cluster.node.ClusterNode;
import io.godwit.cluster.remote.ChannelCounters;
import io.godwit.cluster.replication.CopyStatus;
import io.godwit.cluster.transport.LinkFigures;
import io.godwit.cluster.transport.LinkMetric;
import io.godwit.cluster.transport.TrafficClass;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** {@code godwit_cluster_*}. Reading is all that it costs. */
final class ClusterMetrics {
    private static final String PREFIX = "godwit.cluster.";
    private static final String REFUSED =
            "Refusals between nodes, by this node or of this node, by cause.";

    private ClusterMetrics() {}

    /**
     * @param certificatesRefused here; the registry does not hold it
     */
    static void bind(
            MeterRegistry to,
            ClusterNode node,
            BrokerCluster broker,
            LongSupplier certificatesRefused) {
        for (LinkMetric each : LinkMetric.values()) {
            FunctionCounter.builder(PREFIX + each.metricName(), node, n -> n.counters().get(each))
                    .description(each.meaning())
                    .register(to);
        }
        MembershipCounters counters = node.membership().counters();
        for (Refusal each : Refusal.values()) {
            refused(to, cause(each), "here", counters, c -> c.get(each));
            refused(to, cause(each), "others", counters, c -> c.byOthers(each));
        }
        refused(to, "certificate", "here", certificatesRefused, LongSupplier::getAsLong);
        Gauge.builder(PREFIX + "members", node, n -> nodes(n).members().size())
                .description("Nodes that have joined and are not forgotten, this one included.")
                .register(to);
        Gauge.builder(PREFIX + "members.live", node, n -> nodes(n).live().size())
                .description("Members that can be reached now, this one included.")
                .register(to);
        for (SlotLeaders.State each : SlotLeaders.State.values()) {
            Gauge.builder(PREFIX + "slots", broker, b -> b.slots().leaders().count(each))
                    .description("Slots of client ids, by where they are led.")
                    .tag("state", each.name().toLowerCase(Locale.ROOT))
                    .register(to);
        }
        Gauge.builder(PREFIX + "sessions.aside", broker, b -> b.slots().sessionsAside())
                .description(
                        "Durable sessions of this node that are set aside, because another node has"
                                + " sessions of the same slots and leads them.")
                .register(to);
        Gauge.builder(PREFIX + "copies.missing.sessions", broker, b -> b.copies().queuesMissing())
                .description(
                        "Durable sessions and group queues of this node that may have fewer copies"
                                + " than cluster.copies.")
                .register(to);
        Gauge.builder(PREFIX + "copies.lag.bytes", broker, b -> b.copies().lagBytes())
                .description("Bytes that followers have not confirmed.")
                .register(to);
        Gauge.builder(PREFIX + "copies.followers", broker, b -> b.copies().followers().size())
                .description("Nodes that have copies of this node's durable sessions.")
                .register(to);
        Gauge.builder(PREFIX + "copies.full", broker, ClusterMetrics::fullFollowers)
                .description(
                        "Nodes with copies of this node's durable sessions that have an alarm of"
                                + " disk or memory: publishers wait.")
                .register(to);
        FunctionCounter.builder(PREFIX + "copies.differ", broker, BrokerCluster::copiesDiffering)
                .description(
                        "Comparisons (cluster verify) in which a copy of this node's durable"
                                + " sessions differed from what this node has.")
                .register(to);
        FunctionCounter.builder(
                        PREFIX + "copies.filled.bytes", broker, BrokerCluster::copiesFilledBytes)
                .description(
                        "Bytes of older messages and sessions that were sent to fill copies of this"
                                + " node's durable sessions.")
                .register(to);
        FunctionCounter.builder(PREFIX + "copies.left.out", broker, BrokerCluster::copiesLeftOut)
                .description(
                        "Durable sessions and group queues that were not sent to fill a copy, since"
                                + " it had the same already.")
                .register(to);
        channels(
                to,
                broker,
                "remote.connections.edge",
                "Clients that are connected to this node and served by another one.",
                ChannelCounters::edgeChannels);
        channels(
                to,
                broker,
                "remote.connections.leader",
                "Clients that are connected to another node and served by this one.",
                ChannelCounters::leaderChannels);
        channels(
                to,
                broker,
                "remote.bytes.under.way",
                "Bytes of remote connections that this node has sent and the other side has not"
                        + " taken.",
                ChannelCounters::bytesUnderWay);
        FunctionCounter.builder(
                        PREFIX + "remote.repeated.bytes",
                        broker,
                        b -> b.sumOfChannels(ChannelCounters::repeatedBytes))
                .description(
                        "Bytes of payloads that went to a node more than once, for several clients"
                                + " there.")
                .register(to);
        FunctionCounter.builder(
                        PREFIX + "remote.dropped",
                        broker,
                        b -> b.sumOfChannels(ChannelCounters::droppedRecords))
                .description(
                        "Records of remote connections that were dropped, since their connection"
                                + " had ended on this side.")
                .register(to);
        for (TrafficClass each : TrafficClass.values()) {
            ofClass(
                    to,
                    node,
                    each,
                    "link.lag.bytes",
                    "Bytes waiting to be sent to other nodes or not confirmed by them.",
                    LinkFigures.OfClass::waitingBytes);
            ofClass(
                    to,
                    node,
                    each,
                    "link.untaken.bytes",
                    "Bytes received from other nodes and not processed yet.",
                    LinkFigures.OfClass::receivedBytes);
        }
    }

    /** As in the tag, and on the page. */
    static String cause(Refusal refusal) {
        return refusal.metricName().replace('.', '-');
    }

    static String name(TrafficClass traffic) {
        return traffic.name().toLowerCase(Locale.ROOT);
    }

    private static Nodes nodes(ClusterNode node) {
        return node.membership().nodes();
    }

    /**
     * @param from somebody else holds it, too: the registry forgets who is held by nobody
     */
    private static <T> void refused(
            MeterRegistry to, String cause, String by, T from, ToDoubleFunction<T> count) {
        FunctionCounter.builder(PREFIX + "refused", from, count)
                .description(REFUSED)
                .tag("cause", cause)
                .tag("by", by)
                .register(to);
    }

    private static void channels(
            MeterRegistry to,
            BrokerCluster broker,
            String name,
            String meaning,
            ToLongFunction<ChannelCounters> count) {
        Gauge.builder(PREFIX + name, broker, b -> b.sumOfChannels(count))
                .description(meaning)
                .register(to);
    }

    private static long fullFollowers(BrokerCluster broker) {
        return broker.copies().followers().stream().filter(CopyStatus.Follower::isFull).count();
    }

    private static void ofClass(
            MeterRegistry to,
            ClusterNode node,
            TrafficClass traffic,
            String name,
            String meaning,
            ToLongFunction<LinkFigures.OfClass> value) {
        Gauge.builder(PREFIX + name, node, n -> sum(n, traffic, value))
                .description(meaning)
                .tag("class", name(traffic))
                .register(to);
    }

    private static long sum(
            ClusterNode node, TrafficClass traffic, ToLongFunction<LinkFigures.OfClass> value) {
        return node.figures().stream().mapToLong(each -> value.applyAsLong(each.of(traffic))).sum();
    }
}

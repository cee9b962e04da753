package io.godwit.server.cluster;

import io.godwit.cluster.ClusterSettings;
import io.godwit.cluster.broker.SlotLeadership;
import io.godwit.cluster.leadership.Epoch;
import io.godwit.cluster.leadership.SlotLeaders;
import io.godwit.cluster.membership.Member;
import io.godwit.cluster.membership.Membership;
import io.godwit.cluster.membership.NodeCard;
import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.membership.Refusal;
import io.godwit.cluster.node.ClusterNode;
import io.godwit.cluster.replication.CopiesAside;
import io.godwit.cluster.replication.CopyRecord;
import io.godwit.cluster.replication.CopyStatus;
import io.godwit.cluster.stream.SecurityDigests;
import io.godwit.cluster.transport.LinkFigures;
import io.godwit.cluster.transport.LinkMetric;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.server.Version;
import io.godwit.server.admin.ClusterStatus;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts together what {@code /cluster} shows.
 *
 * @param drainLeft copy sets with sessions that this node still leads while it drains; null: it
 *     does not
 * @param unheard copy sets by their leader, which is out of reach, for which they wait
 * @param certificatesRefused here
 * @param ownFiles of this node
 * @param filesOf those of others, by server id
 */
record StatusReport(
        ClusterSettings settings,
        ClusterNode node,
        SlotLeadership slots,
        @Nullable BitSet drainLeft,
        Map<Integer, BitSet> unheard,
        CopyStatus copies,
        CopiesAside aside,
        LinkRates rates,
        LongSupplier certificatesRefused,
        SecurityDigests ownFiles,
        IntFunction<SecurityDigests> filesOf) {

    /** On the thread of the links. */
    ClusterStatus make() {
        Nodes nodes = node.membership().nodes();
        SlotLeaders leaders = slots.leaders();
        Map<Integer, LinkFigures> links = new LinkedHashMap<>();
        node.figures().forEach(each -> links.put(each.peer().server(), each));
        List<ClusterStatus.Member> members = new ArrayList<>();
        for (Member each : nodes.members()) {
            members.add(
                    new ClusterStatus.Member(
                            each.server(),
                            each.last().start(),
                            each.name(),
                            each.server() == nodes.self().server(),
                            nodes.isLive(each.server()),
                            leaders.countLedBy(each.server()),
                            link(links.get(each.server())),
                            securityFiles(each.server(), nodes)));
        }
        Map<String, Long> counts = new LinkedHashMap<>();
        for (LinkMetric each : LinkMetric.values()) {
            counts.put(each.metricName(), node.counters().get(each));
        }
        return new ClusterStatus(
                settings.name(),
                settings.bind().getHostString() + ":" + settings.bind().getPort(),
                Version.current(),
                members,
                slots(leaders),
                unheardLeaders(nodes),
                copiesNow(),
                counts,
                refusals());
    }

    private ClusterStatus.SecurityFiles securityFiles(int server, Nodes nodes) {
        SecurityDigests own = ownFiles;
        boolean isHeard = nodes.isLive(server);
        SecurityDigests its = server == nodes.self().server() ? own : filesOf.apply(server);
        List<String> differ = new ArrayList<>();
        if (isHeard && its.users() != own.users()) {
            differ.add("users");
        }
        if (isHeard && its.rules() != own.rules()) {
            differ.add("rules");
        }
        if (isHeard && its.authorities() != own.authorities()) {
            differ.add("authorities");
        }
        return new ClusterStatus.SecurityFiles(
                hex(its.users()), hex(its.rules()), hex(its.authorities()), differ);
    }

    private static String hex(long digest) {
        return digest == 0 ? "" : HexFormat.of().toHexDigits(digest);
    }

    private ClusterStatus.Slots slots(SlotLeaders leaders) {
        Map<Epoch, Integer> sizes = new TreeMap<>();
        for (int slot = 0; slot < leaders.size(); slot++) {
            Epoch epoch = leaders.epoch(slot);
            if (epoch != null) {
                sizes.merge(epoch, 1, Integer::sum);
            }
        }
        List<ClusterStatus.Row> rows = new ArrayList<>();
        sizes.forEach((epoch, size) ->
                rows.add(
                        new ClusterStatus.Row(
                                epoch.server(), epoch.incarnation(), epoch.changes(), size)));
        rows.sort(Comparator.comparing(ClusterStatus.Row::server));
        return new ClusterStatus.Slots(
                leaders.count(SlotLeaders.State.LED),
                leaders.count(SlotLeaders.State.ELSEWHERE),
                leaders.count(SlotLeaders.State.LOADING),
                leaders.count(SlotLeaders.State.OFFLINE),
                leaders.count(SlotLeaders.State.UNKNOWN),
                slots.sessionsAside(),
                drainLeft == null
                        ? ClusterStatus.Drain.NO
                        : drainLeft.isEmpty()
                                ? ClusterStatus.Drain.DRAINED
                                : ClusterStatus.Drain.DRAINING,
                rows);
    }

    private List<ClusterStatus.Unheard> unheardLeaders(Nodes nodes) {
        Map<Integer, String> names = new TreeMap<>();
        nodes.members().forEach(each -> names.put(each.server(), each.name()));
        List<ClusterStatus.Unheard> leaders = new ArrayList<>();
        unheard.forEach((server, sets) ->
                leaders.add(
                        new ClusterStatus.Unheard(
                                server,
                                names.getOrDefault(server, String.valueOf(server)),
                                sets.stream().boxed().toList())));
        return leaders;
    }

    private ClusterStatus.Copies copiesNow() {
        List<ClusterStatus.Follower> followers = new ArrayList<>();
        for (CopyStatus.Follower each : copies.followers()) {
            followers.add(
                    new ClusterStatus.Follower(
                            each.server(),
                            each.sets(),
                            each.wholeSets(),
                            each.unconfirmedParts(),
                            each.unconfirmedBytes(),
                            each.filledBytes(),
                            each.isFull()));
        }
        List<ClusterStatus.CopyRecord> records = new ArrayList<>();
        for (CopyRecord each : copies.records()) {
            records.add(
                    new ClusterStatus.CopyRecord(
                            each.copySet(),
                            each.incarnation(),
                            each.change(),
                            each.whole(),
                            each.filling()));
        }
        return new ClusterStatus.Copies(
                copies.copies(),
                copies.sets(),
                copies.wholeSets(),
                copies.queuesMissing(),
                copies.leftMs(),
                new ClusterStatus.Aside(aside.sessions(), aside.entries(), aside.bytes()),
                followers,
                records,
                copies.isOutvoted());
    }

    private ClusterStatus.@Nullable Link link(@Nullable LinkFigures figures) {
        if (figures == null) {
            return null;
        }
        Membership membership = node.membership();
        NodeCard card = membership.card(figures.peer());
        LinkRates.Rate rate = rates.of(figures);
        List<ClusterStatus.OfClass> classes = new ArrayList<>();
        for (TrafficClass each : TrafficClass.values()) {
            LinkFigures.OfClass of = figures.of(each);
            classes.add(
                    new ClusterStatus.OfClass(
                            ClusterMetrics.name(each),
                            of.waitingBytes(),
                            of.creditBytes(),
                            of.receivedBytes()));
        }
        return new ClusterStatus.Link(
                figures.endpoint(),
                figures.state().name().toLowerCase(Locale.ROOT),
                card == null ? "" : card.version(),
                figures.protocol(),
                figures.number(),
                membership.clockAheadMs(figures.peer()),
                figures.bytesSent(),
                rate.sent(),
                figures.bytesReceived(),
                rate.received(),
                classes);
    }

    private Map<String, ClusterStatus.Refusals> refusals() {
        Map<String, ClusterStatus.Refusals> refusals = new LinkedHashMap<>();
        for (Refusal each : Refusal.values()) {
            refusals.put(
                    ClusterMetrics.cause(each),
                    new ClusterStatus.Refusals(
                            node.membership().counters().get(each),
                            node.membership().counters().byOthers(each)));
        }
        refusals.put("certificate", new ClusterStatus.Refusals(certificatesRefused.getAsLong(), 0));
        return refusals;
    }
}

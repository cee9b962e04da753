package io.godwit.cluster.simulation;

import io.godwit.cluster.membership.Nodes;
import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.LinkSettings;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.simulation.Scheduler;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What must hold of links and membership, whatever the network does. */
final class Checker {
    private static final int MESSAGE_MAX = 130_000;
    private static final long SLACK_MS = 1_500;

    /** A link's number as its sender counts, and the class. */
    private record StreamName(Process sender, long link, TrafficClass traffic) {}

    /** What the sender offered and what the receiver got. */
    private static final class Stream {
        final List<TestMessage> offered = new ArrayList<>();
        long received;
        long receivedMax = Long.MAX_VALUE;
        PeerLink into;
    }

    private final Scheduler scheduler;
    private final Network network;
    private final LinkSettings settings;
    private final Story story;
    private final Map<StreamName, Stream> streams = new HashMap<>();
    private final Map<PeerLink, Process> open = new LinkedHashMap<>();
    private final Map<PeerLink, Long> upSinceMs = new HashMap<>();
    private final Map<Endpoint, Process> processes = new HashMap<>();
    private final Map<Process, Map<Long, List<Unconfirmed>>> unconfirmed = new HashMap<>();
    private final Map<List<Object>, Long> startsSeen = new HashMap<>();

    Checker(Scheduler scheduler, Network network, LinkSettings settings, Story story) {
        this.scheduler = scheduler;
        this.network = network;
        this.settings = settings;
        this.story = story;
    }

    private Stream stream(Process sender, long link, TrafficClass traffic) {
        return streams.computeIfAbsent(new StreamName(sender, link, traffic), name -> new Stream());
    }

    private static void require(boolean holds, String what, Object... details) {
        if (!holds) {
            throw new AssertionError(String.format(what, details));
        }
    }

    void offered(Process by, PeerLink link, TestMessage message) {
        require(open.get(link) == by, "%s offered to a link that is not open", by);
        Stream stream = stream(by, link.number(), message.type().traffic());
        stream.offered.add(message);
        if (message.bytes() > 64 * 1024) {
            story.count(Happening.CUT_MESSAGE);
        }
    }

    void received(
            Process by, PeerLink from, TrafficClass traffic, long link, long number, int length) {
        require(open.get(from) == by, "%s: a message of a link that is not open: %s", by, from);
        Process sender = process(from);
        Stream stream = stream(sender, link, traffic);
        require(stream.into == null || stream.into == from, "%s by two links", from);
        stream.into = from;
        stream.received++;
        require(
                number == stream.received,
                "%s got %s of %s by %s as number %s",
                by,
                number,
                traffic,
                from,
                stream.received);
        require(
                stream.received <= stream.receivedMax,
                "%s got %s of %s by %s after it had said what it has",
                by,
                number,
                traffic,
                from);
        require(number <= stream.offered.size(), "%s got what nobody offered", by);
        long kept = from.receivedBytes(traffic);
        long most = credit(traffic) + MESSAGE_MAX;
        require(kept <= most, "%s keeps %s bytes of %s", by, kept, traffic);
    }

    private long credit(TrafficClass traffic) {
        return switch (traffic) {
            case PUBLISHES -> settings.creditBytes().publishes();
            case APPENDS -> settings.creditBytes().appends();
            case CONTROL -> settings.creditBytes().control();
            case CONNECTIONS -> settings.creditBytes().connections();
            case QUESTIONS -> settings.creditBytes().questions();
        };
    }

    private Process process(PeerLink link) {
        return processes.get(link.endpoint());
    }

    void started(Process process) {
        processes.put(process.endpoint(), process);
    }

    void up(Process by, PeerLink link, Resumed resumed) {
        story.tell(Happening.LINK_UP, by + ": " + link);
        open.put(link, by);
        upSinceMs.put(link, scheduler.monotonicMs());
        Long highest = startsSeen.get(List.of(by, link.peer().server()));
        require(
                highest == null || highest <= link.peer().start(),
                "%s has a link to %s after one to start %s",
                by,
                link.peer(),
                highest);
        startsSeen.put(List.of(by, link.peer().server()), link.peer().start());
        if (resumed.link() != 0) {
            story.count(Happening.RESUMED);
            for (Unconfirmed each :
                    unconfirmed
                            .getOrDefault(by, Map.of())
                            .getOrDefault(resumed.link(), List.of())) {
                if (each.message() instanceof TestMessage message) {
                    Stream former = stream(by, resumed.link(), each.traffic());
                    require(
                            resumed.has(each) == message.number() <= former.received,
                            "%s: %s has %s of %s by link %s, and says %s",
                            by,
                            link.peer(),
                            former.received,
                            each.traffic(),
                            resumed.link(),
                            resumed);
                    former.receivedMax = former.received;
                }
            }
        }
    }

    void silent(Process by, PeerLink link) {
        story.tell(Happening.SILENT, by + ": " + link);
        long disturbed = network.disturbedMs(by.endpoint(), link.endpoint());
        require(
                scheduler.monotonicMs() - disturbed
                        < settings.peerTimeoutMs() + SLACK_MS + by.pausedMs(disturbed),
                "%s says that %s is silent, but nothing was wrong since %s",
                by,
                link,
                disturbed);
    }

    void heard(Process by, PeerLink link) {
        story.tell(Happening.HEARD_AGAIN, by + ": " + link);
        upSinceMs.put(link, scheduler.monotonicMs());
    }

    void down(Process by, PeerLink link, List<Unconfirmed> unconfirmed) {
        story.tell(Happening.LINK_DOWN, by + ": " + link);
        require(open.remove(link) == by, "%s ended twice: %s", by, link);
        this.unconfirmed
                .computeIfAbsent(by, each -> new HashMap<>())
                .put(link.number(), unconfirmed);
        long disturbed = network.disturbedMs(by.endpoint(), link.endpoint());
        require(
                scheduler.monotonicMs() - disturbed
                        < settings.peerTimeoutMs() + SLACK_MS + by.pausedMs(disturbed),
                "%s ended %s, but nothing was wrong since %s",
                by,
                link,
                disturbed);
        for (TrafficClass each : TrafficClass.values()) {
            List<TestMessage> offered = stream(by, link.number(), each).offered;
            List<Unconfirmed> of =
                    unconfirmed.stream()
                            .filter(one -> one.traffic() == each)
                            .filter(one -> one.message() instanceof TestMessage)
                            .toList();
            int confirmed = offered.size() - of.size();
            for (int i = 0; i < of.size(); i++) {
                require(
                        of.get(i).message() == offered.get(confirmed + i),
                        "%s is not told what was not confirmed by %s",
                        by,
                        link);
            }
            long received = stream(by, link.number(), each).received;
            require(
                    confirmed <= received,
                    "%s: %s of %s are confirmed by %s, and %s were received",
                    by,
                    confirmed,
                    each,
                    link,
                    received);
            if (received > confirmed) {
                story.count(Happening.UNCONFIRMED_BUT_RECEIVED);
            }
            if (received < offered.size()) {
                story.count(Happening.UNCONFIRMED_AND_LOST);
            }
        }
    }

    void noRoom() {
        story.count(Happening.NO_ROOM);
    }

    void room() {
        story.count(Happening.ROOM_AGAIN);
    }

    void nodes(Process by, Nodes nodes) {
        require(nodes.isLive(by.node().server()), "%s is not live to itself", by);
    }

    /** After each while. */
    void look() {
        for (Map.Entry<PeerLink, Process> each : open.entrySet()) {
            Process by = each.getValue();
            if (by.isStopped() || each.getKey().state() != LinkState.UP) {
                continue;
            }
            long began = network.cutSinceMs(by.endpoint(), each.getKey().endpoint());
            long cut = Math.max(began, upSinceMs.get(each.getKey()));
            long since = scheduler.monotonicMs() - cut;
            require(
                    began == Long.MAX_VALUE
                            || since < settings.peerTimeoutMs() + SLACK_MS + by.pausedMs(cut),
                    "%s: %s is up, but nothing has arrived there for %s ms",
                    by,
                    each.getKey(),
                    since);
        }
    }

    /** At the end, when all is well: everyone has a link to everyone, and nothing waits. */
    void atEnd(List<Process> alive) {
        Nodes first = alive.get(0).membership().nodes();
        for (Process each : alive) {
            Nodes nodes = each.membership().nodes();
            require(
                    nodes.live().size() == alive.size(),
                    "%s has %s live, of %s",
                    each,
                    nodes.live(),
                    alive);
            require(
                    nodes.members().equals(first.members()),
                    "members differ: %s has %s, %s has %s",
                    each,
                    nodes.members(),
                    alive.get(0),
                    first.members());
            for (int slot = 0; slot < 4096; slot += 41) {
                require(
                        Arrays.equals(nodes.slots().order(slot), first.slots().order(slot)),
                        "orders of slot %s differ",
                        slot);
            }
            for (PeerLink link : each.links().links()) {
                for (TrafficClass traffic : TrafficClass.values()) {
                    Stream stream = stream(each, link.number(), traffic);
                    require(
                            stream.received == stream.offered.size(),
                            "%s of %s of %s have arrived by %s",
                            stream.received,
                            stream.offered.size(),
                            traffic,
                            link);
                    require(
                            link.waitingBytes(traffic) == 0,
                            "%s: %s bytes of %s are not confirmed",
                            link,
                            link.waitingBytes(traffic),
                            traffic);
                }
            }
        }
    }
}

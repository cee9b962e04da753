package io.godwit.cluster.membership;

import io.godwit.cluster.ClusterRules;
import io.godwit.cluster.transport.Admission;
import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.MessageHandler;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.PeerListener;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who belongs to the cluster, as this node knows it. Lets nodes in or refuses them, keeps every
 * member that ever joined, agrees with the others on that list, and tells who is live. On the
 * thread of the links, but for {@link #nodes}.
 */
public final class Membership implements Admission, PeerListener, MessageHandler {
    /** All members that the sender knows; sent when a link opens, and to all when there is news. */
    public static final MessageType MEMBERS =
            new MessageType(16, TrafficClass.CONTROL, "membership.members");

    private static final int TOLD_MAX = 256;
    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

    private final Self self;
    private final MembershipSettings settings;
    private final TimeSource time;
    private final MembersFile file;
    private final NodesListener listener;
    private final Executor linksThread;
    private final MembershipCounters counters = new MembershipCounters();
    private final MemberList members = new MemberList();
    private final Doorkeeper doorkeeper;
    private final long startedMs;

    /** Cards of the processes that were let in, and of those whose link is open. */
    private final Map<NodeStart, NodeCard> admitted = new HashMap<>();

    /** How far the clocks of the same were ahead at their last hello, its way included. */
    private final Map<NodeStart, Long> clocksAhead = new HashMap<>();

    private final Map<Integer, PeerLink> linked = new TreeMap<>();

    /** What the operator was told about an endpoint: not again before it is something else. */
    private final Map<Endpoint, String> told =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Endpoint, String> eldest) {
                    return size() > TOLD_MAX;
                }
            };

    private volatile Nodes nodes;

    /**
     * @param linksThread runs tasks on the thread of the links
     */
    public Membership(
            Self self,
            MembershipSettings settings,
            ClusterRules rules,
            TimeSource time,
            MembersFile file,
            Executor linksThread,
            NodesListener listener) {
        this.self = self;
        this.settings = settings;
        this.time = time;
        this.file = file;
        this.linksThread = linksThread;
        this.listener = listener;
        doorkeeper = new Doorkeeper(self, settings, rules);
        startedMs = time.monotonicMs();
        byte[] kept = file.load();
        if (kept.length > 0) {
            members.addAll(MemberList.read(new ByteReader(kept)));
        }
        if (members.add(self.member())) {
            file.save(members.toBytes());
        }
        nodes = nodes(new Slots(servers()));
    }

    /** The cluster now; any thread. */
    public Nodes nodes() {
        return nodes;
    }

    public MembershipCounters counters() {
        return counters;
    }

    @Override
    public byte[] card() {
        return new NodeCard(
                        settings.protocolMin(),
                        settings.protocolMax(),
                        settings.cluster(),
                        self.process(),
                        uptimeMs(),
                        time.wallMs(),
                        self.name(),
                        self.clientAddress(),
                        self.version())
                .toBytes();
    }

    private long uptimeMs() {
        return time.monotonicMs() - startedMs;
    }

    @Override
    public Verdict onCard(Endpoint from, NodeStart claimed, ByteReader in, long nowMs) {
        NodeCard card = NodeCard.read(in);
        int server = claimed.server();
        PeerLink link = linked.get(server);
        NodeCard linkedCard = link == null ? null : admitted.get(link.peer());
        Doorkeeper.Known known =
                new Doorkeeper.Known(
                        members.get(server),
                        linkedCard == null ? Doorkeeper.Known.NO_PROCESS : linkedCard.process(),
                        link != null && link.state() == LinkState.UP);
        return switch (doorkeeper.onCard(claimed, card, known, nowMs, time.wallMs())) {
            case Doorkeeper.Answer.Yes yes -> {
                admitted.put(claimed, card);
                clocksAhead.put(claimed, card.wallMs() - time.wallMs());
                told.remove(from);
                yield new Verdict.Accepted(yes.protocol());
            }
            case Doorkeeper.Answer.Wait wait -> new Verdict.Later();
            case Doorkeeper.Answer.No no -> refuse(from, claimed, card, no);
        };
    }

    private Verdict refuse(
            Endpoint from, NodeStart claimed, NodeCard card, Doorkeeper.Answer.No no) {
        counters.refused(no.why());
        tell(
                from,
                no.why().name(),
                "Refused node " + card.name() + " at " + from + ": " + no.text());
        if (claimed.server() == self.start().server() && doorkeeper.isIntruder(card, uptimeMs())) {
            listener.onIntruder(
                    "Node "
                            + card.name()
                            + " at "
                            + from
                            + " has the server id "
                            + claimed.server()
                            + " of this node and was there before: is this data folder a copy?");
        }
        String text = "node " + self.name() + " refuses node " + card.name() + ": " + no.text();
        return new Verdict.Refused(
                new ByteWriter(text.length() + 8)
                        .u8(no.why().code())
                        .sized(text.getBytes(StandardCharsets.UTF_8))
                        .server3(self.start().server())
                        .toBytes());
    }

    @Override
    public void onRefused(Endpoint from, ByteReader in, long nowMs) {
        int code = in.u8();
        String text = new String(in.sized(), StandardCharsets.UTF_8);
        // With a double itself each side decides by the other's hello which of the two was later.
        boolean byDouble = in.server3() == self.start().server();
        tell(from, "by it " + code, "Refused by " + from + ": " + text);
        for (Refusal each : Refusal.values()) {
            if (each.code() == code) {
                counters.refusedByOther(each);
                boolean isDouble = each == Refusal.SERVER_ID || each == Refusal.OLD_START;
                if (isDouble && !byDouble && linked.isEmpty()) {
                    listener.onIntruder("This node can't join: " + text);
                }
            }
        }
    }

    @Override
    public void onClockAhead(NodeStart peer) {
        counters.refused(Refusal.CLOCK);
        NodeCard card = admitted.get(peer);
        LOG.warn(
                "The clock of node {} is more than {} ms ahead (cluster.max-clock-offset):"
                        + " nothing is accepted from it until that is mended",
                card == null ? peer : card.name(),
                settings.clockOffsetMaxMs());
    }

    private void tell(Endpoint about, String what, String line) {
        if (!what.equals(told.put(about, what))) {
            LOG.warn("{}", line);
        }
    }

    @Override
    public void onUp(PeerLink link, Resumed resumed) {
        NodeStart peer = link.peer();
        linked.put(peer.server(), link);
        admitted.keySet().removeIf(each -> each.server() == peer.server() && !each.equals(peer));
        clocksAhead.keySet().retainAll(admitted.keySet());
        NodeCard card = admitted.get(peer);
        boolean news =
                card != null
                        && members.add(
                                new Member(
                                        peer, card.process(), card.name(), card.clientAddress()));
        if (news) {
            onNews();
        } else {
            link.offer(new MembersMessage(members.toBytes()));
            changed();
        }
    }

    @Override
    public void onSilent(PeerLink link) {
        changed();
    }

    @Override
    public void onHeard(PeerLink link) {
        changed();
    }

    @Override
    public void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        if (linked.remove(link.peer().server(), link)) {
            doorkeeper.onLinkEnded(link.peer().server());
            changed();
        }
    }

    @Override
    public void onRoom(PeerLink link, TrafficClass traffic) {
        // Lists of members are few: nothing of this room waits for it.
    }

    @Override
    public boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length) {
        List<Member> list = MemberList.read(body);
        linksThread.execute(() -> {
            if (members.addAll(list)) {
                onNews();
            }
        });
        return true;
    }

    private void onNews() {
        byte[] list = members.toBytes();
        file.save(list);
        for (PeerLink each : linked.values()) {
            each.offer(new MembersMessage(list));
        }
        changed();
    }

    private void changed() {
        boolean sameMembers =
                nodes.members().stream().map(Member::server).toList().equals(servers());
        nodes = nodes(sameMembers ? nodes.slots() : new Slots(servers()));
        listener.onNodes(nodes);
    }

    private List<Integer> servers() {
        return members.all().stream().map(Member::server).toList();
    }

    private Nodes nodes(Slots slots) {
        Map<Integer, NodeStart> live = new TreeMap<>();
        live.put(self.start().server(), self.start());
        for (PeerLink each : linked.values()) {
            if (each.state() == LinkState.UP) {
                live.put(each.peer().server(), each.peer());
            }
        }
        return new Nodes(self.start(), new ArrayList<>(members.all()), live, slots);
    }

    /** What a node said of itself when it was let in last; on the thread of the links. */
    public @Nullable NodeCard card(NodeStart node) {
        return admitted.get(node);
    }

    /**
     * How far a node's clock was ahead of this one's at its last hello, in milliseconds and with
     * the hello's way; 0 when it said none. On the thread of the links.
     */
    public long clockAheadMs(NodeStart node) {
        return clocksAhead.getOrDefault(node, 0L);
    }

    /** A list on its way. */
    private record MembersMessage(byte[] list) implements Outgoing {
        @Override
        public MessageType type() {
            return MEMBERS;
        }

        @Override
        public int bytes() {
            return list.length;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.raw(list);
        }
    }
}

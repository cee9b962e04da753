package io.godwit.cluster.membership;

import io.godwit.cluster.ClusterRules;
import io.godwit.cluster.transport.Admission;
import io.godwit.cluster.transport.Endpoint;
import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.MessageHandler;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.PeerListener;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who belongs to the cluster, as this node knows it. Lets nodes in or refuses them, keeps every
 * member that ever joined, agrees with the others on that list and on who of it is forgotten, and
 * tells who is live. On the thread of the links, but for {@link #nodes}.
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

    /** By server id: the last start that this process has had a link with. */
    private final Map<Integer, NodeStart> lastLinked = new HashMap<>();

    /** Starts that were forgotten by this process: what it had for them is gone. */
    private final Set<NodeStart> cutOff = new HashSet<>();

    private final Forgetting forgetting;
    private final Unheard unheard;

    /** What the operator was told about an endpoint: not again before it is something else. */
    private final Map<Endpoint, String> told =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Endpoint, String> eldest) {
                    return size() > TOLD_MAX;
                }
            };

    private volatile Nodes nodes;

    /** Whether this node's folder is new: it knows no member that has served, itself included. */
    private final boolean isFirst;

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
        unheard = new Unheard(settings.forgetAfterMs());
        forgetting =
                new Forgetting(self.start().server(), members, linked, unheard, this::forgetNow);
        startedMs = time.monotonicMs();
        byte[] kept = file.load();
        if (kept.length > 0) {
            ByteReader in = new ByteReader(kept);
            members.addAll(MemberList.read(in));
            unheard.read(in);
        }
        isFirst =
                kept.length == 0
                        ? self.start().start() <= 1
                        : members.present().stream().noneMatch(Member::hasServed);
        boolean isNews = members.add(self.member());
        if (members.forget(self.start().server(), false) || isNews) {
            save();
        }
        nodes = nodes(new Slots(servers()));
    }

    /** The cluster now; any thread. */
    public Nodes nodes() {
        return nodes;
    }

    /**
     * Whether this node has to wait for others before it lets clients in: its folder is new, and
     * neither is a node heard that serves, nor as many as the cluster begins with. Any thread.
     *
     * @param begins that have to be there, this node included
     */
    public boolean awaitsOthers(int begins) {
        Nodes now = nodes;
        return isFirst && !now.isServed() && now.live().size() < begins;
    }

    /** Notes, on the disk and for the others, that this node lets clients in. Links' thread. */
    public void serve() {
        if (members.serve(self.start().server())) {
            onNews();
        }
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
        if (cutOff.contains(claimed)) {
            return refuse(
                    from,
                    claimed,
                    card,
                    new Doorkeeper.Answer.No(
                            Refusal.FORGOTTEN,
                            "it was forgotten while it ran, and has to be started anew"));
        }
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
                boolean isCutOff = each == Refusal.FORGOTTEN;
                if ((isDouble && !byDouble || isCutOff) && linked.isEmpty()) {
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
                "The clock of node {} is more than {} ms ahead (cluster.max-clock-offset): nothing"
                        + " is accepted from it until the clocks are corrected",
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
        lastLinked.put(peer.server(), peer);
        admitted.keySet().removeIf(each -> each.server() == peer.server() && !each.equals(peer));
        clocksAhead.keySet().retainAll(admitted.keySet());
        NodeCard card = admitted.get(peer);
        boolean news =
                card != null
                        && members.add(
                                new Member(
                                        peer, card.process(), card.name(), card.clientAddress()));
        if (members.forget(peer.server(), false) || news) {
            onNews();
        } else {
            link.offer(new Written(MEMBERS, members.toBytes()));
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
        if (Forgetting.handles(type)) {
            linksThread.execute(forgetting.read(from, type, body));
            return true;
        }
        List<Member> list = MemberList.read(body);
        linksThread.execute(() -> {
            if (members.addAll(list)) {
                members.forget(self.start().server(), false);
                linked.keySet().forEach(each -> members.forget(each, false));
                onNews();
            }
        });
        return true;
    }

    // ---------------------------------------------------------------- members that do not return

    /** Which messages come here. */
    public static MessageType[] messages() {
        return new MessageType[] {MEMBERS, Forgetting.ASKED, Forgetting.TOLD};
    }

    /**
     * Forgets a member, unless a node has a link with it; see {@link Forgetting}. On the thread of
     * the links.
     *
     * @param node its name or its server id
     * @param isEarnest false: only finds out whether it could be done
     * @param then told on the same thread, within the time-out
     */
    public void forget(String node, boolean isEarnest, Consumer<ForgetAnswer> then) {
        forgetting.forget(node, isEarnest, then, time.monotonicMs() + settings.peerTimeoutMs());
    }

    private void forgetNow(int server) {
        if (members.forget(server, true)) {
            onNews();
        }
    }

    /**
     * To be called about every {@link io.godwit.cluster.transport.LinkSettings#TICK_MS}.
     *
     * @param nowMs monotonic
     */
    public void tick(long nowMs) {
        forgetting.tick(nowMs, nowMs + settings.peerTimeoutMs());
        if (unheard.isToSave()) {
            save();
        }
    }

    private void save() {
        file.save(new ByteWriter(256).raw(members.toBytes()).raw(unheard.toBytes()).toBytes());
    }

    private void onNews() {
        byte[] list = members.toBytes();
        save();
        for (PeerLink each : linked.values()) {
            each.offer(new Written(MEMBERS, list));
        }
        changed();
    }

    private void changed() {
        for (int each : members.forgotten().servers()) {
            NodeStart was =
                    nodes.forgotten().servers().contains(each) ? null : lastLinked.get(each);
            if (was != null) {
                cutOff.add(was);
            }
        }
        boolean sameMembers =
                nodes.members().stream().map(Member::server).toList().equals(servers());
        nodes = nodes(sameMembers ? nodes.slots() : new Slots(servers()));
        listener.onNodes(nodes);
    }

    private List<Integer> servers() {
        return members.present().stream().map(Member::server).toList();
    }

    private Nodes nodes(Slots slots) {
        Map<Integer, NodeStart> live = new TreeMap<>();
        live.put(self.start().server(), self.start());
        for (PeerLink each : linked.values()) {
            if (each.state() == LinkState.UP) {
                live.put(each.peer().server(), each.peer());
            }
        }
        return new Nodes(self.start(), members.present(), members.forgotten(), live, slots);
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
}
